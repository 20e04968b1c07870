import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEnvelope, type Envelope, type Json, valueFromJson, valueToJson } from "../../envelope/index.ts";
import { SobreError } from "../../errors/index.ts";
import { isObject } from "../json-schema/json-value.ts";

/** A recorded message: its bytes, its envelope, and the value it was made of. */
export interface GoldenMessage {
  readonly subject: string;
  readonly version: string;
  readonly codec: string;
  readonly name: string;
  readonly envelope: Envelope;
  /** The value in the rendering of JSON for values that it lacks. */
  readonly expected: Json;
}

/** What a recording did. */
export interface Recorded {
  readonly written: number;
  readonly kept: number;
}

/** Writes messages that are not there yet; what is there stays, byte for byte. */
export function writeGolden(folder: string, messages: readonly GoldenMessage[]): Recorded {
  let written = 0;
  for (const message of messages) {
    const base = join(folder, message.subject, message.version, message.codec, message.name);
    if (existsSync(`${base}.json`) || existsSync(`${base}.bin`)) continue;
    mkdirSync(dirname(base), { recursive: true });
    const { payload, brokerProperties, applicationProperties } = message.envelope;
    const described = {
      contentType: brokerProperties.contentType,
      applicationProperties,
      expected: message.expected,
      sha256: sha256(payload),
    };
    writeFileSync(`${base}.bin`, payload, { flag: "wx" });
    writeFileSync(`${base}.json`, `${JSON.stringify(described, undefined, 2)}\n`, { flag: "wx" });
    written++;
  }
  return { written, kept: messages.length - written };
}

/**
 * Reads every recorded message of a folder; none when there is no such folder.
 *
 * @throws SobreError `InvalidArgument` naming a message whose bytes are gone or were changed.
 */
export function readGolden(folder: string): readonly GoldenMessage[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  return files.toSorted().flatMap((file): readonly GoldenMessage[] => {
    const [, subject, version, codec, name] = /^(.+)\/(\d+\.\d+)\/([^/]+)\/([^/]+)\.json$/.exec(file) ?? [];
    if (subject === undefined || version === undefined || codec === undefined || name === undefined) return [];
    const described: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
    if (!isObject(described)) throw broken(file);
    const payload = new Uint8Array(readFileSync(join(folder, file.replace(/\.json$/, ".bin"))));
    if (sha256(payload) !== described["sha256"]) throw broken(file);
    const { contentType, applicationProperties, expected } = described;
    const envelope = createEnvelope({
      payload,
      brokerProperties: typeof contentType === "string" ? { contentType } : {},
      applicationProperties: plainProperties(applicationProperties),
    });
    return [{ subject, version, codec, name, envelope, expected: valueToJson(valueFromJson(expected)) }];
  });
}

function plainProperties(value: unknown): Readonly<Record<string, string | number>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, property]) =>
      typeof property === "string" || typeof property === "number" ? [[name, property] as const] : [],
    ),
  );
}

function broken(file: string): SobreError {
  return new SobreError("InvalidArgument", `The golden message ${file} was changed; golden messages are only added.`);
}

function sha256(payload: Uint8Array): string {
  return createHash("sha256").update(payload).digest("hex");
}
