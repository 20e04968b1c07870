import { describe, expect, it } from "vitest";
import { decodeValue, encodeValue, fromTypedJson, toTypedJson } from "../../../codecs/amqp/index.ts";
import { hex, lines, vectors } from "./vectors.ts";

describe.skipIf(vectors === undefined)("the AMQP value vectors (skipped without SOBRE_VECTORS)", () => {
  it.each(["alt-encoding-values", "proton-values"])("reads and writes every value of %s with its types", (name) => {
    const entries = lines(`open/${name}.jsonl`);

    for (const { id, hex: encoding, value } of entries) {
      const decoded = decodeValue(hex(encoding));

      expect(toTypedJson(decoded), id).toEqual(value);
      expect(toTypedJson(fromTypedJson(value)), id).toEqual(value);
      expect(toTypedJson(decodeValue(encodeValue(fromTypedJson(value)))), id).toEqual(value);
      expect(toTypedJson(decodeValue(encodeValue(decoded))), id).toEqual(value);
    }
    expect(entries.length).toBeGreaterThan(290);
  });
});
