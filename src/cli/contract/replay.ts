import { type FoundWitness, type RecordedWitness, replay, witnessInReport } from "../../contract/report/replay.ts";
import { subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { isObject } from "../../contract/json-schema/json-value.ts";
import { parsedJson } from "../../core/values/json.ts";
import { readText } from "./files.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** The witness to replay, and its report. */
export interface ReplayCommand {
  /** A file that `sobre contract check` or `compat` wrote with `--format json`. */
  readonly report: string;
  readonly hash: string;
  /** Folder of the subjects as they are today. Default: the schemas that the report holds. */
  readonly schemas?: string;
}

/** Replays the message of a witness and shows what the reader makes of it; resolves to the exit code. */
export async function replayWitness({ report, hash, schemas }: ReplayCommand, terminal: Terminal): Promise<number> {
  const json = parsedJson(readText(report));
  if (!isObject(json) || !Array.isArray(json["pairs"]))
    throw new Misuse(`${report} is not a report of check or compat with --format json`);
  const found = witnessInReport(json, hash);
  if (found === undefined) throw new Misuse(`${report} has no witness with the hash ${hash}`);
  const { pair, witness, writer } = found;
  const [sender, reader] = writer === "newer" ? ["newer", "older"] : ["older", "newer"];
  const place = `${String(pair["subject"])} ${String(pair[sender])} → ${String(pair[reader])}`;
  const today = schemas === undefined ? witness : { ...witness, compared: todays(found, schemas) };
  const outcome = await replay(today);
  if (outcome === undefined) {
    await terminal.out(`${place}: the reader accepts the message; the witness no longer fails\n`);
    return contractExitCodes.proven;
  }
  const bytes = witness.encodings.map(({ codec, payload }) => `  as ${codec} ${payload}`);
  const lines = [place, `  sent ${JSON.stringify(witness.value)}`, ...bytes, `  the reader ${outcome}`];
  await terminal.out(`${lines.join("\n")}\n`);
  return contractExitCodes.breaking;
}

/** The schemas of the same versions as they are in a folder now. */
function todays({ pair, witness }: FoundWitness, schemas: string): RecordedWitness["compared"] {
  const subject = subjectsOfFolder(schemas).find(({ name }) => name === pair["subject"]);
  const older = subject?.versions.find(({ version }) => version === pair["older"]);
  const newer = subject?.versions.find(({ version }) => version === pair["newer"]);
  if (older === undefined || newer === undefined)
    throw new Misuse(`${schemas} does not have the versions of the report`);
  return { ...witness.compared, older: older.schema, newer: newer.schema };
}
