import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type CheckReport, isPassed } from "../../contract/report/check-report.ts";
import type { ReportFormat } from "../../contract/report/report-format.ts";
import { formatReport } from "../../contract/report/format-report.ts";
import { readGolden } from "../../contract/golden/golden-message.ts";
import { unreadByTypes } from "../../contract/golden/typed-golden.ts";
import { type CheckedPair, checkPair, compatibilityOf } from "../../contract/subjects/checked-pair.ts";
import { codeDifferences } from "../../contract/subjects/code-check.ts";
import { brokenLocks, parseLock } from "../../contract/subjects/lock.ts";
import { subjectsIn, unknownDeployed } from "../../contract/subjects/deployments.ts";
import { type Subject, subjectOf, subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { misspeltKeywords } from "../../contract/subjects/misspelt-keywords.ts";
import { goldenChanges, subjectChanges, type SubjectFinding } from "../../contract/subjects/subject-changes.ts";
import { pairsWithin, pairsWithOthers, pairsWithPast } from "../../contract/subjects/subject-pairs.ts";
import { majorOf } from "../../contract/subjects/subject-version.ts";
import { upcastBy } from "../../contract/subjects/upcast-by.ts";
import { applyWaivers, parseWaivers, schemasHash, waiverChanges } from "../../contract/subjects/waivers.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { type Other, readOther } from "./against.ts";
import { versionSerializer, witnessCodecs } from "./codecs.ts";
import { deployedIn, readIfThere, readText } from "./files.ts";
import { type LabelledPair, registeredPairs } from "./registry.ts";
import { draftsOf, isSchemaFile, typesOf } from "./sources.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";
import { nextVersion } from "../../contract/next-version.ts";
import type { CompatibilityOptions } from "../../contract/options.ts";
import { parseSchemaText } from "../../contract/subjects/subject-files.ts";

/** Options of `sobre contract check`. */
export interface CheckCommand {
  /** Folder of the subjects. */
  readonly schemas: string;
  /** Folder of the golden messages. Default: `fixtures/contracts`. */
  readonly fixtures?: string;
  /** `git:REF`, a folder, `lock`, or an installed package; without it versions are compared among themselves. */
  readonly against?: string;
  readonly format: ReportFormat;
  /** Whether `unproven` fails. */
  readonly strict?: boolean;
  /** A module that exports message types: the code that must agree with the files, and its upcasters. */
  readonly types?: string;
  /** A module of schemas, or a .json or .proto file, that must agree with the files. */
  readonly from?: string;
  /** Name of the subject of `from`. */
  readonly subject?: string;
  /** Steps for each pair. Default: 10,000,000. */
  readonly budget?: number;
  /** The URL of a schema registry to compare with. */
  readonly registry?: string;
  /** An environment whose deployments say what is in flight. */
  readonly env?: string;
  /** The deployments: a file, or a URL. */
  readonly file?: string;
}

/** Checks the subjects of a folder; resolves to the exit code. */
export async function checkContracts(command: CheckCommand, terminal: Terminal): Promise<number> {
  if (command.registry !== undefined && command.against !== undefined)
    throw new Misuse("--registry and --against exclude each other");
  const { report, subjects } = await reportOf(command, terminal);
  for (const note of unknownCodecs(report)) terminal.err(`sobre: ${note}\n`);
  await terminal.out(formatReport(report, command.format));
  if (report.pairs.length === 0 && !hasErrors(report)) {
    const isChecked = command.against === "lock" && report.locked > 0;
    const { isFailure, why } = nothingCompared(command, subjects);
    if (!isChecked) terminal.err(`sobre: no pair of versions was checked: ${why}.\n`);
    if (!isChecked && isFailure) return contractExitCodes.misuse;
  }
  return exitCodeOf(report);
}

/** Why no pair was checked, and whether that is a failure: a subject with a single version is not one. */
function nothingCompared(
  { schemas, against, types, from }: CheckCommand,
  subjects: readonly Subject[],
): { readonly isFailure: boolean; readonly why: string } {
  const versions = subjects.reduce((sum, subject) => sum + subject.versions.length, 0);
  if (versions === 0) return { isFailure: true, why: `${schemas} has no version of a subject` };
  const isFailure = against !== undefined && !against.startsWith("git:") && types === undefined && from === undefined;
  const apart = `${against} has no version of these subjects`;
  return { isFailure, why: against === undefined ? "no two versions of a subject meet yet" : apart };
}

/** A misspelt codec would otherwise have no row, without an error. */
function unknownCodecs({ pairs }: CheckReport): ReadonlySet<string> {
  const known = [...witnessCodecs().map(({ name }) => name), "protobuf"];
  const notes = pairs.flatMap(({ subject }) =>
    subject.codecs
      .filter((codec) => !known.includes(codec))
      .map(
        (codec) =>
          `${subject.name}: unknown codec \`${codec}\`, so it has no row. Expected one of: ${known.join(", ")}`,
      ),
  );
  return new Set(notes);
}

async function reportOf(
  command: CheckCommand,
  terminal: Terminal,
): Promise<{ readonly report: CheckReport; readonly subjects: readonly Subject[] }> {
  const { schemas: folder, against, fixtures = "fixtures/contracts", strict = false } = command;
  // git leaves no folder where the only subject was deleted.
  const listed = against !== undefined && !existsSync(folder) ? [] : subjectsOfFolder(folder);
  const deployed = command.env === undefined ? undefined : await deployedIn(command.env, command.file);
  const subjects = deployed === undefined ? listed : subjectsIn(listed, deployed);
  const other =
    against === undefined || against === "lock" ? undefined : readOther(against, { schemas: folder, fixtures });
  const types = await typesOf(command.types);
  const checked: CheckedPair[] = [];
  const upcast = types.length === 0 ? undefined : upcastBy(types);
  const pairs =
    command.registry === undefined
      ? pairsOf(subjects, against, other)
      : await registeredPairs(command.registry, subjects, terminal);
  for (const { registry, ...pair } of pairs) {
    const one = withNextVersion(await checkPair(pair, { codecs: witnessCodecs(), upcast, budget: command.budget }));
    checked.push(registry === undefined ? one : { ...one, registry });
  }
  const locked = readIfThere(folder, "lock.json", parseLock);
  if (against === "lock" && locked === undefined) throw new Misuse(`${join(folder, "lock.json")}: no such file`);
  const lock = locked ?? {};
  const waivers = readIfThere(folder, "waivers.json", parseWaivers) ?? [];
  const found = [
    ...(other === undefined || other.isElsewhere ? [] : changesSince(other, subjects)),
    ...(await codeFindings(command, subjects, types)),
    ...misspeltKeywords(subjects),
  ];
  const today = new Date().toISOString().slice(0, 10);
  const hashes = new Set([
    ...checked.flatMap((pair) => [schemasHash(pair), ...pair.result.findings.map(({ hash }) => hash)]),
    ...found.map(({ hash }) => hash),
  ]);
  const changes = [...found, ...waiverChanges(waivers, other?.waivers ?? [], { today, hashes })];
  const waived = applyWaivers({ pairs: checked, changes }, waivers, { today, against });
  const unknown = deployed === undefined ? [] : unknownDeployed(subjects, undefined, deployed);
  const problems = [...brokenLocks(subjects, lock), ...waived.problems, ...unknown];
  const report = { ...waived, problems, locked: Object.keys(lock).length, folder, strict };
  return { report, subjects };
}

/** The pair with the suggestion of a new major, where a version of ours breaks its own. */
function withNextVersion(pair: CheckedPair): CheckedPair {
  const { subject, older, newer, result } = pair;
  const isOurs = subject.versions.includes(newer) && majorOf(older.version) === majorOf(newer.version);
  return isOurs && result.verdict === "breaking" ? { ...pair, nextVersion: "major" } : pair;
}

function pairsOf(
  subjects: readonly Subject[],
  against: string | undefined,
  other: Other | undefined,
): readonly LabelledPair[] {
  if (against === undefined) return subjects.flatMap(pairsWithin);
  if (other === undefined) return [];
  return other.isElsewhere ? pairsWithOthers(subjects, other.subjects) : pairsWithPast(subjects, other.subjects);
}

function changesSince(other: Other, subjects: readonly Subject[]): readonly SubjectFinding[] {
  return [...subjectChanges(subjects, other.subjects), ...goldenChanges(other.goldens)];
}

/** The differences between the code and the files, and the golden messages that the code does not read. */
async function codeFindings(
  { types: module, from, subject, fixtures = "fixtures/contracts" }: CheckCommand,
  subjects: readonly Subject[],
  types: readonly MessageType[],
): Promise<readonly SubjectFinding[]> {
  const drafts = [
    ...(module === undefined ? [] : (await draftsOf(module, {})).filter(({ major }) => major !== undefined)),
    ...(from === undefined ? [] : await draftsOf(from, { subject })),
  ];
  const typed =
    types.length > 0 || from === undefined || isSchemaFile(from) ? types : await typesOf(from).catch(() => []);
  const golden = typed.length === 0 ? [] : readGolden(fixtures);
  return [
    ...(await codeDifferences(drafts, subjects)),
    ...(await unreadByTypes(golden, typed, { subjects, serializerOf: versionSerializer })),
  ];
}

function hasErrors({ changes }: CheckReport): boolean {
  return changes.some(({ severity }) => severity === "error");
}

/** The exit code of a report. */
export function exitCodeOf(report: CheckReport): number {
  const isBroken = report.pairs.some(({ result }) => result.verdict === "breaking");
  if (isBroken || hasErrors(report) || report.problems.length > 0) return contractExitCodes.breaking;
  return report.strict && !report.pairs.every(isPassed) ? contractExitCodes.unproven : contractExitCodes.proven;
}

/** The options of `sobre contract compat`. */
export interface CompatCommand extends Omit<CompatibilityOptions, "format" | "older" | "newer"> {
  readonly format: ReportFormat;
  readonly strict?: boolean;
}

/** Compares two files; resolves to the exit code. */
export async function compareFiles(
  [older, newer]: readonly [string, string],
  { strict = false, format: reportFormat, ...rest }: CompatCommand,
  terminal: Terminal,
): Promise<number> {
  const isProto = newer.endsWith(".proto");
  if (older.endsWith(".proto") !== isProto)
    throw new Misuse(`${older} and ${newer} have different formats: both must be .proto files, or neither`);
  const format = isProto ? "protobuf" : "json-schema";
  const read = (file: string) => {
    const text = readText(file);
    const schema = isProto ? text : parseSchemaText(text, file);
    return { version: basename(file), file, text, parts: [], format, schema } as const;
  };
  const [before, after] = [read(older), read(newer)];
  const result = await compatibilityOf(before, after, { ...rest, format, codecs: witnessCodecs() });
  const { direction, contentModel, formats, policy: protobuf } = rest;
  const settings = { policy: { direction, contentModel, formats, protobuf } };
  const subject = subjectOf(basename(dirname(resolve(newer))), settings, []);
  const versions = { older: { ...before, file: before.version }, newer: { ...after, file: after.version } };
  const next = nextVersion(result.verdict, versions.older, versions.newer);
  const pair: CheckedPair = { subject, ...versions, direction: subject.direction, result, nextVersion: next };
  const report = { pairs: [pair], changes: [], problems: [], locked: 0, folder: dirname(newer), strict };
  await terminal.out(formatReport(report, reportFormat));
  return exitCodeOf(report);
}
