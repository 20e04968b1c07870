import { describe, expect, it } from "vitest";
import { decodeValue, decodeValues } from "../../../src/core/amqp-values/read-value.ts";
import { encodeValue } from "../../../src/core/amqp-values/encode-value.ts";
import { fromTypedJson, toTypedJson } from "../../../codecs/amqp/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { file, hex, indexed, json, lines } from "./vectors.support.ts";
import { withoutStacks } from "../../stackless.support.ts";
import { needsVectors, ofVectors } from "../../vectors.support.ts";

describe("the AMQP value vectors", () => {
  withoutStacks();

  it.each(["alt-encoding-values", "proton-values"])("are read and written with their types: %s", (name) => {
    const entries = lines(`open/${name}.jsonl`);

    for (const { id, hex: encoding, value } of entries) {
      const decoded = decodeValue(hex(encoding));

      expect(toTypedJson(decoded), id).toEqual(value);
      expect(toTypedJson(fromTypedJson(value)), id).toEqual(value);
      expect(toTypedJson(decodeValue(encodeValue(fromTypedJson(value)))), id).toEqual(value);
      expect(toTypedJson(decodeValue(encodeValue(decoded))), id).toEqual(value);
    }
    expect(entries.length).toBeGreaterThan(ofVectors(290, 45));
  });

  it.each(["alt-encoding-values", "proton-values"])("are refused when cut anywhere: %s", (name) => {
    const entries = lines(`open/${name}.jsonl`);

    for (const { id, hex: encoding } of entries) {
      const bytes = hex(encoding);

      for (let length = 0; length < bytes.byteLength; length++) {
        if (outcome(bytes.subarray(0, length)) === "read") expect.unreachable(`${id} cut at ${length} was read`);
      }
    }
    expect(entries.length).toBeGreaterThan(ofVectors(290, 45));
  });

  it("of .NET are read right", needsVectors("amqp/dotnet-single-values.json"), () => {
    const entries = json("dotnet-single-values.json", "vectors");

    for (const { id, hex: encoding, value } of entries) {
      expect(toTypedJson(decodeValue(hex(encoding))), id).toEqual(value);
    }
    expect(entries.length).toBe(40);
  });

  it(
    "of the public interop files and fuzz corpora that qpid-proton reads are read the same",
    needsVectors("amqp/index.json"),
    () => {
      const entries = indexed().filter(({ proton }) => proton?.values !== undefined);

      for (const { file: name, proton } of entries) {
        expect(decodeValues(file(name)).map(toTypedJson), name).toEqual(proton?.values);
      }
      expect(entries.length).toBe(103);
    },
  );

  it("that are hostile are refused at once, whatever they claim", () => {
    const entries = lines("open/hostile.jsonl");

    for (const { id, hex: encoding, proton } of entries) {
      const bytes = hex(encoding);

      const result = outcome(bytes);

      if (id.startsWith("nest-") && proton === "accepts") expect(result, id).toBe("read");
      else expect(["DecodeFailed", "TruncatedPayload", "LimitExceeded"], id).toContain(result);
    }
    expect(entries).toHaveLength(ofVectors(41, 35));
  });

  it(
    "of the public fuzz corpora end in values or a SobreError, strict or lenient, typed or plain",
    needsVectors("amqp/index.json"),
    () => {
      const entries = indexed();

      for (const { file: name } of entries) {
        for (const lenient of [false, true]) {
          for (const mode of ["typed", "plain"] as const)
            expect(outcomeOf(() => decodeValues(file(name), { lenient, mode }))).toBeDefined();
        }
      }
      expect(entries.length).toBe(896);
    },
  );
});

function outcome(bytes: Uint8Array): string {
  return outcomeOf(() => decodeValue(bytes));
}

/** The code of the error, or that there was none; any error but a SobreError fails the test. */
function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    if (error instanceof SobreError) return error.code;
    throw error;
  }
}
