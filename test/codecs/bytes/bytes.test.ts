import { describe, expect, it } from "vitest";
import { bytes } from "../../../codecs/bytes/index.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";

const codec = bytes();

describe("bytes", () => {
  it("are read without a copy, and copied when they are sent", () => {
    const payload = Uint8Array.of(1, 2, 3);

    const decoded = codec.decode(payload, {
      contentType: undefined,
      applicationProperties: {},
      bodyKind: "data",
      limits: defaultDecodeLimits,
    });
    const encoded = codec.encode(payload, { contentType: undefined, applicationProperties: {} });

    expect("body" in decoded && decoded.body).toBe(payload);
    payload[0] = 9;
    expect(encoded.payload).toEqual(Uint8Array.of(1, 2, 3));
  });

  it.each([
    ["a string", "text"],
    ["null", null],
    ["a list", [1, 2]],
    ["an ArrayBuffer", new ArrayBuffer(1)],
  ])("are not made of %s", (_, body) => {
    const encode = (): unknown => codec.encode(body, { contentType: undefined, applicationProperties: {} });

    expect(encode).toThrow(expect.objectContaining({ code: "UnsupportedValue", path: "$" }));
  });
});
