import { writeFileSync } from "node:fs";
import { type GoldenMessage, readGolden, writeGolden } from "../../contract/golden/golden-message.ts";
import { contractMatrix, failedCells } from "../../contract/golden/matrix.ts";
import { matrixPage, matrixText } from "../../contract/golden/matrix-page.ts";
import { samplesOfVersion } from "../../contract/golden/samples.ts";
import { canonicalJson } from "../../contract/json-schema/json-value.ts";
import { upcastBy } from "../../contract/subjects/upcast-by.ts";
import { unreadByTypes } from "../../contract/golden/typed-golden.ts";
import { subjectsOfFolder, type Subject } from "../../contract/subjects/subject.ts";
import type { SubjectVersion } from "../../contract/subjects/subject-version.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { versionSerializer, witnessCodecs } from "./codecs.ts";
import { typesOf } from "./sources.ts";
import { contractExitCodes, type Terminal } from "../terminal.ts";
import type { MessageType } from "../../core/message/message-type.ts";

/** A command on a folder of subjects and one of golden messages. */
export interface GoldenCommand {
  readonly name: "record" | "verify" | "matrix";
  readonly schemas: string;
  readonly fixtures: string;
  readonly html?: string;
  /** A module that exports message types: it must read the golden messages, and consumers apply its upcasters. */
  readonly types?: string;
}

/** Runs the command; resolves to the exit code. */
export async function goldenCommand(command: GoldenCommand, terminal: Terminal): Promise<number> {
  const subjects = subjectsOfFolder(command.schemas);
  return { record, verify, matrix }[command.name](command, subjects, terminal);
}

const contentTypes = new Map(witnessCodecs().map(({ name, contentType }) => [name, contentType]));

async function record({ fixtures }: GoldenCommand, subjects: readonly Subject[], terminal: Terminal): Promise<number> {
  const messages: GoldenMessage[] = [];
  for (const subject of subjects) {
    const codecs = (subject.codecs.length > 0 ? subject.codecs : ["json"]).flatMap((name) => {
      const contentType = contentTypes.get(name);
      if (contentType === undefined && name !== "protobuf")
        terminal.err(`sobre: ${subject.name}: unknown codec ${name}, so nothing was recorded in it\n`);
      return contentType === undefined ? [] : [{ name, contentType }];
    });
    for (const version of subject.versions) {
      const { messages: made, missing } = await samplesOfVersion(subject, version, {
        serializer: versionSerializer(version),
        codecs,
      });
      if (made.length === 0 && (codecs.length > 0 || version.format === "protobuf"))
        terminal.err(`sobre: ${version.file}: no message was found, so nothing was recorded\n`);
      if (missing.length > 0)
        terminal.err(
          `sobre: ${version.file}: no message was found at ${missing.map((place) => `#${place}`).join(", ")}\n`,
        );
      messages.push(...made);
    }
  }
  const { written, kept } = writeGolden(fixtures, messages);
  await terminal.out(`recorded ${written} messages under ${fixtures}; ${kept} already existed and were kept\n`);
  return contractExitCodes.proven;
}

async function verify(command: GoldenCommand, subjects: readonly Subject[], terminal: Terminal): Promise<number> {
  const golden = readGolden(command.fixtures);
  const types = await typesOf(command.types);
  const wrong = golden.flatMap(({ subject, version, codec, name, envelope, expected }) => {
    const own = subjects.find((one) => one.name === subject)?.versions.find((one) => one.version === version);
    const result = versionSerializer(own).deserialize(envelope);
    const same =
      result.ok && result.codec === codec && canonicalJson(valueToJson(result.body)) === canonicalJson(expected);
    return same
      ? []
      : [
          `${subject} ${version} ${codec} ${name}: ${result.ok ? `read by ${result.codec} as another value` : result.error.message}`,
        ];
  });
  const unread = await unreadInCode(golden, types, subjects);
  const lines = [
    ...wrong,
    ...unread,
    `verified ${golden.length} golden messages: ${wrong.length + unread.length} are read differently`,
  ];
  await terminal.out(`${lines.join("\n")}\n`);
  if (golden.length === 0) return contractExitCodes.misuse;
  return wrong.length + unread.length === 0 ? contractExitCodes.proven : contractExitCodes.breaking;
}

/** A sentence for each golden message that the message types of the code do not read. */
async function unreadInCode(
  golden: readonly GoldenMessage[],
  types: readonly MessageType[],
  subjects: readonly Subject[],
): Promise<readonly string[]> {
  const findings = await unreadByTypes(golden, types, { subjects, serializerOf: versionSerializer });
  return findings.map(({ message }) => message);
}

async function matrix(command: GoldenCommand, subjects: readonly Subject[], terminal: Terminal): Promise<number> {
  const { fixtures, html } = command;
  const types = await typesOf(command.types);
  const upcast = types.length === 0 ? undefined : upcastBy(types);
  const options = { serializerOf: (_: Subject, version: SubjectVersion) => versionSerializer(version), upcast };
  const golden = readGolden(fixtures);
  const cells = await contractMatrix(subjects, golden, options);
  const failed = failedCells(cells);
  const unread = await unreadInCode(golden, types, subjects);
  if (html !== undefined) writeFileSync(html, matrixPage(cells));
  const details = failed.map(
    ({ subject, producer, consumer, codec, detail }) => `${subject} ${producer} → ${consumer} ${codec}: ${detail}`,
  );
  const holes = cells.filter(({ outcome }) => outcome === "hole").length;
  const summary = `${cells.length} cells, ${holes} holes, ${failed.length} failures of versions that meet; in brackets: versions that do not meet`;
  await terminal.out(`${[matrixText(cells), "", ...details, ...unread, summary].join("\n")}\n`);
  if (cells.length === holes) return contractExitCodes.misuse;
  return failed.length + unread.length === 0 ? contractExitCodes.proven : contractExitCodes.breaking;
}
