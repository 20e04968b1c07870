import type { CompatibilityResult } from "../../src/contract/index.ts";
import { dialectOf } from "../../src/contract/json-schema/dialect.ts";
import { PairComparison } from "../../src/contract/json-schema/pair-comparison.ts";
import { compileJudge } from "../../src/core/json-schema/ajv.ts";
import { replayProtobuf } from "./contract/proto-witness.ts";
import {
  agreementOf,
  examine,
  formatsOf,
  type LabelledPair,
  pairsOf,
  readErrata,
  undecidedOf,
  type Score,
  schemaOf,
  scoreOf,
  type Suite,
  suites,
  tableOf,
} from "../contract/suites.support.ts";

/**
 * The examination: agreement with other tools' labels, every breaking verdict replayed by ajv, and no safe verdict that ajv
 * refutes with any of the values that both schemas tell apart.
 *
 * @throws Error when a figure is missed.
 */
export async function prove(): Promise<string> {
  const errata = readErrata();
  const scores: Score[] = [];
  let replayed = 0;
  let sampled = 0;
  let bytes = 0;
  for (const suite of suites) {
    const pairs = pairsOf(suite.name);
    scores.push(await scoreOf(suite, pairs));
    for (const pair of pairs) {
      const result = await examine(pair, suite);
      if (result === "error") continue;
      if (suite.options.format === "protobuf") {
        if (result.verdict === "breaking")
          bytes += replayProtobuf(schemaOf(pair, "old"), schemaOf(pair, "new"), result);
        continue;
      }
      if (result.verdict === "breaking") replayed += replay(pair, result, suite);
      if (result.verdict === "safe") sampled += refute(pair);
    }
  }
  console.log(tableOf(scores, errata));
  const missed = scores.flatMap((score) => shortfalls(score, errata));
  if (missed.length > 0) throw new Error(missed.join("; "));
  return `${scores.reduce((sum, { pairs }) => sum + pairs, 0)} pairs examined, ${replayed} witnesses replayed by ajv and ${bytes} by protobufjs, ${sampled} values could not refute a safe verdict`;
}

function shortfalls(score: Score, errata: Readonly<Record<string, string>>): readonly string[] {
  const { suite, pairs, disagreed, unproven } = score;
  const listed = [...disagreed, ...unproven].filter((id) => Object.hasOwn(errata, id)).length;
  return [
    ...(agreementOf(score, errata) < suite.agreement ? [`${suite.name}: agreement`] : []),
    ...(undecidedOf(score, errata) > suite.unproven ? [`${suite.name}: unproven`] : []),
    ...(listed > pairs * 0.05 ? [`${suite.name}: ${listed} errata`] : []),
  ];
}

/** Judges with formats as annotations, as the specification has it by default, or asserted as the suite says. */
function judge(schema: unknown): ((value: unknown) => boolean | undefined) | undefined {
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null)) return undefined;
  const dialect = dialectOf(schema);
  // Draft-04 is not ajv's.
  if (dialect === "draft-04" || dialect === "draft-06") return undefined;
  try {
    const validate = compileJudge(typeof schema === "boolean" ? schema : { ...schema, $schema: undefined }, {
      dialect,
      formats: {},
      pattern: (source) => new RegExp(source, "u"),
    });
    return (value) => {
      try {
        return validate(value).length === 0;
      } catch {
        // ajv recurses without end where a schema leads back to the value it is applied to.
        return undefined;
      }
    };
  } catch {
    return undefined;
  }
}

function replay(pair: LabelledPair, result: CompatibilityResult, { options }: Suite): number {
  // A warning breaks nothing, so that nothing shows it.
  const findings = result.findings.filter(({ severity }) => severity !== "warning");
  const [writer, reader] = [judge(schemaOf(pair, "old")), judge(schemaOf(pair, "new"))];
  if (findings.some(({ witness }) => witness === undefined))
    throw new Error(`${pair.id} is breaking without a witness`);
  // Formats mean nothing to these judges.
  if (writer === undefined || reader === undefined || (formatsOf(pair).formats ?? options.formats) === "assertion")
    return 0;
  for (const { witness } of findings)
    if (writer(witness?.value) === false || reader(witness?.value) === true)
      throw new Error(`${pair.id}: ajv does not replay ${JSON.stringify(witness?.value)}`);
  return findings.length;
}

/** Values the writer may send, of every kind that the schemas tell apart, must be valid for the reader. */
function refute(pair: LabelledPair): number {
  const comparison = {
    writer: schemaOf(pair, "old"),
    reader: schemaOf(pair, "new"),
    declared: false,
    formats: "annotation",
    budget: 2_000_000,
  } as const;
  const [writer, reader] = [judge(comparison.writer), judge(comparison.reader)];
  if (writer === undefined || reader === undefined) return 0;
  const values = new PairComparison(comparison, { siblings: false }).samples();
  for (const value of values) {
    if (writer(value) === true && reader(value) === false)
      throw new Error(`${pair.id} is called safe, and ajv refutes it with ${JSON.stringify(value)}`);
  }
  return values.length;
}
