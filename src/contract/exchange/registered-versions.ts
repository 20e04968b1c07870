import { posix } from "node:path";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { parsedJson } from "../../core/values/json.ts";
import { canonicalJson, isObject } from "../json-schema/json-value.ts";
import type { VersionPair } from "../subjects/subject-pairs.ts";
import type { Subject } from "../subjects/subject.ts";
import { parseSchemaText } from "../subjects/subject-files.ts";
import { readVersions, type SubjectVersion, wholeText } from "../subjects/subject-version.ts";
import type { RegisteredSchema, RegistryMode } from "./schema-registry.ts";

/** The files, by path under the folder of subjects, that a registered schema becomes: version 3 is `1.3`. */
export function filesOfRegistered({
  subject,
  version,
  format,
  text,
  references,
}: RegisteredSchema): ReadonlyMap<string, string> {
  // Names come from the registry.
  if (!/^[\w-][\w.-]*$/.test(subject))
    throw new SobreError(
      "InvalidArgument",
      `The subject ${JSON.stringify(subject)} of the registry is not a valid name of a folder.`,
    );
  const base = `${subject}/1.${version}`;
  const files = new Map([[`${base}.${format === "protobuf" ? "proto" : "schema.json"}`, text]]);
  for (const [name, part] of references) {
    const isUri = /^[a-z][\w+.-]*:/i.test(name);
    const plain = name.replace(/^\.\//, "");
    if (
      !isUri &&
      (posix.isAbsolute(plain) || posix.normalize(plain) !== plain || plain.startsWith("..") || plain.includes("\\"))
    )
      throw new SobreError(
        "InvalidArgument",
        `${subject} ${version} refers to ${JSON.stringify(name)}, which leads out of its folder.`,
      );
    files.set(`${base}/${isUri ? `${files.size}.json` : plain}`, isUri ? identified(part, name) : part);
  }
  return files;
}

/** A JSON Schema under the identifier by which others refer to it. */
function identified(text: string, id: string): string {
  const schema = isObject(parsedJson(text)) ? parseSchemaText(text, id) : undefined;
  return isObject(schema) ? JSON.stringify({ ...schema, $id: id }) : text;
}

/** A registered schema as a version of a subject, `registry:3`. */
export function versionOfRegistered(registered: RegisteredSchema): SubjectVersion {
  const files = filesOfRegistered(registered);
  const read = readVersions({ list: () => Array.from(files.keys()), read: (file) => files.get(file) ?? "" });
  const [version] = Array.from(read.values()).flat();
  if (version === undefined) throw new SobreError("InvalidArgument", `${registered.subject} has no schema.`);
  return { ...version, version: `registry:${registered.version}` };
}

/** A text that is equal for versions that differ only in white space. */
function sameText(version: SubjectVersion): string {
  return version.format === "protobuf" ? wholeText(version).trim() : canonicalJson(version.schema);
}

/** The policies of a subject that the modes of a registry mean. */
const directions: Readonly<Record<RegistryMode, Subject["direction"] | undefined>> = {
  BACKWARD: "backward",
  BACKWARD_TRANSITIVE: "backward",
  FORWARD: "forward",
  FORWARD_TRANSITIVE: "forward",
  FULL: "full",
  FULL_TRANSITIVE: "full",
  NONE: undefined,
};

/** The policy of a subject that the mode of a registry means. */
export const directionOf = (mode: RegistryMode): Subject["direction"] | undefined => directions[mode];

/**
 * The pairs that a mode of the registry compares: the newest version here with the latest one there, or with every one. One
 * that is registered already is compared with those before it.
 */
export function pairsWithRegistered(
  subject: Subject,
  registered: readonly SubjectVersion[],
  mode: RegistryMode,
): readonly VersionPair[] {
  const newest = subject.versions.at(-1);
  const direction = directionOf(mode);
  if (newest === undefined || direction === undefined) return [];
  const same = registered.findLastIndex((one) => sameText(one) === sameText(newest));
  const before = same < 0 ? registered : registered.slice(0, same);
  return before
    .slice(mode.endsWith("_TRANSITIVE") ? 0 : -1)
    .map((older) => ({ subject, older, newer: newest, direction }));
}
