import type { CheckedPair } from "../subjects/checked-pair.ts";
import type { SubjectVersion } from "../subjects/subject-version.ts";
import type { Finding } from "../verdict.ts";
import { jsonChanges } from "./json-changes.ts";
import { protobufChanges } from "./protobuf-changes.ts";

/** Two versions next to each other, with their verdict where they are of one format. */
export interface ChangelogPair {
  readonly older: SubjectVersion;
  readonly newer: SubjectVersion;
  readonly result?: CheckedPair["result"];
}

/**
 * The changes of one subject, newest first, as Markdown. No value of a witness is in it.
 *
 * @throws SobreError `InvalidArgument` for a schema that cannot be read.
 */
export function changelogOf(name: string, pairs: readonly ChangelogPair[]): string {
  return [`## ${text(name)}\n`, ...pairs.toReversed().map(sectionOf)].join("\n");
}

function sectionOf({ older, newer, result }: ChangelogPair): string {
  const heading = `### ${older.version} → ${newer.version}: ${result?.verdict ?? "breaking"}\n`;
  if (result === undefined)
    return [heading, ...listed("Breaking", [`The format was ${older.format} and is ${newer.format}.`])].join("\n");
  const changesOf = newer.format === "protobuf" ? protobufChanges : jsonChanges;
  const { added, changed, removed } = changesOf(older.schema, newer.schema);
  const found = (wanted: Finding["severity"]): readonly string[] =>
    result.findings.filter(({ severity }) => severity === wanted).map((finding) => lineOf(finding, newer.format));
  const sections = [
    ...listed("Added", added.map(code)),
    ...listed("Changed", changed.map(code)),
    ...listed("Removed", removed.map(code)),
    ...listed("Breaking", found("error")),
    ...listed("Warnings", found("warning")),
  ];
  return [heading, ...(sections.length === 0 ? ["No difference in what is declared.\n"] : sections)].join("\n");
}

/** A finding with where it is in the witness; a Protobuf witness has names instead of a path. */
function lineOf(
  { code: rule, message, instancePointer, olderPointer }: Finding,
  format: SubjectVersion["format"],
): string {
  const place = format === "protobuf" ? olderPointer : instancePointer || "/";
  return `${code(rule)} at ${code(place)}: ${text(message)}`;
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`#### ${title}\n`, `${lines.map((line) => `- ${line}`).join("\n")}\n`];
}

function code(name: string): string {
  const line = name.replaceAll(/\s+/g, " ");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function text(value: string): string {
  return value.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_<[]/g, String.raw`\$&`);
}
