import { protobufChanges } from "./changelog/protobuf-changes.ts";
import { isSameMeaning } from "./json-schema/meaning.ts";
import type { SubjectVersion } from "./subjects/subject-version.ts";
import type { Verdict } from "./verdict.ts";

/** The part of the version number that a change raises; `none` where two schemas differ in texts and comments at most. */
export type NextVersion = "major" | "minor" | "none";

type Schema = Pick<SubjectVersion, "format" | "schema">;

/** The version that a newer schema should get by its verdict: what is not proven to be read is a major one. */
export function nextVersion(verdict: Verdict, older: Schema, newer: Schema): NextVersion {
  if (verdict === "breaking") return "major";
  if (isEqual(older, newer)) return "none";
  return verdict === "unproven" ? "major" : "minor";
}

function isEqual(older: Schema, newer: Schema): boolean {
  if (newer.format === "json-schema") return isSameMeaning(older.schema, newer.schema);
  return Object.values(protobufChanges(older.schema, newer.schema)).flat().length === 0;
}
