import { writeFileSync } from "node:fs";
import { subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { typesModule } from "../../contract/types/subject-types.ts";
import { contractExitCodes, type Terminal } from "../terminal.ts";

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
