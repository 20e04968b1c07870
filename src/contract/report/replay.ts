import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkCompatibility } from "../check-compatibility.ts";
import { isObject } from "../json-schema/json-value.ts";
import { nativeChange } from "../json-schema/native-changes.ts";
import { PairComparison } from "../json-schema/pair-comparison.ts";
import type { CompatibilityOptions } from "../options.ts";
import { SchemaDocument } from "../json-schema/schema-document.ts";
import { defaultBudget } from "../meter.ts";
import type { Finding } from "../verdict.ts";
import { hashOf } from "../witness.ts";

/** A witness of a report with everything needed to replay it. */
export interface RecordedWitness {
  readonly value: unknown;
  readonly hash: string;
  /** Bytes in hex. */
  readonly encodings: readonly { readonly codec: string; readonly payload: string }[];
  /** The comparison, as options of `checkCompatibility`. */
  readonly compared: Pick<
    CompatibilityOptions,
    "format" | "older" | "newer" | "direction" | "contentModel" | "formats" | "policy"
  >;
}

/** Replays a witness: the reader's refusal today, or `undefined` when it accepts the message. */
export async function replay({
  value,
  hash,
  compared,
}: Omit<RecordedWitness, "encodings">): Promise<string | undefined> {
  if (compared.contentModel === "upcast")
    throw new SobreError("InvalidArgument", "A report does not contain the upcaster. Run the check again.");
  if (compared.format === "json-schema") return replayJson(value, compared) ?? replayNative({ value, hash, compared });
  const { findings } = await checkCompatibility(compared);
  return findings.find((finding: Finding) => finding.witness?.hash === hash)?.witness?.outcome;
}

/** Replays a witness of codecs with more types than JSON. */
function replayNative({ value, hash, compared }: Omit<RecordedWitness, "encodings">): string | undefined {
  const [older, newer] = [compared.older, compared.newer].map((schema) => new SchemaDocument(schema, "any"));
  if (older === undefined || newer === undefined) return undefined;
  const outcomes = [nativeChange(older, newer, value), nativeChange(newer, older, value)].map((one) => one?.outcome);
  // A difference in another codec does not concern a witness that shows something else.
  return outcomes.find((outcome) => outcome !== undefined && hashOf(value, outcome) === hash);
}

/** Lets ajv judge the value again, without any search. */
function replayJson(
  value: unknown,
  { older, newer, direction, formats }: RecordedWitness["compared"],
): string | undefined {
  const ways = [
    ...(direction === "forward" ? [] : [[older, newer] as const]),
    ...(direction === "forward" || direction === "full" ? [[newer, older] as const] : []),
  ];
  for (const [writer, reader] of ways)
    // In old drafts some validators ignore keywords next to $ref, and others apply them.
    for (const siblings of [false, true]) {
      const comparison = { writer, reader, declared: false, formats: formats ?? "either", budget: defaultBudget };
      const pair = new PairComparison(comparison, { siblings });
      const refusal = pair.refusalOf(value, value);
      if (refusal !== undefined) return `${refusal.instancePath || "/"}: ${refusal.message}`;
    }
  return undefined;
}

/** A witness and the pair of the report that it is in. */
export interface FoundWitness {
  readonly pair: Readonly<Record<string, unknown>>;
  readonly witness: RecordedWitness;
  /** Which version sends the message. */
  readonly writer: "older" | "newer";
}

/** The witness whose hash begins with the given text; `undefined` if there is none. */
export function witnessInReport(report: unknown, hash: string): FoundWitness | undefined {
  for (const pair of listOf(isObject(report) ? report["pairs"] : undefined)) {
    const { compared } = pair;
    for (const { witness, writer } of listOf(pair["findings"])) {
      if (!isObject(witness) || typeof witness["hash"] !== "string" || !witness["hash"].startsWith(hash)) continue;
      const encodings = listOf(witness["encodings"]).map(({ codec, payload }) => ({
        codec: String(codec),
        payload: String(payload),
      }));
      if (isCompared(compared))
        return {
          pair,
          witness: { value: witness["value"], hash: witness["hash"], encodings, compared },
          writer: writer === "newer" ? "newer" : "older",
        };
    }
  }
  return undefined;
}

function isCompared(value: unknown): value is RecordedWitness["compared"] {
  return isObject(value) && (value["format"] === "json-schema" || value["format"] === "protobuf");
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
