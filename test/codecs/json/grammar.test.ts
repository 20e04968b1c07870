import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorOf, utf8, utf16be, utf16le } from "./reading.support.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a JSON payload that breaks the grammar", () => {
  it.each([
    ['{"a":1', "TruncatedPayload", 6],
    ['{"a":tru', "TruncatedPayload", 8],
    ['{"a":"x\\u00', "TruncatedPayload", 11],
    ["[1,-", "TruncatedPayload", 4],
    [" ", "TruncatedPayload", 1],
    ["{} {}", "TrailingBytes", 3],
    ["12 x", "TrailingBytes", 3],
    ['{"é":x}', "DecodeFailed", 6],
    ["[1,]", "DecodeFailed", 3],
    ['{"a" 1}', "DecodeFailed", 5],
    ["{'a':1}", "DecodeFailed", 1],
    ["[01]", "DecodeFailed", 2],
    ['["\\x"]', "DecodeFailed", 2],
    ['["a\tb"]', "DecodeFailed", 3],
    ["NaN", "DecodeFailed", 0],
    ["[1}", "DecodeFailed", 2],
    ["[tru", "TruncatedPayload", 4],
    ["[fals", "TruncatedPayload", 5],
    ["[n", "TruncatedPayload", 2],
    ["[1.", "TruncatedPayload", 3],
    ["[1e", "TruncatedPayload", 3],
    ["[tru,", "DecodeFailed", 1],
    ["[truest", "DecodeFailed", 5],
    ["[1.,2]", "DecodeFailed", 2],
    ["hello", "DecodeFailed", 0],
    ["", "TruncatedPayload", 0],
  ])("is refused with the byte offset: %s", (text, code, offset) => {
    const error = errorOf(text);

    expect({ code: error.code, offset: error.offset }).toEqual({ code, offset });
    expect(error.cause).toBeUndefined();
  });

  it("is located at its first fault, wherever JSON.parse refuses it", () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...Array.from('{}[],:"\\ 0-.eatu\n')), fc.boolean())
      .map(([text, at, unit, cut]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + (cut ? "" : unit + text.slice(place + (at % 2)));
      })
      .filter((text) => !parses(text));

    fc.assert(
      fc.property(broken, (text) => {
        const { code, offset = -1 } = errorOf(text);

        expect(["DecodeFailed", "TruncatedPayload", "TrailingBytes"]).toContain(code);
        expect(offset).toBeLessThanOrEqual(utf8(text).length);
        expect(offset === utf8(text).length).toBe(code === "TruncatedPayload");
      }),
      { numRuns: 1000 },
    );
  });

  it("has byte offsets in UTF-16 and after a byte-order mark", () => {
    const text = '\ufeff["é",x]';

    expect([errorOf(utf8(text)).offset, errorOf(utf16le(text)).offset, errorOf(utf16be(text)).offset]).toEqual([
      9, 12, 12,
    ]);
  });
});
