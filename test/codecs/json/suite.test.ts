import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { parseContentType } from "../../../src/core/content-type/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { needsVectors, vectors } from "../../vectors.support.ts";

const codec = json();

/** The code of the refusal, or `read`. */
function outcomeOf(payload: Uint8Array): string {
  try {
    codec.decode(payload, {
      contentType: parseContentType("application/json"),
      applicationProperties: {},
      bodyKind: "data",
      limits: defaultDecodeLimits,
    });
    return "read";
  } catch (error) {
    if (error instanceof SobreError) return error.code;
    throw error;
  }
}

describe("JSONTestSuite", needsVectors("suites/json-test-suite"), () => {
  const folder = join(vectors, "suites/json-test-suite/test_parsing");
  const outcomes = (prefix: string): ReadonlyMap<string, string> =>
    new Map(
      readdirSync(folder)
        .filter((name) => name.startsWith(prefix))
        .map((name) => [name, outcomeOf(new Uint8Array(readFileSync(join(folder, name))))]),
    );

  it("has every valid text accepted", () => {
    const read = outcomes("y_");

    expect(read.size).toBe(95);
    expect([...read].filter(([, outcome]) => outcome !== "read")).toEqual([]);
  });

  it("has every invalid text refused", () => {
    const refused = outcomes("n_");

    expect(refused.size).toBe(188);
    expect([...refused].filter(([, outcome]) => outcome === "read")).toEqual([]);
  });

  it("has a decision for every text that parsers may treat as they like", () => {
    const refused = [...outcomes("i_")].filter(([, outcome]) => outcome !== "read");

    expect(Object.fromEntries(refused)).toEqual({
      // Beyond 1.8e308, where JSON.parse silently gives Infinity.
      "i_number_huge_exp.json": "DecodeFailed",
      "i_number_neg_int_huge_exp.json": "DecodeFailed",
      "i_number_pos_double_huge_exp.json": "DecodeFailed",
      "i_number_real_neg_overflow.json": "DecodeFailed",
      "i_number_real_pos_overflow.json": "DecodeFailed",
      // Not UTF-8.
      "i_string_UTF-8_invalid_sequence.json": "DecodeFailed",
      "i_string_UTF8_surrogate_U+D800.json": "DecodeFailed",
      "i_string_invalid_utf-8.json": "DecodeFailed",
      "i_string_iso_latin_1.json": "DecodeFailed",
      "i_string_lone_utf8_continuation_byte.json": "DecodeFailed",
      "i_string_not_in_unicode_range.json": "DecodeFailed",
      "i_string_overlong_sequence_2_bytes.json": "DecodeFailed",
      "i_string_overlong_sequence_6_bytes.json": "DecodeFailed",
      "i_string_overlong_sequence_6_bytes_null.json": "DecodeFailed",
      "i_string_truncated-utf-8.json": "DecodeFailed",
      // Deeper than 128 levels.
      "i_structure_500_nested_arrays.json": "LimitExceeded",
    });
  });
});
