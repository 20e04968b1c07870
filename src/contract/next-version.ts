import { protobufChanges } from "./changelog/protobuf-changes.ts";
import { isSameMeaning } from "./json-schema/meaning.ts";
import type { SubjectVersion } from "./subjects/subject-version.ts";
import type { Verdict } from "./verdict.ts";

/** The part of the version number to raise; `none` where two schemas differ only in texts and comments, if at all. */
export type NextVersion = "major" | "minor" | "none";

type VersionSchema = Pick<SubjectVersion, "format" | "schema">;

/** The version that a newer schema should get: a major one unless it is proven to read every older message. */
export function nextVersion(verdict: Verdict, older: VersionSchema, newer: VersionSchema): NextVersion {
  if (verdict === "breaking") return "major";
  if (isEqual(older, newer)) return "none";
  return verdict === "unproven" ? "major" : "minor";
}

function isEqual(older: VersionSchema, newer: VersionSchema): boolean {
  if (newer.format === "json-schema") return isSameMeaning(older.schema, newer.schema);
  return Object.values(protobufChanges(older.schema, newer.schema)).flat().length === 0;
}
