import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPair } from "../contract/subjects/checked-pair.ts";
import { folderFiles, readSubjects } from "../contract/subjects/subject.ts";
import { isObject } from "../contract/json-schema/json-value.ts";
import { contractExitCodes, witnessCodecs } from "./contract-check.ts";
import { fileProblem, Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** Which witness of which report. */
export interface ReplayCommand {
  /** A file that `sobre contract check --format json` wrote. */
  readonly report: string;
  readonly hash: string;
  readonly schemas: string;
}

/** Compares the pair of a witness again and shows the witness failing; resolves to the exit code. */
export async function replayWitness({ report, hash, schemas }: ReplayCommand, terminal: Terminal): Promise<number> {
  for (const pair of pairsOf(report)) {
    const finding = listOf(pair["findings"]).find(
      ({ witness }) => isObject(witness) && String(witness["hash"]).startsWith(hash),
    );
    if (finding === undefined) continue;
    const subject = readSubjects(folderFiles(schemas)).find(({ name }) => name === pair["subject"]);
    const older = subject?.versions.find(({ version }) => version === pair["older"]);
    const newer = subject?.versions.find(({ version }) => version === pair["newer"]);
    if (subject === undefined || older === undefined || newer === undefined)
      throw new Misuse(`the versions of the report are not under ${schemas}`);
    const { result } = await checkPair({ subject, older, newer, direction: subject.direction }, witnessCodecs());
    const again = result.findings.find(({ witness }) => witness?.hash.startsWith(hash) === true);
    const place = `${join(schemas, older.file)} → ${join(schemas, newer.file)}`;
    if (again?.witness === undefined) {
      await terminal.out(`${place}: the witness no longer fails\n`);
      return contractExitCodes.proven;
    }
    const bytes = again.witness.encodings.map(
      ({ codec, payload }) => `  as ${codec} ${Buffer.from(payload).toString("hex")}`,
    );
    const lines = [
      place,
      `  ${again.message}`,
      `  sent ${JSON.stringify(again.witness.value)}`,
      ...bytes,
      `  the reader ${again.witness.outcome}`,
    ];
    await terminal.out(`${lines.join("\n")}\n`);
    return contractExitCodes.breaking;
  }
  throw new Misuse(`${report} has no witness ${hash}`);
}

function pairsOf(report: string): readonly Readonly<Record<string, unknown>>[] {
  let text: string;
  try {
    text = readFileSync(report, "utf8");
  } catch (error) {
    throw new Misuse(fileProblem(report, error));
  }
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? listOf(json["pairs"]) : [];
  } catch {
    throw new Misuse(`${report} is no report of sobre contract check --format json`);
  }
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
