import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";

const codec = json();
const sniff = (payload: Uint8Array): string | undefined => codec.sniff?.(payload);

describe("sniffing JSON", () => {
  it.each([
    ['{"a":1}', "strong"],
    [' \r\n{ "a":1 }\n', "strong"],
    ["{}", "strong"],
    ["[]", "strong"],
    ["[1,2]", "strong"],
    ["[[", "weak"],
    ['{"a":', "weak"],
    ["{", "weak"],
    ["true", "strong"],
    ["null", "strong"],
    ["false ", "strong"],
    ['"a"', "weak"],
    ["5", "weak"],
    ["-1.5e3", "weak"],
    ["\ufeff{}", "strong"],
    ["", "weak"],
    [" ", "weak"],
    ["tree", "no"],
    ["{} {}", "weak"],
    [`{"a":${" ".repeat(2000)}1}`, "strong"],
    [`[${"1,".repeat(2000)}1`, "weak"],
    [`${" ".repeat(2000)}{"a":1}`, "weak"],
    [`\ufeff${" ".repeat(2000)}[${"1,".repeat(2000)}1]`, "weak"],
    ["hello", "no"],
    ["nothing", "no"],
    ["{a}", "no"],
    ["[x]", "no"],
    ['"', "no"],
    ["<a/>", "no"],
    ["5 apples", "no"],
  ])("says of %o: %s", (text, expected) => {
    expect(sniff(new TextEncoder().encode(text))).toBe(expected);
  });

  it("knows UTF-16, with a mark and without", () => {
    const little = Buffer.from('{"a":1}', "utf16le");

    expect(sniff(new Uint8Array(little))).toBe("strong");
    expect(sniff(new Uint8Array(Buffer.from(little).swap16()))).toBe("strong");
    expect(sniff(Uint8Array.of(0xff, 0xfe, ...little))).toBe("strong");
  });

  it("rules out the bytes of other formats", () => {
    const msgpackMap = Uint8Array.of(0x81, 0xa1, 0x61, 0x01);
    const javaStream = Uint8Array.of(0xac, 0xed, 0x00, 0x05);

    expect([sniff(msgpackMap), sniff(javaStream)]).toEqual(["no", "no"]);
  });
});
