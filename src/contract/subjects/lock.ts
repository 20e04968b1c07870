import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { parsedJson } from "../../core/values/json.ts";
import { sha256 } from "../witness.ts";
import type { Subject } from "./subject.ts";
import { type SubjectVersion, wholeText } from "./subject-version.ts";

/** SHA-256 in hex of each released schema, by its file. */
export type SchemaLock = Readonly<Record<string, string>>;

/** Parses `lock.json`. @throws SobreError `InvalidArgument` when it is not a lock. */
export function parseLock(text: string): SchemaLock {
  const json = parsedJson(text);
  if (isObject(json) && isObject(json["schemas"]))
    return Object.fromEntries(Object.entries(json["schemas"]).map(([file, hash]) => [file, String(hash)]));
  throw new SobreError(
    "InvalidArgument",
    "lock.json must be a JSON object with the hash of each released file under schemas.",
  );
}

/** The text of a lock with every existing version; entries that are locked already stay as they are. */
export function formatLock(subjects: readonly Subject[], before: SchemaLock): string {
  const now = versionsOf(subjects).map((version) => [version.file, hashOfText(version)] as const);
  const schemas = Object.fromEntries([...now, ...Object.entries(before)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ schemas }, undefined, 2)}\n`;
}

/** Released files that are missing or have been edited, one sentence each. */
export function brokenLocks(subjects: readonly Subject[], lock: SchemaLock): readonly string[] {
  const versions = new Map(versionsOf(subjects).map((version) => [version.file, version]));
  return Object.entries(lock).flatMap(([file, hash]) => {
    const own = versions.get(file);
    if (own === undefined) return [`${file} was released and is gone. Restore it.`];
    if (hashOfText(own) === hash) return [];
    const parts =
      own.parts.length === 0 ? "" : `, or a file that it refers to (${own.parts.map((part) => part.file).join(", ")}),`;
    return [`${file}${parts} was released and has been edited. Undo the edit, and release a new version.`];
  });
}

function versionsOf(subjects: readonly Subject[]): readonly SubjectVersion[] {
  return subjects.flatMap(({ versions }) => versions);
}

function hashOfText(version: SubjectVersion): string {
  return sha256(wholeText(version));
}
