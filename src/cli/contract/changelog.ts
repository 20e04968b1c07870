import { changelogOf, type ChangelogPair } from "../../contract/changelog/changelog.ts";
import { checkPair } from "../../contract/subjects/checked-pair.ts";
import { subjectsOfFolder, type Subject } from "../../contract/subjects/subject.ts";
import { compareVersions, type SubjectVersion } from "../../contract/subjects/subject-version.ts";
import { witnessCodecs } from "./codecs.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** Options of `sobre contract changelog`. */
export interface ChangelogCommand {
  readonly schemas: string;
  /** Default: every subject. */
  readonly subject?: string | undefined;
  /** The version to start after. Default: the oldest. */
  readonly from?: string;
  /** The last version. Default: the newest. */
  readonly to?: string;
}

/** Writes the changes between consecutive versions; resolves to the exit code. */
export async function writeChangelog(command: ChangelogCommand, terminal: Terminal): Promise<number> {
  const { schemas, subject: only } = command;
  const subjects = subjectsOfFolder(schemas).filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && subjects.length === 0) throw new Misuse(`${only} is not a subject in ${schemas}`);
  for (const version of [command.from, command.to])
    if (version !== undefined && !subjects.some(({ versions }) => versions.some((one) => one.version === version)))
      throw new Misuse(`${only ?? schemas} has no version ${version}`);
  const sections: string[] = [];
  for (const subject of subjects) {
    const pairs = await Array.fromAsync(adjacent(subject, command), ([older, newer]) =>
      comparedPair(subject, older, newer),
    );
    if (pairs.length > 0) sections.push(changelogOf(subject.name, pairs));
  }
  if (sections.length === 0) {
    terminal.err(`sobre: ${only ?? schemas} has no two versions to compare\n`);
    return contractExitCodes.misuse;
  }
  await terminal.out(`# Changelog\n\n${sections.join("\n")}`);
  return contractExitCodes.proven;
}

function adjacent(
  { versions }: Subject,
  { from, to }: ChangelogCommand,
): readonly (readonly [SubjectVersion, SubjectVersion])[] {
  const chosen = versions.filter(
    ({ version }) =>
      (from === undefined || compareVersions(version, from) >= 0) &&
      (to === undefined || compareVersions(version, to) <= 0),
  );
  return chosen.slice(1).flatMap((newer, at) => {
    const older = chosen[at];
    return older === undefined ? [] : [[older, newer] as const];
  });
}

async function comparedPair(subject: Subject, older: SubjectVersion, newer: SubjectVersion): Promise<ChangelogPair> {
  if (older.format !== newer.format) return { older, newer };
  return checkPair({ subject, older, newer, direction: subject.direction }, { codecs: witnessCodecs() });
}
