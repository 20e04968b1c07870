import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth, fit, oneLine, shortTypeName } from "../../src/cli/display.ts";

describe("displayWidth", () => {
  it("counts two columns for wide characters and emoji, none for marks", () => {
    expect(displayWidth("abc")).toBe(3);
    expect(displayWidth("世界")).toBe(4);
    expect(displayWidth("🚚")).toBe(2);
    expect(displayWidth("Lucía")).toBe(5);
    expect(displayWidth("e\u0301")).toBe(1);
  });
});

describe("fit", () => {
  it("leaves text that fits alone and cuts the rest with an ellipsis", () => {
    expect(fit("order.json", 10)).toBe("order.json");
    expect(fit("order.json", 9)).toBe("order.js…");
    expect(fit("世界世界", 5)).toBe("世界…");
    expect(fit("世界世界", 4)).toBe("世…");
    expect(fit("ab", 0)).toBe("");
  });

  it("never takes more columns than given, and all that it can", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (raw, width) => {
        const text = oneLine(raw);

        const shown = fit(text, width);

        expect(displayWidth(shown)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(shown).toBe(text);
        else if (width > 0) expect(displayWidth(shown)).toBeGreaterThanOrEqual(width - 1);
      }),
    );
  });
});

describe("the short name of a type", () => {
  it.each([
    ["{urn:orders:v1}Order", "Order"],
    ["Order", "Order"],
    ["java.util.LinkedHashMap", "LinkedHashMap"],
    ["com.acme.Shop$Order", "Shop$Order"],
    [
      "System.Collections.Generic.List`1[[Acme.Line, Acme, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null]]",
      "List<Line>",
    ],
    ["System.Int32[]", "Int32[]"],
    ["shop.Order", "Order"],
  ])("of %s is %s", (name, short) => {
    expect(shortTypeName(name)).toBe(short);
  });
});
