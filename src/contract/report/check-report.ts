import type { CheckedPair } from "../subjects/checked-pair.ts";
import type { SubjectFinding } from "../subjects/subject-changes.ts";
import type { Finding, Verdict } from "../verdict.ts";
import { placeInVersion, type TextPlace } from "./place-in-text.ts";

/** The result of a check: pairs with verdicts, and problems outside the pairs. */
export interface CheckReport {
  readonly pairs: readonly CheckedPair[];
  /** Findings on subjects as a whole: each fails the check. */
  readonly changes: readonly SubjectFinding[];
  /** Edited releases, stale waivers: each fails the check. */
  readonly problems: readonly string[];
  /** The number of released files that were compared with the lock. */
  readonly locked: number;
  /** Folder of the subjects, for paths in annotations. */
  readonly folder: string;
  /** Whether `unproven` fails. */
  readonly strict: boolean;
}

/** The verdict of a pair, or that waivers cover everything that keeps it from being safe. */
export type PairStanding = Verdict | "waived";

/** The verdict of a pair after its waivers. */
export function standingOf({ result, isWaived }: CheckedPair): PairStanding {
  return isWaived === true ? "waived" : result.verdict;
}

/** One line of what was checked. */
export function summaryOf(report: CheckReport): string {
  const countOf = (standing: PairStanding): number =>
    report.pairs.filter((pair) => standingOf(pair) === standing).length;
  const counts = (["safe", "tested", "waived", "breaking", "unproven"] as const)
    .filter((standing) => !/tested|waived/.test(standing) || countOf(standing) > 0)
    .map((standing) => `${countOf(standing)} ${standing}`);
  const changes =
    report.changes.length === 0 ? [] : [counted(report.changes.length, "finding on subjects", "findings on subjects")];
  const subjects = new Set(report.pairs.map(({ subject }) => subject.name)).size;
  return `checked ${counted(report.pairs.length, "pair")} of versions of ${counted(subjects, "subject")}: ${[counts.join(", "), ...changes].join("; ")}; ${counted(report.locked, "released file")}; ${counted(report.problems.length, "other problem")}`;
}

function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}

/** Where a finding is in the newer schema, or in the one that is here. */
export interface PlacedFinding {
  readonly pair: CheckedPair;
  readonly finding: Finding;
  readonly file: string;
  readonly place: TextPlace;
}

/** The version whose file is here: the newer one, unless it is somebody else's. */
function shownVersion({ subject, older, newer }: CheckedPair): CheckedPair["newer"] {
  return subject.versions.includes(older) && !subject.versions.includes(newer) ? older : newer;
}

/** Every finding with its place. */
export function placedFindings({ pairs, folder }: CheckReport): readonly PlacedFinding[] {
  return pairs.flatMap((pair) =>
    pair.result.findings.map((finding) => {
      const shown = shownVersion(pair);
      const pointer = shown === pair.newer ? finding.newerPointer : finding.olderPointer;
      const { file, place } = placeInVersion(shown, pointer);
      return { pair, finding, file: `${folder}/${file}`, place };
    }),
  );
}

/** Whether a pair passes with `--strict`. */
export function isPassed({ result, isWaived, subject }: CheckedPair): boolean {
  if (result.verdict === "tested") return subject.tested === "allow" || isWaived === true;
  return result.verdict === "safe" || isWaived === true;
}

/** The pairs that are neither proven nor breaking nor waived, with the file of the newer schema. */
export function unprovenPairs({ pairs, folder }: CheckReport): readonly UnprovenPair[] {
  return pairs
    .filter((pair) => !isPassed(pair) && pair.result.verdict !== "breaking")
    .map((pair) => ({ pair, file: `${folder}/${shownVersion(pair).file}`, why: (pair.result.tried ?? []).join("; ") }));
}

/** An undecided pair. */
interface UnprovenPair {
  readonly pair: CheckedPair;
  readonly file: string;
  /** The attempts made. */
  readonly why: string;
}

/** The sentences on a finding that every report shows: the change, the witness and the repair. */
export function sentencesOf({
  message,
  witness,
  repair,
}: Pick<Finding, "message" | "repair"> & Pick<SubjectFinding, "witness">): readonly string[] {
  const shown =
    witness === undefined ? [] : [`Witness: ${JSON.stringify(witness.value)}; the reader ${witness.outcome}.`];
  return [message, ...shown, repair];
}

/** A sentence for each pair whose newer schema should get another version than it has. */
export function nextVersions({ pairs }: CheckReport): readonly string[] {
  return pairs.flatMap((pair) =>
    pair.nextVersion === undefined ? [] : [`${pairName(pair)}, next version: ${pair.nextVersion}`],
  );
}

/** A pair's name. */
export function pairName({ subject, older, newer, direction }: CheckedPair): string {
  const arrow = { backward: "→", forward: "←", full: "↔" }[direction];
  return `${subject.name} ${older.version} ${arrow} ${newer.version}`;
}
