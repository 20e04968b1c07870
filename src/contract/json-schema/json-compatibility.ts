import { SobreError } from "../../errors/index.ts";
import { metaSchema } from "../../validation/index.ts";
import type { CompatibilityOptions } from "../options.ts";
import type { CompatibilityResult, Finding } from "../verdict.ts";
import { rowsOf, witnessOf } from "../witness.ts";
import { compareWithin, samplesWithin } from "./bounded-comparison.ts";
import type { Compared, Comparison, Refused } from "./comparison.ts";
import { explain } from "./findings.ts";
import { toNative } from "./native-values.ts";
import { PairComparison } from "./pair-comparison.ts";
import { schemaPlace } from "./place.ts";
import { SchemaDocument } from "./schema-document.ts";

/** Which of the two versions writes; the other one reads. */
export type Writing = "older" | "newer";

/** Compares two JSON Schemas in one direction. */
export async function jsonCompatibility(
  older: unknown,
  newer: unknown,
  writing: Writing,
  options: CompatibilityOptions,
): Promise<CompatibilityResult> {
  const comparison: Comparison = {
    writer: writing === "older" ? older : newer,
    reader: writing === "older" ? newer : older,
    declared: (options.contentModel ?? "declared-writer") !== "as-written",
    formats: options.formats ?? "either",
    budget: options.budget ?? 2000,
  };
  const compared =
    options.contentModel === "upcast" ? await afterUpcast(comparison, options) : await compareWithin(comparison);
  const codecs = options.codecs ?? [];
  const document = new SchemaDocument(comparison.writer, "writer", metaSchema);
  const native = (value: unknown): unknown => toNative(document, value);
  const findings = compared.refused.map((refused): Finding => {
    const refusal = `#${pointerOf(refused.schemaPath)}`;
    const place = schemaPlace(comparison.writer, refused.instancePath);
    return {
      ...explain(refused),
      olderPointer: writing === "older" ? place : refusal,
      newerPointer: writing === "older" ? refusal : place,
      writer: writing,
      instancePointer: refused.instancePath,
      witness: witnessOf(refused.value, `${refused.instancePath || "/"}: ${refused.message}`, {
        codecs,
        toNative: native,
      }),
    };
  });
  return {
    verdict: compared.verdict,
    findings,
    ...(compared.trace === undefined ? {} : { trace: compared.trace }),
    ...(compared.verdict === "unproven" ? { tried: compared.tried } : {}),
    suppositions: [`${writing} writes`, ...compared.suppositions],
    rows: rowsOf(compared.verdict, findings, codecs),
  };
}

/** What an upcaster makes of samples must be valid; no number of samples proves it. */
async function afterUpcast(comparison: Comparison, { upcast }: CompatibilityOptions): Promise<Compared> {
  if (upcast === undefined) throw new SobreError("InvalidArgument", 'contentModel "upcast" needs the option upcast.');
  const suppositions = [
    `formats: ${comparison.formats}`,
    "writers send declared members only",
    "readers see what the upcaster makes",
  ];
  const unproven = (why: string): Compared => ({ verdict: "unproven", refused: [], tried: [why], suppositions });
  const deadline = performance.now() + comparison.budget;
  const samples = await samplesWithin(comparison).catch((error: unknown) => {
    if (error instanceof SobreError && error.code === "LimitExceeded") return [];
    throw error;
  });
  if (samples.length === 0) return unproven("no message of the writer was found within the budget");
  const pair = new PairComparison(comparison, { siblings: false, deadline });
  const refused: Refused[] = [];
  for (const [at, value] of samples.entries()) {
    if (performance.now() > deadline && refused.length === 0 && at > 0)
      return unproven(`the upcaster made valid values of ${at} of ${samples.length} kinds of values within the budget`);
    const problem = await upcastProblem(pair, value, upcast);
    if (problem !== undefined && !refused.some(({ schemaPath }) => schemaPath === problem.schemaPath))
      refused.push(problem);
  }
  if (refused.length > 0) return { verdict: "breaking", refused, tried: [], suppositions };
  return unproven(
    `the upcaster made valid values of all ${samples.length} kinds of values that the schemas tell apart`,
  );
}

async function upcastProblem(
  pair: PairComparison,
  value: unknown,
  upcast: (value: unknown) => unknown,
): Promise<Refused | undefined> {
  try {
    return pair.refusalOf(value, await upcast(structuredClone(value)));
  } catch (error) {
    // What the writer may not send, as validators have it, is no matter of the upcaster's.
    if (!pair.isSent(value)) return undefined;
    const message = `is refused by the upcaster, which throws ${error instanceof Error ? error.name : typeof error}`;
    return { value, instancePath: "", schemaPath: "#", keyword: "upcast", params: {}, message };
  }
}

function pointerOf(schemaPath: string): string {
  return schemaPath.slice(schemaPath.indexOf("#") + 1);
}
