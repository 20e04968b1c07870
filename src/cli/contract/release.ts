import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brokenLocks, formatLock, parseLock } from "../../contract/subjects/lock.ts";
import { subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { readIfThere } from "./files.ts";
import { typesModule } from "../../contract/types/subject-types.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** Locks every version, or those of some subjects: from then on an edit or a deletion fails the check. */
export async function releaseVersions(
  { schemas, names }: { readonly schemas: string; readonly names: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  const subjects = subjectsOfFolder(schemas);
  const unknown = names.find((name) => !subjects.some((subject) => subject.name === name));
  if (unknown !== undefined) throw new Misuse(`${unknown} is not a subject in ${schemas}`);
  const lockFile = join(schemas, "lock.json");
  const before = readIfThere(schemas, "lock.json", parseLock) ?? {};
  const broken = brokenLocks(subjects, before);
  if (broken.length > 0) {
    terminal.err(`${broken.map((problem) => `sobre: ${problem}`).join("\n")}\n`);
    return contractExitCodes.breaking;
  }
  const released = subjects.filter(({ name }) => names.length === 0 || names.includes(name));
  const text = formatLock(released, before);
  const added = Object.keys(parseLock(text)).length - Object.keys(before).length;
  writeFileSync(lockFile, text);
  await terminal.out(`released ${added} versions: ${lockFile} locks them\n`);
  return subjects.length === 0 ? contractExitCodes.misuse : contractExitCodes.proven;
}

/** Options of `sobre contract types`. */
export interface TypesCommand {
  readonly schemas: string;
  /** Default: standard output. */
  readonly out?: string;
}

/** Writes a TypeScript module with the types of all subjects; resolves to the exit code. */
export async function writeTypes({ schemas, out }: TypesCommand, terminal: Terminal): Promise<number> {
  const subjects = subjectsOfFolder(schemas).filter(({ versions }) => versions.length > 0);
  if (subjects.length === 0) {
    terminal.err(`sobre: ${schemas} has no version of a subject\n`);
    return contractExitCodes.misuse;
  }
  const module = typesModule(subjects);
  if (out === undefined) await terminal.out(module);
  else {
    writeFileSync(out, module);
    await terminal.out(`wrote ${out} with the types of ${subjects.length} subjects\n`);
  }
  return contractExitCodes.proven;
}
