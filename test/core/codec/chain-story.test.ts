import { describe, expect, it, vi } from "vitest";
import { type Decoder } from "../../../src/core/codec/index.ts";
import { read, tried } from "./reading.support.ts";
import { fails, stubDecoder } from "./stub-codec.support.ts";

function breaks(): never {
  throw new Error("the listener is broken");
}

describe("the story", () => {
  it("names every try with code, offset and likeness, and fits a dead letter", () => {
    const java = new Uint8Array([0xac, 0xed, 0x00, 0x05, 0x73]);
    const json = stubDecoder("json", { accepts: ["application/json"], decode: fails("DecodeFailed", 0) });

    const result = read({ codecs: [json] }, "application/json", { payload: java });

    expect(result).toMatchObject({ ok: false, error: { code: "Unreadable" } });
    expect(result.ok ? "" : result.error.message).toBe(
      "No codec could read the 5 bytes, which look like Java object serialization (application/x-java-serialized-object): json: DecodeFailed at byte 0: This stub never reads.",
    );
  });

  it("turns an error that a codec should not throw into one without payload content", () => {
    const broken = stubDecoder("broken", {
      accepts: ["x/y"],
      decode: () => {
        throw new TypeError("secret content of the payload");
      },
    });

    const result = read({ codecs: [broken] }, "x/y");

    expect(result.attempts).toMatchObject([{ outcome: "failed", code: "DecodeFailed" }]);
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("treats a decoder that returns no body as one that failed", async () => {
    const wrong = [undefined, null, 5, {}, Promise.reject(new Error("late")), { unwrapped: "text" }];

    for (const returned of wrong) {
      // @ts-expect-error -- what JavaScript callers may do
      const broken = stubDecoder("broken", { accepts: ["x/y"], decode: () => returned });
      const result = read({ codecs: [broken], fallback: [stubDecoder("next")] }, "x/y");

      expect(tried(result)).toEqual(["broken failed", "next read"]);
      expect(result.attempts[0]).toMatchObject({ code: "DecodeFailed" });
    }
  });

  it("treats a sniff that throws as one that is unsure", () => {
    const broken: Decoder = {
      ...stubDecoder("broken"),
      sniff() {
        throw new TypeError("sneeze");
      },
    };
    const liar = stubDecoder("liar", { accepts: ["x/y"], decode: fails() });

    const result = read({ codecs: [liar], fallback: [broken] }, "x/y");

    expect(tried(result)).toEqual(["liar failed", "broken read"]);
  });

  it("goes on when onAttempt throws", () => {
    const liar = stubDecoder("liar", { accepts: ["x/y"], decode: fails() });

    const result = read({ codecs: [liar], fallback: [stubDecoder("reader")], onAttempt: breaks }, "x/y");

    expect(result).toMatchObject({ ok: true, codec: "reader" });
  });

  it("speaks of one byte in the singular", () => {
    const result = read({ codecs: [stubDecoder("json")] }, "x/y", { payload: new Uint8Array([0x7b]) });

    expect(result.ok ? "" : result.error.message).toBe(
      "No codec is registered for x/y. The byte looks like JSON (application/json).",
    );
  });

  it("is passed to onAttempt as it happens, with the envelope", () => {
    const onAttempt = vi.fn();
    const liar = stubDecoder("liar", { accepts: ["x/y"], decode: fails() });
    const reader = stubDecoder("reader");

    read({ codecs: [liar], fallback: [reader], onAttempt }, "x/y");

    expect(onAttempt.mock.calls.map(([attempt]) => attempt)).toMatchObject([
      { codec: "liar" },
      { codec: "reader", outcome: "read" },
    ]);
  });

  it("warns of content type parameters that were left out", () => {
    const result = read(
      { codecs: [stubDecoder("json", { accepts: ["application/json"] })] },
      "application/json; charset",
    );

    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining("character 18")] });
  });
});
