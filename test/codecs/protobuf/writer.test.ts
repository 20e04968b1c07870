import { readFileSync } from "node:fs";
import { join } from "node:path";
import protobufjs from "protobufjs";
import { describe, expect, it } from "vitest";
import { toHex } from "../msgpack/calls.support.ts";
import { calls } from "./calls.support.ts";

const protos = readFileSync(join(import.meta.dirname, "../../../fixtures/codecs/every.proto"), "utf8");
const { encode, decode } = calls({ protos, type: "golden.Every" });
const bare = protobufjs.parse(protos).root.lookupType("golden.Every");

const longs = [
  ...[1, -1, 127, 128, -64, -65, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), 2 ** 53, -(2 ** 53), 2 ** 56].map(BigInt),
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const unsigned = [...longs.filter((long) => long > 0n), 2n ** 63n, 2n ** 64n - 1n];
const fields = ["Int64", "Sint64", "Sfixed64", "Uint64", "Fixed64"].flatMap((kind) =>
  (kind.startsWith("U") || kind === "Fixed64" ? unsigned : longs).map((long) => [kind, long] as const),
);

describe("the bytes of Protobuf", () => {
  it.each(fields)("are those of protobufjs for %s of %s", (kind, long) => {
    const texts = { [`a${kind}`]: `${long}`, [`many${kind}`]: [`${long}`, "0", "7"] };

    const payload = encode({ [`a${kind}`]: long, [`many${kind}`]: [long, 0n, 7] });

    expect(toHex(payload)).toBe(toHex(bare.encode(bare.fromObject(texts)).finish()));
  });

  it.each([0, 1, 39, 127, 128, 700, 5000, 70_000])("are those of protobufjs with texts of %i characters", (length) => {
    const text = "aé€".repeat(length).slice(0, length);
    const body = { aString: text, inner: { inner: { manyString: [text, "", text] } }, textByText: { [text]: text } };

    const payload = encode(body);

    expect(Buffer.compare(payload, bare.encode(bare.fromObject(body)).finish())).toBe(0);
  });

  it("stay as they are when more is written after them", () => {
    const bodies = Array.from({ length: 400 }, (_, index) => ({ aString: "x".repeat((index * 37) % 3000) }));

    const payloads = bodies.map((body) => encode(body));

    expect(payloads.map((payload) => decode(payload).body)).toEqual(
      bodies.map((body) => expect.objectContaining(body)),
    );
  });

  it("are not mixed with those of a message that a getter writes meanwhile", () => {
    const body = {
      aString: "outer",
      get aBytes(): Uint8Array {
        return encode({ aString: "inner" });
      },
    };

    const decoded = decode(encode(body)).body;

    expect(decoded).toMatchObject({ aString: "outer", aBytes: encode({ aString: "inner" }) });
  });

  it("are right after a message that broke off in the middle", () => {
    let reads = 0;
    const body = {
      inner: {
        aString: "begun",
        get aBool(): boolean {
          // The check reads it before the writer does.
          if (reads++ > 0) throw new Error("a getter of the body");
          return true;
        },
      },
    };

    expect(() => encode(body)).toThrow("a getter of the body");
    expect(decode(encode({ aString: "whole" })).body).toMatchObject({ aString: "whole" });
  });

  it("are right after somebody transferred earlier ones away", () => {
    const { buffer } = encode({ aString: "gone" });
    if (buffer instanceof ArrayBuffer) structuredClone(buffer, { transfer: [buffer] });

    expect(decode(encode({ aString: "here" })).body).toMatchObject({ aString: "here" });
  });

  it("take a buffer of their own where they are many", () => {
    const { buffer, byteLength } = encode({ aBytes: new Uint8Array(5000) });

    expect(buffer.byteLength).toBe(byteLength);
  });
});
