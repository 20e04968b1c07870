import type { CheckedPair } from "../subjects/checked-pair.ts";
import type { Finding, Verdict } from "../verdict.ts";
import { placeInText, type TextPlace } from "./place-in-text.ts";

/** What a check came to: pairs with verdicts, and what is wrong beside them. */
export interface CheckReport {
  readonly pairs: readonly CheckedPair[];
  /** Edited releases, stale waivers: each fails the check. */
  readonly problems: readonly string[];
  /** How many released files were held against the lock. */
  readonly locked: number;
  /** Folder of the subjects, for paths in annotations. */
  readonly folder: string;
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
  return `checked ${report.pairs.length} pairs of versions of ${subjects} subjects: ${counts.join(", ")}; ${report.locked} released files; ${report.problems.length} other problems`;
}

/** Where a finding is in the newer schema. */
export interface PlacedFinding {
  readonly pair: CheckedPair;
  readonly finding: Finding;
  readonly file: string;
  readonly place: TextPlace;
}

/** Every finding with its place. */
export function placedFindings({ pairs, folder }: CheckReport): readonly PlacedFinding[] {
  return pairs.flatMap((pair) =>
    pair.result.findings.map((finding) => ({
      pair,
      finding,
      file: `${folder}/${pair.newer.file}`,
      place: placeInText(pair.newer.text, finding.newerPointer),
    })),
  );
}

/** A pair's name. */
export function pairName({ subject, older, newer, direction }: CheckedPair): string {
  const arrow = { backward: "→", forward: "←", full: "↔" }[direction];
  return `${subject.name} ${older.version} ${arrow} ${newer.version}`;
}
