import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { envelopeFromJson, envelopeToJson } from "../../core/envelope/envelope-json.ts";
import { type Json, parsedJson } from "../../core/values/json.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { canonicalJson, isObject } from "../json-schema/json-value.ts";
import { textOfFile } from "../subjects/subject-files.ts";

/** A recorded message: its bytes, its envelope, and the value it was made of. */
export interface GoldenMessage {
  readonly subject: string;
  readonly version: string;
  readonly codec: string;
  readonly name: string;
  readonly envelope: Envelope;
  /** The value as JSON, with `$` objects for values that JSON lacks. */
  readonly expected: Json;
  /**
   * Whether all of the envelope was recorded; the first recorded messages have only the content type of the broker
   * properties.
   */
  readonly isWhole: boolean;
}

/** A codec by name, with the content type that makes a serializer choose it. */
export interface RecordingCodec {
  readonly name: string;
  readonly contentType: string;
}

/** The properties that the producer of a version sets besides the payload. */
export type ProducerProperties = BrokerProperties & Pick<Envelope, "applicationProperties">;

/** Counts of a recording. */
export interface RecordingCounts {
  readonly written: number;
  readonly kept: number;
}

/** Writes messages that do not exist yet; existing files stay as they are, byte for byte. */
export function writeGolden(folder: string, messages: readonly GoldenMessage[]): RecordingCounts {
  let written = 0;
  for (const message of messages) {
    const base = join(folder, message.subject, message.version, message.codec, message.name);
    if (existsSync(`${base}.json`) || existsSync(`${base}.bin`)) continue;
    mkdirSync(dirname(base), { recursive: true });
    const { payload } = message.envelope;
    const metadata = { ...metadataOf(message.envelope), expected: message.expected };
    const described = { ...metadata, sha256: sha256(payload), metadataSha256: sha256(canonicalJson(metadata)) };
    writeFileSync(`${base}.bin`, payload, { flag: "wx" });
    writeFileSync(`${base}.json`, `${JSON.stringify(described, undefined, 2)}\n`, { flag: "wx" });
    written++;
  }
  return { written, kept: messages.length - written };
}

/** An envelope without its payload. */
function metadataOf(envelope: Envelope): Readonly<Record<string, unknown>> {
  const members = Object.entries(envelopeToJson(envelope) ?? {});
  return Object.fromEntries(members.filter(([name]) => name !== "payload"));
}

/**
 * Reads every recorded message of a folder; none when there is no such folder.
 *
 * @throws SobreError `InvalidArgument` naming a message of which something is gone or was changed.
 */
export function readGolden(folder: string): readonly GoldenMessage[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  const known = new Set(files);
  // A bare payload has no content type, so no consumer would read it.
  const alone = files.find((file) => file.endsWith(".bin") && !known.has(file.replace(/\.bin$/, ".json")));
  if (alone !== undefined) throw broken(alone.replace(/\.bin$/, ".json"));
  return files.toSorted().flatMap((file): readonly GoldenMessage[] => {
    const [, subject, version, codec, name] = /^(.+)\/(\d+\.\d+)\/([^/]+)\/([^/]+)\.json$/.exec(file) ?? [];
    if (subject === undefined || version === undefined || codec === undefined || name === undefined) return [];
    return [{ subject, version, codec, name, ...readMessage(folder, file) }];
  });
}

function readMessage(folder: string, file: string): Pick<GoldenMessage, "envelope" | "expected" | "isWhole"> {
  const bytes = join(folder, file.replace(/\.json$/, ".bin"));
  const described = parsedJson(textOfFile(readFileSync(join(folder, file)), file));
  if (!isObject(described) || !existsSync(bytes)) throw broken(file);
  const { sha256: hash, metadataSha256, expected, contentType, ...metadata } = described;
  const payload = new Uint8Array(readFileSync(bytes));
  if (sha256(payload) !== hash) throw broken(file);
  const isWhole = metadataSha256 !== undefined;
  if (isWhole && sha256(canonicalJson({ ...metadata, expected })) !== metadataSha256) throw broken(file);
  const first = typeof contentType === "string" ? { brokerProperties: { contentType } } : {};
  const envelope = envelopeFromJson({ ...metadata, ...(isWhole ? {} : first), payload: valueToJson(payload) });
  return { envelope, expected: valueToJson(valueFromJson(expected)), isWhole };
}

function broken(file: string): SobreError {
  return new SobreError("InvalidArgument", `The golden message ${file} was changed; golden messages are only added.`);
}

function sha256(payload: Uint8Array | string): string {
  return createHash("sha256").update(payload).digest("hex");
}
