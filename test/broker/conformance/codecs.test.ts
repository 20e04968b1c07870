import { describe, expect, it } from "vitest";
import type { Codec } from "../../../src/core/codec/index.ts";
import { type CodecTarget, codecSuite, runCodecCase } from "../../../src/broker/conformance/index.ts";
import { parseMediaRange } from "../../../src/core/content-type/index.ts";

/** A codec that breaks every promise it can: it proves that the cases can fail. */
const careless: Codec = {
  name: "Careless",
  contentType: "application/json",
  accepts: [parseMediaRange("text/plain")],
  encode: (body) => ({ payload: scratchpad(new TextEncoder().encode(JSON.stringify(body) ?? "null")) }),
  decode(payload) {
    const text = new TextDecoder().decode(new Uint8Array(payload.buffer));
    const end = text.indexOf("\0");
    const body: unknown = JSON.parse(end === -1 ? text : text.slice(0, end));
    payload[0] = 0;
    return { body: typeof body === "object" ? Object.assign({}, body) : body };
  },
  sniff(payload) {
    if (payload.length === 0) throw new TypeError("nothing to sniff");
    return "no";
  },
};

const shared = new Uint8Array(4096);
function scratchpad(bytes: Uint8Array): Uint8Array {
  shared.fill(0);
  shared.set(bytes.subarray(0, shared.length));
  return shared.subarray(0, bytes.length);
}

const target: CodecTarget = { codec: careless, samples: [{ order: "a name of some length", total: 1 }, [1, 2, 3], 5] };

describe("the codec conformance suite", () => {
  it("fails a careless codec in every case that applies", () => {
    const outcomes = codecSuite.map((codecCase) => runCodecCase(codecCase, target));

    const passed = outcomes.filter(({ outcome }) => outcome === "passed").map(({ name }) => name);
    expect(passed).toEqual([]);
    expect(outcomes.filter(({ outcome }) => outcome === "skipped").map(({ name }) => name)).toEqual([
      "limit-depth-hostile",
    ]);
  });

  it("reports a declared deviation with its reason", () => {
    const names = codecSuite.find(({ name }) => name === "names");
    if (names === undefined) throw new Error("the case is missing");

    const result = runCodecCase(names, { ...target, deviations: { names: "shouting is its manner" } });

    expect(result).toEqual({ name: "names", outcome: "deviation", reason: "shouting is its manner" });
  });

  it("fails a declared deviation that does not deviate", () => {
    const names = codecSuite.find(({ name }) => name === "names");
    if (names === undefined) throw new Error("the case is missing");
    const codec: Codec = { ...careless, name: "careful", contentType: "text/plain" };

    const result = runCodecCase(names, { ...target, codec, deviations: { names: "none" } });

    expect(result.outcome).toBe("failed");
  });

  it("has case names that are unique", () => {
    const names = codecSuite.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
