import { posix } from "node:path";
import type { SubjectFiles } from "../subjects/subject-files.ts";

/** A file that a version refers to. */
export interface SchemaPart {
  /** Path under the folder of subjects, with slashes. */
  readonly file: string;
  readonly text: string;
}

/**
 * The file that the version `file` imports as `name`: in the folder named like the version, next to the version, in the
 * folder of subjects, or in `imports`. `undefined` if there is no such file, or if the name leads upwards.
 */
export function importedFile(files: SubjectFiles, file: string, name: string): string | undefined {
  if (posix.isAbsolute(name) || posix.normalize(name) !== name || name.startsWith("..")) return undefined;
  const roots = [...ownFolders(file), "", "imports"];
  const listed = files.list();
  return roots.map((root) => posix.join(root, name)).find((path) => listed.includes(path));
}

/** The folder for files that only this version imports (`order/1.0` for `order/1.0.proto`), and the subject's folder. */
export function ownFolders(file: string): readonly [version: string, subject: string] {
  return [file.replace(/^(.*\/\d+\.\d+)\.[^/]*$/, "$1"), posix.dirname(file)];
}

/** Whether a file lies where only imports belong: in `imports`, or in a folder that is named like the version next to it. */
export function isForImports(file: string, files: SubjectFiles): boolean {
  if (file.startsWith("imports/")) return true;
  return Array.from(file.matchAll(/\/\d+\.\d+(?=\/)/g)).some(({ index, 0: version }) => {
    const folder = file.slice(0, index + version.length);
    return versionEndings.some((ending) => files.list().includes(`${folder}.${ending}`));
  });
}

const versionEndings = ["proto", "schema.json", "schema.yaml", "schema.yml"];
