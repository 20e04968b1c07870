import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { legacy } from "../../../codecs/legacy/index.ts";
import { text } from "../../../codecs/text/index.ts";
import { createSerializer, type Decoder } from "../../../src/core/codec/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { ofVectors } from "../../vectors.support.ts";
import { decodedBy, meets, vectorBytes, vectors } from "./reading.support.ts";

const readers: Readonly<Record<string, Decoder>> = {
  nbfx: nbfx(),
  nrbf: nrbf(),
  java: java(),
  xml: dataContractXml(),
  json: dataContractJson(),
};

const codecs = [json(), ...legacy(), text()];
const chain = createSerializer({ codecs, fallback: codecs, whenUnknown: "fallback" });

/** The error with which a payload is refused; compressed data and text go through the whole chain. */
function refusalOf(family: string, payload: Uint8Array): SobreError | undefined {
  const reader = readers[family];
  if (reader === undefined) {
    const result = chain.deserialize(createEnvelope({ payload }));
    return result.ok ? undefined : result.error;
  }
  try {
    decodedBy(reader, payload);
    return undefined;
  } catch (error) {
    if (error instanceof SobreError) return error;
    throw error;
  }
}

/** The least processor time of three reads, since collecting garbage takes some, and what the heap grew by at most. */
function costOf(family: string, payload: Uint8Array): { readonly milliseconds: number; readonly megabytes: number } {
  let milliseconds = Infinity;
  let megabytes = 0;
  for (let turn = 0; turn < 3; turn++) {
    const heap = process.memoryUsage().heapUsed;
    const start = process.threadCpuUsage();
    refusalOf(family, payload);
    const { user, system } = process.threadCpuUsage(start);
    milliseconds = Math.min(milliseconds, (user + system) / 1000);
    megabytes = Math.max(megabytes, (process.memoryUsage().heapUsed - heap) / 2 ** 20);
  }
  return { milliseconds, megabytes };
}

describe("malformed legacy payloads", () => {
  const malformed = vectors("malformed");

  it("are as many as the vectors hold, of seven families", () => {
    expect(malformed).toHaveLength(ofVectors(123, 77));
    expect(new Set(malformed.map(({ family }) => family)).size).toBe(7);
  });

  it.each(malformed)("meet their expectation within their limits: $id", (vector) => {
    const payload = vectorBytes("malformed", vector);

    const refusal = refusalOf(vector.family, payload);
    const { milliseconds, megabytes } = costOf(vector.family, payload);

    expect(meets(vector.expect, refusal), refusal?.message).toBe(true);
    if (refusal !== undefined && vector.family in readers) expect(refusal.offset).toBeTypeOf("number");
    expect(milliseconds).toBeLessThan(vector.limits?.maxMs ?? 0);
    expect(megabytes).toBeLessThan(vector.limits?.maxHeapMB ?? 0);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
