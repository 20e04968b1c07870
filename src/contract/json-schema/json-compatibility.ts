import { defaultBudget, StepMeter } from "../meter.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Codec } from "../../core/codec/codec.ts";
import type { CompatibilityOptions } from "../options.ts";
import { type CodecRow, type CompatibilityResult, type Finding, worst } from "../verdict.ts";
import { hashed, hasNativeValues, rowsOf, sha256, witnessOf } from "../witness.ts";
import { chooseSamplesWithin, compareWithin, samplesWithin } from "./bounded-comparison.ts";
import type { Compared, SchemaComparison, RefusedWitness } from "./compared.ts";
import { type Explained, explain } from "./findings.ts";
import { boundarySamples } from "./samples/boundary-samples.ts";
import { CarriedValues } from "./samples/carried-values.ts";
import { canonicalJson, unjsonPart } from "./json-value.ts";
import { isSameMeaning } from "./meaning.ts";
import { lostMark, type LostMark, nativeChange, withMarked } from "./native-changes.ts";
import { toNative } from "./samples/native-values.ts";
import { PairComparison } from "./pair-comparison.ts";
import { schemaPlace } from "./place.ts";
import { type RenamedMember, renamedMembers } from "./renamed-members.ts";
import { SchemaDocument } from "./schema-document.ts";

/** Which of the two versions writes; the other one reads. */
export type WriterVersion = "older" | "newer";

/** Compares two JSON Schemas in one direction. */
export async function jsonCompatibility(
  older: unknown,
  newer: unknown,
  writing: WriterVersion,
  options: CompatibilityOptions,
): Promise<CompatibilityResult> {
  for (const [schema, version] of [
    [older, "older"],
    [newer, "newer"],
  ] as const) {
    const part = unjsonPart(schema);
    if (part === undefined) continue;
    throw new SobreError(
      "InvalidArgument",
      `The ${version} JSON Schema has a value that JSON lacks at #${part}. Pass plain JSON, e.g. from JSON.parse.`,
      { path: `#${part}` },
    );
  }
  const comparison: SchemaComparison = {
    writer: writing === "older" ? older : newer,
    reader: writing === "older" ? newer : older,
    declared: (options.contentModel ?? "declared-writer") !== "as-written",
    formats: options.formats ?? "either",
    budget: options.budget ?? defaultBudget,
  };
  const isUpcast = options.contentModel === "upcast";
  const compared = isUpcast ? await afterUpcast(comparison, options) : await compareWithin(comparison);
  const codecs = options.codecs ?? [];
  const document = new SchemaDocument(comparison.writer, "writer");
  const native = (value: unknown): unknown => toNative(document, value);
  const { refused: breaks, warned = [] } = compared;
  const renamed = isUpcast ? [] : renamedBetween(document, comparison);
  const findings = [...breaks, ...warned].map((refused): Finding => {
    const refusal = refused.keyword.startsWith("upcast") ? "#" : `#${pointerOf(refused.schemaPath)}`;
    const place = schemaPlace(comparison.writer, refused.instancePath);
    const witness = witnessOf(refused.value, outcomeOf(refused), { codecs, toNative: native });
    const hash = refused.identity === undefined ? witness.hash : sha256(refused.identity);
    return hashed({
      ...withGuess(explain(refused), refused, { renamed, writing }),
      olderPointer: writing === "older" ? place : refusal,
      newerPointer: writing === "older" ? refusal : place,
      writer: writing,
      instancePointer: refused.instancePath,
      ...(breaks.includes(refused) ? {} : { severity: "warning" }),
      witness: { ...witness, hash },
    });
  });
  const isFirst = writing === "older" || options.direction === "forward";
  const result: CompatibilityResult = {
    verdict: compared.verdict,
    findings: [...findings, ...(isFirst ? renamedFindings(renamed, writing) : [])],
    ...(compared.rest === undefined ? {} : { rest: compared.rest }),
    ...(compared.trace === undefined ? {} : { trace: compared.trace }),
    ...(compared.verdict === "unproven" || compared.verdict === "tested" ? { tried: compared.tried } : {}),
    assumptions: [`${writing} writes`, ...compared.assumptions],
    rows: rowsOf(compared.verdict, findings, codecs),
  };
  return isUpcast || compared.verdict === "breaking"
    ? result
    : withNativeTypes(result, comparison, { writing, codecs });
}

function renamedBetween(document: SchemaDocument, { writer, reader }: SchemaComparison): readonly RenamedMember[] {
  if (isSameMeaning(writer, reader)) return [];
  return renamedMembers(document, new SchemaDocument(reader, "reader"));
}

/** The explanation of a refused member with the one that may have taken its place, or whose place it may have taken. */
function withGuess(
  explained: Explained,
  { schemaPath, params }: RefusedWitness,
  { renamed, writing }: { readonly renamed: readonly RenamedMember[]; readonly writing: WriterVersion },
): Explained {
  const member = params["additionalProperty"] ?? params["unevaluatedProperty"];
  const guess = renamed.find(({ before, refusedBy }) => before === member && refusedBy.includes(pointerOf(schemaPath)));
  if (guess === undefined) return explained;
  const other = `${writing === "older" ? "to" : "from"} ${JSON.stringify(guess.after)}`;
  const sentence = explained.message.replace(/\.$/, "");
  return { ...explained, message: `${sentence}, perhaps renamed ${other}, which has the same schema.` };
}

/** Warnings about members that the reader ignores; in a comparison of both directions they are given once. */
function renamedFindings(renamed: readonly RenamedMember[], writing: WriterVersion): readonly Finding[] {
  const ignored = renamed.filter(({ refusedBy }) => refusedBy.length === 0);
  return ignored.map(({ before, after, writerPointer, readerPointer }) => {
    const [sent, read] = [`#${writerPointer}`, `#${readerPointer}`];
    const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
    return hashed({
      code: "member-renamed",
      severity: "warning",
      message: `The reader ignores the member ${old}, perhaps renamed to ${now}, which has the same schema.`,
      repair: `Declare ${old} as well and read both, or ignore this code in the policy if ${now} is another member.`,
      olderPointer: writing === "older" ? sent : read,
      newerPointer: writing === "older" ? read : sent,
      writer: writing,
      instancePointer: "",
    });
  });
}

/** The result extended by what codecs with more types than JSON do to values that only the writer's schema marks. */
async function withNativeTypes(
  result: CompatibilityResult,
  comparison: SchemaComparison,
  { writing, codecs }: { readonly writing: WriterVersion; readonly codecs: readonly Codec[] },
): Promise<CompatibilityResult> {
  const [writer, reader] = [
    new SchemaDocument(comparison.writer, "writer"),
    new SchemaDocument(comparison.reader, "reader"),
  ];
  const isConcerned = ({ name }: Codec): boolean => lost?.kind === "integer" || hasNativeValues(name);
  if (codecs.length === 0 || isSameMeaning(comparison.writer, comparison.reader)) return result;
  const lost = lostMark(writer, reader, new StepMeter(comparison.budget));
  if (lost === undefined || !codecs.some(isConcerned)) return result;
  const samples = lost.kind === "integer" ? [] : await messagesOf(comparison, lost);
  const [change] = samples.flatMap((sample) => nativeChange(writer, reader, sample) ?? []);
  const why = `${lost.instancePointer || "/"}: the writer's schema says ${markTexts[lost.kind]}, and the reader's does not`;
  const verdict = change === undefined ? worst([result.verdict, "unproven"]) : "breaking";
  const rows = result.rows.map((row, at): CodecRow => {
    const codec = codecs[at];
    if (codec === undefined || !isConcerned(codec)) return row;
    return { ...row, verdict, reason: change?.outcome ?? why };
  });
  const { trace: _, tried = [], ...rest } = result;
  if (change === undefined) return { ...rest, verdict, rows, tried: [...tried, why] };
  const { pointer, value, sent, what, outcome } = change;
  const [place, other] = [schemaPlace(comparison.writer, pointer), schemaPlace(comparison.reader, pointer)];
  const finding = hashed({
    code: "native-type-lost",
    message: `${pointer || "/"} is ${what} in ${codecs
      .filter(isConcerned)
      .map(({ name }) => name)
      .join(" and ")}, and the reader's schema wants none there.`,
    repair: "Keep contentEncoding, format or pattern, which say what codecs with more types than JSON carry there.",
    olderPointer: writing === "older" ? place : other,
    newerPointer: writing === "older" ? other : place,
    writer: writing,
    instancePointer: pointer,
    witness: witnessOf(value, outcome, { codecs: codecs.filter(isConcerned), toNative: () => sent }),
  });
  return { ...rest, verdict, rows, findings: [...result.findings, finding] };
}

/** Messages of the writer, if possible including one with a marked value; none if none is found in time. */
async function messagesOf(comparison: SchemaComparison, lost: LostMark): Promise<readonly unknown[]> {
  try {
    const chosen = await chooseSamplesWithin({ ...comparison, reader: comparison.writer });
    const found = [...Object.values(chosen ?? {}), ...(await samplesWithin(comparison))];
    const pair = new PairComparison(comparison, { siblings: false });
    const marked = found.map((sample) => withMarked(sample, lost)).filter((sample) => pair.isSent(sample));
    return [...found, ...marked];
  } catch (error) {
    if (error instanceof SobreError && error.code === "LimitExceeded") return [];
    throw error;
  }
}

const markTexts = {
  bytes: "that a string stands for bytes",
  instant: "that a string stands for a time",
  int64: "that a string stands for a 64-bit integer",
  integer: "that integers have 64 bits, beyond what a number holds",
} as const;

/** Searches for a message that the upcaster turns into an invalid one; no number of samples is a proof. */
async function afterUpcast(comparison: SchemaComparison, { upcast }: CompatibilityOptions): Promise<Compared> {
  if (upcast === undefined) throw new SobreError("InvalidArgument", 'contentModel "upcast" needs the option upcast.');
  const assumptions = [
    `formats: ${comparison.formats}`,
    "writers send declared members only",
    "readers see what the upcaster makes",
  ];
  const unproven = (why: string): Compared => ({ verdict: "unproven", refused: [], tried: [why], assumptions });
  const samples = await samplesWithin(comparison).catch((error: unknown) => {
    if (error instanceof SobreError && error.code === "LimitExceeded") return [];
    throw error;
  });
  if (samples.length === 0) return unproven("no message of the writer was found within the budget");
  const pair = new PairComparison(comparison, { siblings: false });
  const refused: RefusedWitness[] = [];
  const warned: RefusedWitness[] = [];
  const meter = new StepMeter(comparison.budget);
  const boundaries = Array.from(boundarySamples(samples)).filter((value) => pair.isSent(value));
  const values = Array.from(
    new Map([...samples, ...boundaries].map((value) => [canonicalJson(value), value])).values(),
  );
  const carried = new CarriedValues(comparison);
  for (const [at, value] of values.entries()) {
    if (!meter.take(stepsOfUpcast) && refused.length === 0 && at > 0)
      return unproven(`the upcaster made valid values of ${at} of ${values.length} values within the budget`);
    const { problem, loss } = await upcastProblem({ pair, carried, upcast }, value);
    if (problem !== undefined && !refused.some(({ schemaPath }) => schemaPath === problem.schemaPath))
      refused.push(problem);
    if (loss !== undefined && !warned.some(({ schemaPath }) => schemaPath === loss.schemaPath)) warned.push(loss);
  }
  if (refused.length > 0) return { verdict: "breaking", refused, warned, tried: [], assumptions, rest: "tested" };
  const refusals = pair.patternRefusals();
  if (refusals.length > 0) return { verdict: "unproven", refused: [], warned, tried: refusals, assumptions };
  const tried = [
    `the upcaster made valid values of all ${values.length} values: every kind that the schemas distinguish, and boundaries of numbers and texts`,
  ];
  return { verdict: "tested", refused: [], warned, tried, assumptions };
}

/** The steps that one upcast and its validation count for. */
const stepsOfUpcast = 10_000;

async function upcastProblem(
  {
    pair,
    carried,
    upcast,
  }: {
    readonly pair: PairComparison;
    readonly carried: CarriedValues;
    readonly upcast: (value: unknown) => unknown;
  },
  value: unknown,
): Promise<{ readonly problem?: RefusedWitness; readonly loss?: RefusedWitness }> {
  try {
    const read: unknown = await upcast(structuredClone(value));
    const problem = pair.refusalOf(value, read);
    if (problem !== undefined) return { problem };
    const loss = carried.lossBetween(value, read);
    if (loss === undefined) return {};
    const { pointer, place, what } = loss;
    const schemaPath = `#${place} ${what}`;
    return { loss: { value, instancePath: pointer, schemaPath, keyword: "upcast loss", params: {}, message: what } };
  } catch (error) {
    // A value that the writer cannot send says nothing about the upcaster.
    if (!pair.isSent(value)) return {};
    const why = reasonOf(error);
    const message = `is refused by the upcaster, which throws ${why}`;
    return { problem: { value, instancePath: "", schemaPath: `#/${why}`, keyword: "upcast", params: {}, message } };
  }
}

/** The text of an error with its place and cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const own = error instanceof SobreError ? `${error.code}: ${error.message}` : `${error.name}: ${error.message}`;
  const place =
    error instanceof SobreError && error.path !== undefined && !own.includes(error.path) ? ` at ${error.path}` : "";
  return error.cause === undefined ? `${own}${place}` : `${own}${place} (${reasonOf(error.cause)})`;
}

function outcomeOf({ instancePath, message }: Pick<RefusedWitness, "instancePath" | "message">): string {
  return `${instancePath || "/"}: ${message}`;
}

function pointerOf(schemaPath: string): string {
  return schemaPath.slice(schemaPath.indexOf("#") + 1);
}
