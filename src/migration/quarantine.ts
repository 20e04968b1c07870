import { isObject } from "../core/values/plain-object.ts";
import { notWritten } from "./read/file-reason.ts";
import { checkOption } from "../core/options/option-checks.ts";
import * as is from "../core/options/is.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deadLetterProperties } from "../core/engine/delivery.ts";
import { amend } from "../core/envelope/envelope.ts";
import { deliveryToJson } from "../core/engine/delivery-json.ts";
import { envelopeToJson } from "../core/envelope/envelope-json.ts";
import { capturedMessage } from "./read/captured-message.ts";
import { envelopeSuffix } from "./read/folder-source.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { sourceHash, sourceProperties } from "./migrate-message.ts";
import type { SourceMessage } from "./read/source.ts";

/** Takes messages that were not migrated. */
export interface Quarantine {
  /** Stores a message, once even if it is put repeatedly. */
  put(message: SourceMessage, entry: JournalEntry): void;
  /** The file in which a message is stored. */
  fileOf(entry: JournalEntry): string;
}

/** The file of a message; entries that were not messages are text. */
function fileIn(folder: string, { order, sha256, failure }: JournalEntry): string {
  return join(folder, `${order}-${sha256.slice(0, 12)}${failure?.step === "source" ? ".txt" : envelopeSuffix}`);
}

/** Whether a quarantine has a copy of a message, with the same bytes. */
export function isQuarantined(folder: string, entry: JournalEntry): boolean {
  const path = fileIn(folder, entry);
  if (!path.endsWith(envelopeSuffix) || !existsSync(path)) return false;
  const content = capturedMessage(new Uint8Array(readFileSync(path)));
  return content.ok && sourceHash({ content }) === entry.sha256;
}

/** Maximum length of a dead-letter description in characters. */
const maxDescriptionLength = 1024;

const aContent: is.OptionCheck = (value) => {
  if (!isObject(value)) return "must be an object";
  return value["ok"] === true ? is.envelope(value["envelope"]) : is.bytes(value["bytes"]);
};
const aMessage = is.having("a message of a source", { content: aContent });
const anEntry = is.having("an entry of a journal", {
  order: is.anything,
  sha256: is.text,
  failure: is.maybe(is.object),
});

/**
 * Creates a quarantine in a folder: one file per message, with the reason in the properties of a dead letter. A message from a
 * queue or capture is written as a delivery, with its sequence number, any other as an envelope. An entry that was not a
 * message is kept unchanged. The folder can be the source of another migration.
 *
 * @throws SobreError `InvalidArgument` when the folder cannot be created.
 */
export function createQuarantine(folder: string): Quarantine {
  checkOption("folder", folder, is.name);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw notWritten(folder, error);
  }
  return {
    fileOf(entry) {
      checkOption("entry", entry, anEntry);
      return fileIn(folder, entry);
    },
    put(message, entry) {
      checkOption("message", message, aMessage);
      checkOption("entry", entry, anEntry);
      const { content } = message;
      const { failure } = entry;
      const file = fileIn(folder, entry);
      if (!content.ok) {
        writeFileSync(file, content.bytes);
        return;
      }
      const { envelope, delivery } = content;
      const { applicationProperties: before } = envelope;
      const { reason, description } = deadLetterProperties;
      const applicationProperties = {
        // The earlier dead-letter reason is kept.
        [sourceProperties.deadLetterReason]: before[reason],
        [sourceProperties.deadLetterDescription]: before[description],
        [deadLetterProperties.reason]: "Undecodable",
        [deadLetterProperties.description]: `${failure?.code}: ${failure?.message}`.slice(0, maxDescriptionLength),
      };
      const kept = amend(envelope, { applicationProperties });
      const json = delivery === undefined ? envelopeToJson(kept) : deliveryToJson({ ...delivery, envelope: kept });
      writeFileSync(file, `${JSON.stringify(json)}\n`);
    },
  };
}
