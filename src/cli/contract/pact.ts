import { type GoldenMessage, readGolden, writeGolden } from "../../contract/golden/golden-message.ts";
import { readPact } from "../../contract/exchange/pact-file.ts";
import { goldenOfPact } from "../../contract/exchange/pact-golden.ts";
import { canonicalJson } from "../../contract/json-schema/json-value.ts";
import { subjectsOfFolder } from "../../contract/subjects/subject.ts";
import { parseJson } from "../../contract/sources/exact-json.ts";
import { envelopeToJson } from "../../core/envelope/envelope-json.ts";
import { versionSerializer } from "./codecs.ts";
import { readText } from "./files.ts";
import { contractExitCodes, type Terminal } from "../terminal.ts";

/** The options of `sobre contract import pact`. */
export interface PactCommand {
  readonly schemas: string;
  /** Folder of the golden messages. */
  readonly fixtures: string;
  /** The subject of messages whose metadata name none. */
  readonly subject?: string;
  /** Default: the newest. */
  readonly schemaVersion?: string;
}

/** Records the messages of a pact as golden messages; resolves to the exit code. */
export async function importPact(
  { schemas, fixtures, subject, schemaVersion, file }: PactCommand & { readonly file: string },
  terminal: Terminal,
): Promise<number> {
  const { consumer, messages, lost } = readPact(parseJson(readText(file), file));
  const place = {
    subjects: subjectsOfFolder(schemas),
    subject,
    version: schemaVersion,
    serializerOf: versionSerializer,
  };
  const before = readGolden(fixtures);
  const made: GoldenMessage[] = [];
  const names = new Set<string>();
  let problems = 0;
  for (const part of lost) await terminal.out(`not carried: ${part}\n`);
  for (const message of messages) {
    const name = freeName(`pact-${consumer}-${message.description}`, names);
    const outcome = await goldenOfPact(message, name, place);
    for (const part of message.lost) await terminal.out(`not carried: ${message.description}: ${part}\n`);
    const problem = "problem" in outcome ? outcome.problem : changeOf(outcome.golden, before);
    if ("golden" in outcome && problem === undefined) made.push(outcome.golden);
    if (problem === undefined) continue;
    problems++;
    await terminal.out(`${message.description}: ${problem.replace(/\.$/, "")}.\n`);
  }
  const { written, kept } = writeGolden(fixtures, made);
  await terminal.out(`${written} messages written, ${kept} already there, ${problems} with problems\n`);
  if (messages.length === 0) return contractExitCodes.misuse;
  return problems === 0 ? contractExitCodes.proven : contractExitCodes.breaking;
}

/** A message that was recorded under that name and is another one now. */
function changeOf(golden: GoldenMessage, before: readonly GoldenMessage[]): string | undefined {
  const { subject, version, codec, name } = golden;
  const own = before.find(
    (one) => one.subject === subject && one.version === version && one.codec === codec && one.name === name,
  );
  return own === undefined || textOfGolden(own) === textOfGolden(golden)
    ? undefined
    : `it differs from the golden message ${version}/${codec}/${name}, which stays. Rename it in the pact`;
}

function textOfGolden({ envelope }: GoldenMessage): string {
  return canonicalJson(envelopeToJson(envelope));
}

function freeName(text: string, taken: Set<string>): string {
  const plain = text
    .replaceAll(/\W+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100);
  for (let at = 1; ; at++) {
    const name = at === 1 ? plain : `${plain}-${at}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
