import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { parsedJson } from "../../core/values/json.ts";
import { Misuse, orMisuse, unreadable } from "../terminal.ts";

/** A folder of messages, with the expected outcome of each. */
export interface Mailbox {
  readonly folder: string;
  readonly letters: readonly Letter[];
  /** Text of the .proto file of its Protobuf bodies. */
  readonly proto: string | undefined;
}

/** One message of a mailbox. */
export interface Letter {
  readonly file: string;
  readonly envelope: Envelope;
  readonly expect: Expectation;
  /** Whether the bytes are those for which the manifest was made. */
  readonly intact: boolean;
  /** The content type under which its dead letter is sent again. */
  readonly repair: { readonly contentType: string; readonly expect: Expectation } | undefined;
}

/** The expected outcome of a message; the value is in the rendering with `$` objects, `undefined` for an empty body. */
export type Expectation =
  | { readonly readBy: string; readonly value: unknown }
  | { readonly deadLetter: string; readonly tried: readonly string[]; readonly looksLike: string | undefined };

/**
 * Reads a mailbox: `manifest.json` and the files it names.
 *
 * @throws Misuse when there is none, or when it is not what `scripts/make-mailbox.ts` writes.
 */
export async function readMailbox(folder: string): Promise<Mailbox> {
  const manifest = new Fields(parsedJson(decoder.decode(await read(folder, "manifest.json"))), "manifest.json");
  const proto = manifest.optionalText("proto");
  const letters = await Promise.all(manifest.list("messages").map((entry) => readLetter(folder, entry)));
  const files = new Set(letters.map(({ file }) => file));
  if (files.size !== letters.length) throw new Misuse("manifest.json names a file twice");
  return { folder, letters, proto: proto && decoder.decode(await read(folder, proto)) };
}

async function readLetter(folder: string, entry: Fields): Promise<Letter> {
  const file = entry.text("file");
  const payload = await read(folder, file);
  const sha256 = createHash("sha256").update(payload).digest("hex");
  const repair = entry.optional("repair");
  return {
    file,
    envelope: envelope(file, payload, entry),
    expect: expectation(entry.fields("expect")),
    intact: payload.byteLength === entry.get("bytes") && sha256 === entry.get("sha256"),
    repair: repair && { contentType: repair.text("contentType"), expect: expectation(repair.fields("expect")) },
  };
}

function envelope(file: string, payload: Uint8Array, entry: Fields): Envelope {
  const bodyKind = entry.optionalText("bodyKind") ?? "data";
  if (bodyKind !== "data" && bodyKind !== "value" && bodyKind !== "sequence") throw entry.wrong("bodyKind");
  const applicationProperties = entry.optional("applicationProperties")?.texts() ?? {};
  const brokerProperties = {
    messageId: file,
    contentType: entry.optionalText("contentType"),
    contentEncoding: entry.optionalText("contentEncoding"),
  };
  return orMisuse(
    () => createEnvelope({ payload, bodyKind, brokerProperties, applicationProperties }),
    ({ message }) => `manifest.json: ${file}: ${message}`,
  );
}

function expectation(fields: Fields): Expectation {
  const readBy = fields.optionalText("readBy");
  if (readBy !== undefined) return { readBy, value: fields.get("value") };
  return {
    deadLetter: fields.text("deadLetter"),
    tried: fields.textList("tried"),
    looksLike: fields.optionalText("looksLike"),
  };
}

const decoder = new TextDecoder();

async function read(folder: string, file: string): Promise<Uint8Array> {
  if (basename(file) !== file) throw new Misuse(`manifest.json names "${file}", which is not a file in its own folder`);
  const path = join(folder, file);
  return readFile(path).catch(unreadable(path));
}

/** The members of a JSON object, read with errors that name the member. */
class Fields {
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #where: string;

  constructor(json: unknown, where: string) {
    if (typeof json !== "object" || json === null) throw new Misuse(`${where} is not a JSON object`);
    this.#members = new Map(Object.entries(json));
    this.#where = where;
  }

  wrong(name: string): Misuse {
    return new Misuse(`${this.#where}: "${name}" is missing or has the wrong type`);
  }

  get(name: string): unknown {
    return this.#members.get(name);
  }

  optionalText(name: string): string | undefined {
    const value = this.get(name) ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(name);
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value !== undefined) return value;
    throw this.wrong(name);
  }

  textList(name: string): readonly string[] {
    const value = this.get(name);
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw this.wrong(name);
  }

  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(Array.from(this.#members.keys(), (name) => [name, this.text(name)]));
  }

  fields(name: string): Fields {
    const value = this.optional(name);
    if (value !== undefined) return value;
    throw this.wrong(name);
  }

  optional(name: string): Fields | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : new Fields(value, `${this.#where}: ${name}`);
  }

  list(name: string): readonly Fields[] {
    const value = this.get(name);
    if (!Array.isArray(value)) throw this.wrong(name);
    return value.map((item, index) => new Fields(item, `${this.#where}: ${name}[${index}]`));
  }
}
