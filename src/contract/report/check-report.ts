import type { CheckedPair } from "../subjects/checked-pair.ts";
import type { Finding, Verdict } from "../verdict.ts";
import { placeInText, type TextPlace } from "./place-in-text.ts";

/** The result of a check: pairs with verdicts, and problems outside of the pairs. */
export interface CheckReport {
  readonly pairs: readonly CheckedPair[];
  /** Edited releases, stale waivers: each fails the check. */
  readonly problems: readonly string[];
  /** How many released files were held against the lock. */
  readonly locked: number;
  /** Folder of the subjects, for paths in annotations. */
  readonly folder: string;
  /** Whether `unproven` fails. */
  readonly strict: boolean;
}

/** The formats of a report. */
export const reportFormats = ["text", "json", "junit", "github", "sarif", "markdown"] as const;

/** One of {@link reportFormats}. */
export type ReportFormat = (typeof reportFormats)[number];

/** How many pairs have a verdict. */
export function countOf({ pairs }: CheckReport, verdict: Verdict): number {
  return pairs.filter(({ result }) => result.verdict === verdict).length;
}

/** One line of what was checked. */
export function summaryOf(report: CheckReport): string {
  const counts = (["safe", "breaking", "unproven"] as const).map((verdict) => `${countOf(report, verdict)} ${verdict}`);
  const subjects = new Set(report.pairs.map(({ subject }) => subject.name)).size;
  return `checked ${counted(report.pairs.length, "pair")} of versions of ${counted(subjects, "subject")}: ${counts.join(", ")}; ${counted(report.locked, "released file")}; ${counted(report.problems.length, "other problem")}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
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
      return { pair, finding, file: `${folder}/${shown.file}`, place: placeInText(shown.text, pointer) };
    }),
  );
}

/** The pairs that are neither proven nor broken, with where their newer schema is; waived ones are let pass. */
export function unprovenPairs({ pairs, folder }: CheckReport): readonly UnprovenPair[] {
  return pairs
    .filter(({ result, isWaived }) => result.verdict === "unproven" && isWaived !== true)
    .map((pair) => ({ pair, file: `${folder}/${shownVersion(pair).file}`, why: (pair.result.tried ?? []).join("; ") }));
}

/** A pair of which nothing is known for sure. */
interface UnprovenPair {
  readonly pair: CheckedPair;
  readonly file: string;
  /** The attempts made. */
  readonly why: string;
}

/** The sentences on a finding that every report shows: what, shown by what, and what to do. */
export function sentencesOf({ message, witness, repair }: Finding): readonly string[] {
  const shown =
    witness === undefined ? [] : [`Witness: ${JSON.stringify(witness.value)}; the reader ${witness.outcome}.`];
  return [message, ...shown, repair];
}

/** A pair's name. */
export function pairName({ subject, older, newer, direction }: CheckedPair): string {
  const arrow = { backward: "→", forward: "←", full: "↔" }[direction];
  return `${subject.name} ${older.version} ${arrow} ${newer.version}`;
}
