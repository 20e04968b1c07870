import { SobreError } from "../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../core/options/option-checks.ts";
import * as is from "../core/options/is.ts";
import { jsonCompatibility, type WriterVersion } from "./json-schema/json-compatibility.ts";
import type { CompatibilityOptions } from "./options.ts";
import { protobufCompatibility } from "./protobuf/protobuf-compatibility.ts";
import { type CompatibilityResult, worst } from "./verdict.ts";

/**
 * Checks whether versions of a schema can read each other's messages: `breaking` with a witness, `safe` with a checked
 * proof, or `unproven` with the attempts.
 *
 * Where lists of versions are given, every older version is compared with every newer one.
 *
 * @throws SobreError `InvalidArgument` for an invalid schema or option, `LimitExceeded` for a schema that is nested too
 * deeply.
 * @example
 * ```ts
 * const { verdict } = await checkCompatibility({
 *   format: "json-schema",
 *   older: { type: "object", properties: { id: { type: "integer" } } },
 *   newer: { type: "object", properties: { id: { type: "number" } } },
 * });
 * console.log(verdict); // safe
 * ```
 */
export async function checkCompatibility(options: CompatibilityOptions): Promise<CompatibilityResult> {
  checkOptions(options, optionChecks, { needed: ["format", "older", "newer"] });
  const { direction = "backward" } = options;
  const results: CompatibilityResult[] = [];
  for (const older of versionsOf(options.older))
    for (const newer of versionsOf(options.newer))
      for (const writing of writings[direction]) results.push(await comparePair(older, newer, writing, options));
  return joinedResults(results);
}

const requiredSchema = (value: unknown): string | undefined =>
  value === undefined ? "must be a schema, or a list of versions" : undefined;

const optionChecks: OptionChecks<CompatibilityOptions> = {
  format: is.oneOf("json-schema", "protobuf"),
  older: requiredSchema,
  newer: requiredSchema,
  direction: is.oneOf("backward", "forward", "full"),
  contentModel: is.oneOf("declared-writer", "as-written", "upcast"),
  policy: is.oneOf("json", "wire", "source"),
  formats: is.oneOf("either", "annotation", "assertion"),
  codecs: is.listOf("codecs", is.codec),
  upcast: is.aFunction,
  type: is.name,
  typeName: is.oneOf("travels", "agreed"),
  budget: is.countFrom(0),
};

async function comparePair(
  older: unknown,
  newer: unknown,
  writing: WriterVersion,
  options: CompatibilityOptions,
): Promise<CompatibilityResult> {
  switch (options.format) {
    case "json-schema":
      return jsonCompatibility(older, newer, writing, options);
    case "protobuf":
      return protobufCompatibility(older, newer, writing, options);
    default:
      return options.format satisfies never;
  }
}

const writings: Readonly<Record<NonNullable<CompatibilityOptions["direction"]>, readonly WriterVersion[]>> = {
  backward: ["older"],
  forward: ["newer"],
  full: ["older", "newer"],
};

function versionsOf(versions: unknown): readonly unknown[] {
  if (!Array.isArray(versions)) return [versions];
  if (versions.length > 0) return versions;
  throw new SobreError("InvalidArgument", "A list of versions must not be empty.");
}

function joinedResults(results: readonly CompatibilityResult[]): CompatibilityResult {
  const [first] = results;
  if (results.length === 1 && first !== undefined) return first;
  const trace = results.flatMap((result, at) => (result.trace ?? []).map((line) => `pair ${at + 1}: ${line}`));
  const tried = results.flatMap((result) => result.tried ?? []);
  const verdict = worst(results.map((result) => result.verdict));
  const names = new Set(results.flatMap(({ rows }) => rows.map(({ codec }) => codec)));
  return {
    verdict,
    findings: results.flatMap(({ findings }) => findings),
    ...(verdict === "breaking" ? { rest: worst(results.map((result) => result.rest ?? result.verdict)) } : {}),
    ...(verdict === "safe" ? { trace } : {}),
    ...(verdict === "unproven" || verdict === "tested" ? { tried } : {}),
    assumptions: Array.from(new Set(results.flatMap(({ assumptions }) => assumptions))),
    rows: Array.from(names, (codec) => {
      const rows = results.flatMap((result) => result.rows.filter((row) => row.codec === codec));
      const own = worst(rows.map((row) => row.verdict));
      return { codec, verdict: own, reason: rows.find((row) => row.verdict === own)?.reason ?? "" };
    }),
  };
}
