import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut } from "../../../src/core/errors/cut.ts";

describe("cutting a text", () => {
  it("keeps a short one as it is", () => {
    expect(cut("plain 🚀", 8)).toBe("plain 🚀");
  });

  it("leaves out the pair of surrogates that the cut goes through", () => {
    expect(cut("ab🚀🚀", 4)).toBe("ab…");
    expect(cut("a🚀🚀", 4)).toBe("a🚀…");
  });

  it("gives well-formed text of at most the length asked, whatever comes in", () => {
    const units = fc.string({ unit: fc.constantFrom("a", "ñ", "🚀", "\ud83d", "\ude80"), maxLength: 40 });
    fc.assert(
      fc.property(units, fc.integer({ min: 2, max: 40 }), (text, length) => {
        const shown = cut(text, length);

        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(length);
        if (text.length > length) expect(shown.length).toBeGreaterThanOrEqual(length - 1);
      }),
    );
  });
});
