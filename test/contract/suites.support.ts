import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ofVectors, vectors } from "../vectors.support.ts";
import { checkCompatibility, type CompatibilityOptions, type CompatibilityResult } from "../../src/contract/index.ts";

/** One pair of versions with another tool's label. */
export interface LabelledPair {
  readonly id: string;
  readonly old: unknown;
  readonly new: unknown;
  readonly compatible: boolean;
  readonly dialect?: string;
  readonly old_imports?: Readonly<Record<string, string | null>>;
  readonly new_imports?: Readonly<Record<string, string | null>>;
}

/** A suite with the policy its labels follow, and what the project asks of it. */
export interface Suite {
  readonly name: string;
  readonly options: Pick<CompatibilityOptions, "format" | "policy" | "formats">;
  /** Least agreement with the labels after errata, and most unproven or unreadable; fractions. */
  readonly agreement: number;
  readonly unproven: number;
}

/** The suites of the vectors folder. Apicurio's labels assert formats and contents; the others do not. */
const publicSuites: readonly Suite[] = [
  { name: "confluent-json", options: { format: "json-schema", formats: "either" }, agreement: 1, unproven: 0.01 },
  { name: "apicurio-json", options: { format: "json-schema", formats: "assertion" }, agreement: 0.99, unproven: 0 },
  { name: "karapace-json", options: { format: "json-schema", formats: "either" }, agreement: 0.73, unproven: 0 },
  { name: "ibm-subschema", options: { format: "json-schema", formats: "annotation" }, agreement: 0.965, unproven: 0 },
  { name: "jsoncompat", options: { format: "json-schema", formats: "either" }, agreement: 1, unproven: 0 },
  { name: "containment", options: { format: "json-schema", formats: "either" }, agreement: 0.96, unproven: 0.03 },
  { name: "confluent-proto", options: { format: "protobuf", policy: "wire" }, agreement: 0.9, unproven: 0 },
  { name: "karapace-proto", options: { format: "protobuf", policy: "wire" }, agreement: 0.8, unproven: 0 },
  { name: "apicurio-proto", options: { format: "protobuf", policy: "source" }, agreement: 1, unproven: 0 },
];

/** The pairs that were written for this project, with the labels that the specifications give them. */
const ownSuites: readonly Suite[] = [
  { name: "own-json", options: { format: "json-schema", formats: "annotation" }, agreement: 1, unproven: 0 },
  { name: "own-proto", options: { format: "protobuf", policy: "wire" }, agreement: 1, unproven: 0 },
];

/** The suites of the examination. */
export const suites: readonly Suite[] = ofVectors(publicSuites, ownSuites);

/** The pairs of a suite. */
export function pairsOf(name: string): readonly LabelledPair[] {
  const pairs: readonly LabelledPair[] = JSON.parse(
    readFileSync(join(vectors, "contracts", name, "open.json"), "utf8"),
  );
  return pairs;
}

/** A schema of a pair, with the dialect that the suite gives for it, and its imports. */
export function schemaOf(pair: LabelledPair, side: "old" | "new"): unknown {
  const schema = pair[side];
  const imports = side === "old" ? pair.old_imports : pair.new_imports;
  // The suite has no text for files that its own registry knows.
  if (imports !== undefined)
    return { ...Object.fromEntries(Object.entries(imports).filter(([, text]) => text !== null)), "main.proto": schema };
  if (pair.dialect === undefined || typeof schema !== "object" || schema === null) return schema;
  return { $schema: pair.dialect, ...schema };
}

/** The labels of the optional tests of formats assert formats and contents; all others of that suite take them as annotations. */
export function formatsOf({ id }: LabelledPair): Pick<CompatibilityOptions, "formats"> {
  if (!id.startsWith("containment/")) return {};
  return { formats: /\/optional\/(?:format|content)/.test(id) ? "assertion" : "annotation" };
}

/** The verdict on a pair as it is written; a schema that cannot be read is `error`. */
export async function examine(pair: LabelledPair, { options }: Suite): Promise<CompatibilityResult | "error"> {
  const [older, newer] = [schemaOf(pair, "old"), schemaOf(pair, "new")];
  try {
    return await checkCompatibility({ ...options, ...formatsOf(pair), older, newer, contentModel: "as-written" });
  } catch {
    return "error";
  }
}

/** The result of a suite. */
export interface Score {
  readonly suite: Suite;
  readonly pairs: number;
  readonly agreed: number;
  readonly disagreed: readonly string[];
  readonly unproven: readonly string[];
  readonly errors: readonly string[];
  readonly milliseconds: readonly number[];
}

/** Examines every pair of a suite. */
export async function scoreOf(suite: Suite, pairs: readonly LabelledPair[]): Promise<Score> {
  const disagreed: string[] = [];
  const unproven: string[] = [];
  const errors: string[] = [];
  const milliseconds: number[] = [];
  let agreed = 0;
  for (const pair of pairs) {
    const start = performance.now();
    const result = await examine(pair, suite);
    milliseconds.push(performance.now() - start);
    if (result === "error") errors.push(pair.id);
    else if (result.verdict === "unproven") unproven.push(pair.id);
    else if ((result.verdict === "safe") === pair.compatible) agreed++;
    else disagreed.push(pair.id);
  }
  return { suite, pairs: pairs.length, agreed, disagreed, unproven, errors, milliseconds };
}

/** The entry of a label that is wrong or follows another policy: why, by id. */
export type Errata = Readonly<Record<string, string>>;

/**
 * The labels that the examination contradicts, at most one in twenty of a suite; verdicts on them carry their witness or proof.
 * Those of schemas that no service of ours takes are among them, which are unproven whatever the label says.
 */
export function readErrata(): Errata {
  const errata: Errata = JSON.parse(readFileSync(join(import.meta.dirname, "errata.json"), "utf8"));
  return errata;
}

/** The share of pairs that agree with their labels, or are errata. */
export function agreementOf({ pairs, agreed, disagreed, unproven }: Score, errata: Errata): number {
  return (agreed + [...disagreed, ...unproven].filter((id) => Object.hasOwn(errata, id)).length) / pairs;
}

/** The share of pairs that are unproven or cannot be read, errata left aside. */
export function undecidedOf({ pairs, unproven, errors }: Score, errata: Errata): number {
  return [...unproven, ...errors].filter((id) => !Object.hasOwn(errata, id)).length / pairs;
}

/** The table of scores. */
export function tableOf(scores: readonly Score[], errata: Errata): string {
  const rows = scores.map((score) => {
    const { suite, pairs, agreed, disagreed, unproven, milliseconds } = score;
    const median = milliseconds.toSorted((a, b) => a - b)[milliseconds.length >> 1] ?? 0;
    const listed = [...disagreed, ...unproven].filter((id) => Object.hasOwn(errata, id)).length;
    const cells = [suite.name, suite.options.formats ?? suite.options.policy ?? "", pairs, percent(agreed / pairs)];
    const more = [listed, percent(agreementOf(score, errata)), percent(undecidedOf(score, errata)), median.toFixed(2)];
    return [...cells, ...more].map(String);
  });
  const table = [
    ["suite", "policy", "pairs", "labels agreed", "errata", "after errata", "unproven", "median ms"],
    ...rows,
  ];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? [];
  return table.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")).join("\n");
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
