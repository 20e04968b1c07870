import type { Codec } from "../../codec/index.ts";
import { checkCompatibility } from "../check-compatibility.ts";
import type { CompatibilityResult } from "../verdict.ts";
import type { VersionPair } from "./subject-pairs.ts";

/** A pair with its verdict. */
export interface CheckedPair extends VersionPair {
  readonly result: CompatibilityResult;
}

/**
 * Compares a pair by its subject's policy; `codecs` are those whose bytes carry witnesses.
 *
 * @throws SobreError `InvalidArgument` when a schema cannot be read.
 */
export async function checkPair(pair: VersionPair, codecs: readonly Codec[]): Promise<CheckedPair> {
  const { subject, older, newer, direction } = pair;
  const { contentModel, formats, policy } = subject;
  const result = await checkCompatibility({
    format: newer.format,
    older: older.schema,
    newer: newer.schema,
    direction,
    // The command knows no upcasters.
    contentModel: contentModel === "upcast" ? "declared-writer" : contentModel,
    formats,
    policy,
    codecs: codecs.filter(({ name }) => subject.codecs.length === 0 || subject.codecs.includes(name)),
  });
  return { ...pair, result };
}
