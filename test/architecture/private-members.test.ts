import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sources } from "./imports.support.ts";

describe("private members", () => {
  it("have names with #; only constructors, which cannot, have the modifier", () => {
    const modifier = /^\s+private (?!constructor\b).*/gm;

    const wrong = sources.flatMap((file) =>
      Array.from(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").matchAll(modifier), ([line]) => {
        return `${file}: ${line.trim()}`;
      }),
    );

    expect(wrong).toEqual([]);
  });
});
