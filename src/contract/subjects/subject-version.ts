import { SobreError } from "../../core/errors/sobre-error.ts";
import { type VersionFile, versionFile } from "../../core/message/schema-files.ts";
import { bundledSchema } from "../sources/json-bundle.ts";
import { FileIndex } from "../sources/file-index.ts";
import { importingProto } from "../sources/proto-files.ts";
import { isForImports, type SchemaPart } from "../sources/schema-part.ts";
import { parseSchemaText, type SubjectFiles } from "./subject-files.ts";

/** One version of a subject's schema: a file `<major>.<minor>.schema.json`, `….schema.yaml` or `<major>.<minor>.proto`. */
export interface SubjectVersion {
  readonly version: string;
  readonly format: "json-schema" | "protobuf";
  /** Path under the folder of subjects, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The other files that it refers to. */
  readonly parts: readonly SchemaPart[];
  /** The parsed JSON Schema with those under `$defs`; or the text of the .proto file, with those as `imports`. */
  readonly schema: unknown;
}

/** The versions of each subject, or of the one named, oldest first. @throws SobreError as `readSubjects` does. */
export function readVersions(files: SubjectFiles, only?: string): ReadonlyMap<string, readonly SubjectVersion[]> {
  const versions = new Map<string, SubjectVersion[]>();
  const index = new FileIndex(files);
  for (const file of files.list()) {
    const [subject, name] = placeOf(file);
    const version = subject === "" || isForImports(file, files) ? undefined : versionFile(name);
    if (version === undefined || (only !== undefined && subject !== only)) continue;
    const own = versions.get(subject) ?? [];
    versions.set(subject, own);
    const same = own.find((other) => other.version === version.version);
    if (same !== undefined)
      throw new SobreError("InvalidArgument", `${same.file} and ${file} are the same version. Keep one of them.`);
    own.push(versionOf(index, file, version));
  }
  for (const own of versions.values()) own.sort((a, b) => compareVersions(a.version, b.version));
  return versions;
}

/** The folder and the name of a file. */
function placeOf(file: string): readonly [folder: string, name: string] {
  const cut = file.lastIndexOf("/");
  return [file.slice(0, Math.max(0, cut)), file.slice(cut + 1)];
}

function versionOf(index: FileIndex, file: string, { version, format }: VersionFile): SubjectVersion {
  const text = index.textOf(file);
  const read =
    format === "protobuf"
      ? importingProto(index.files, file, text)
      : bundledSchema(index, file, parseSchemaText(text, file));
  return { version, file, text, format, ...read };
}

/**
 * Refuses files that would silently stay unchecked: schemas that are neither versions nor referred to by one, and any other
 * JSON or YAML of a subject.
 *
 * @throws SobreError `InvalidArgument` naming one.
 */
export function refuseUnread(files: SubjectFiles, versions: ReadonlyMap<string, readonly SubjectVersion[]>): void {
  const listed = files.list();
  const used = new Set(
    Array.from(versions.values()).flatMap((own) => own.flatMap(({ parts }) => parts.map(({ file }) => file))),
  );
  const folders = new Set(listed.filter((file) => file.includes("/")).map((file) => placeOf(file)[0]));
  const unread = listed.find((file) => {
    const [subject, name] = placeOf(file);
    const isRead =
      isForImports(file, files) || used.has(file) || name === "subject.json" || versionFile(name) !== undefined;
    if (subject === "" || isRead || folders.has(file)) return false;
    return isSchemaName(name) || (versions.has(subject) && /\.(?:json|ya?ml)$/i.test(name));
  });
  if (unread === undefined) return;
  throw new SobreError(
    "InvalidArgument",
    `${unread} is not named like a version and no version refers to it. Name it MAJOR.MINOR.schema.json, MAJOR.MINOR.schema.yaml or MAJOR.MINOR.proto, e.g. 1.0.schema.json, or move it out of the folder of subjects.`,
  );
}

/** Whether a name is meant for a schema, e.g. `v1.0.schema.json`, `1.9.json`, `latest.schema.json` or `1.0.avsc`. */
function isSchemaName(name: string): boolean {
  return (
    /\.(?:schema\.\w+|proto|jsonschema|json5|jsonc|avsc|avdl|avpr|xsd|thrift|fbs)$/i.test(name) ||
    /^v?\d+(?:\.\d+)*(?:-.*)?\.(?:json|ya?ml)$/i.test(name)
  );
}

/** The text of a version and of every file that it refers to, with line ends normalised. */
export function wholeText({ text, parts }: Pick<SubjectVersion, "text" | "parts">): string {
  return [text, ...parts.flatMap((part) => [part.file, part.text])].map(plainText).join("\n");
}

/** A text with its line ends normalised. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The number before the dot of a version. */
export function majorOf(version: string): number {
  return Number(version.split(".")[0]);
}

/** Orders versions by their numbers. */
export function compareVersions(a: string, b: string): number {
  const [[aMajor = 0, aMinor = 0], [bMajor = 0, bMinor = 0]] = [a.split(".").map(Number), b.split(".").map(Number)];
  return aMajor - bMajor || aMinor - bMinor;
}
