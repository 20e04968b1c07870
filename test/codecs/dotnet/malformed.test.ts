import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, nbfx } from "../../../codecs/dotnet/index.ts";
import { type Decoded, defaultDecodeLimits, type Decoder, type Unwrapped } from "../../../src/codec/index.ts";
import { valueToJson } from "../../../src/envelope/index.ts";
import { SobreError } from "../../../src/errors/index.ts";
import { fixtures, hasVectors, payloadOf, vectorsNeeded } from "./vectors.ts";

const decoders: Readonly<Record<string, Decoder>> = {
  nbfx: nbfx(),
  xml: dataContractXml(),
  json: dataContractJson(),
};

type Outcome = { readonly decoded: Decoded | Unwrapped } | { readonly error: SobreError };

function outcomeOf(decoder: Decoder, payload: Uint8Array): Outcome {
  try {
    const context = {
      contentType: undefined,
      applicationProperties: {},
      bodyKind: "data",
      limits: defaultDecodeLimits,
    } as const;
    return { decoded: decoder.decode(payload, context) };
  } catch (error) {
    if (error instanceof SobreError) return { error };
    throw error;
  }
}

describe.skipIf(!hasVectors)(`malformed payloads (${vectorsNeeded})`, () => {
  it.each(fixtures("malformed", ["nbfx", "xml", "json"]))("meet their expectation: $id, $expect", (fixture) => {
    const decoder = decoders[fixture.family];
    const outcome = decoder && outcomeOf(decoder, payloadOf("malformed", fixture));

    const isRead = outcome !== undefined && "decoded" in outcome;
    if (fixture.expect === "error") expect(isRead).toBe(false);
    if (fixture.expect === "ok" || fixture.expect === "inert") expect(isRead).toBe(true);
    if (fixture.expect === "ok-or-limit" && outcome && "error" in outcome) {
      expect(outcome.error.code).toBe("LimitExceeded");
    }
    if (outcome && "error" in outcome) expect(outcome.error.offset).toBeTypeOf("number");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("keep a reference bomb shared, so that it stays small", () => {
    const bomb = fixtures("malformed", ["nbfx"]).find(({ id }) => id === "nbfx-ref-bomb");
    const outcome = bomb && outcomeOf(nbfx(), payloadOf("malformed", bomb));
    const body = outcome && "decoded" in outcome && "body" in outcome.decoded ? outcome.decoded.body : undefined;

    expect(JSON.stringify(valueToJson(body)).length).toBeLessThan(4000);
  });
});
