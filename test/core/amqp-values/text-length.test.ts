import { describe, expect, it } from "vitest";
import { decodeValue } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
const ascii = (length: number): string => alphabet.repeat(2).slice(0, length);

/** The same text as the engine keeps it in different ways. */
const kept: Readonly<Record<string, (text: string) => string>> = {
  "in one piece": (text) => Buffer.from(text).toString(),
  joined: (text) => text.slice(0, text.length >> 1) + text.slice(text.length >> 1),
  "cut out of another": (text) => `${alphabet}${text}${alphabet}`.slice(alphabet.length, alphabet.length + text.length),
  "with two bytes per character": (text) => `日${text}`.slice(1),
};

describe("AMQP text of every short length", () => {
  it.each(Object.entries(kept))("is written as itself when it is kept %s", (_, keep) => {
    for (let length = 0; length <= 70; length++) {
      const text = ascii(length);

      const bytes = encodeValue(keep(text));

      expect(Buffer.from(bytes)).toEqual(Buffer.concat([Buffer.of(0xa1, length), Buffer.from(text)]));
    }
  });

  it("is read back when its last character takes more than one byte", () => {
    for (let length = 0; length <= 70; length++) {
      for (const last of ["ä", "日", "😀"]) {
        const text = ascii(length) + last;

        expect(decodeValue(encodeValue(text))).toBe(text);
      }
    }
  });

  it("is refused when it ends with half a character", () => {
    for (let length = 0; length <= 70; length++) {
      const text = `${ascii(length)}\ud83d`;

      expect(() => encodeValue(text)).toThrow(expect.objectContaining({ code: "UnsupportedValue", path: "$" }));
    }
  });
});
