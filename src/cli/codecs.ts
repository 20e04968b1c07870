import { readFile } from "node:fs/promises";
import { amqp } from "../../codecs/amqp/index.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { text } from "../../codecs/text/index.ts";
import { type Codec, createSerializer, looksLike, type Serializer } from "../codec/index.ts";
import { SobreError } from "../errors/index.ts";
import type { Mailbox } from "./mailbox.ts";
import { fileProblem, Misuse } from "./misuse.ts";
import type { Reading } from "./tour.ts";

/** The Protobuf schema that a command line names. */
export interface Schema {
  /** Paths of .proto files, which import each other by the paths given. */
  readonly protos: readonly string[];
  /** The message type of bodies whose content type names none. */
  readonly messageType: string | undefined;
}

/** How the tour reads: as a service would that trusts content types and has two fallbacks. */
export function mailboxReading({ proto }: Mailbox): Reading {
  const codecs = everyCodec(schemaCodec({ schema: proto ?? emptySchema }));
  const fallback = ["json", "msgpack"];
  return {
    serializer: createSerializer({ codecs, fallback, whenUnknown: "fallback" }),
    rules: [
      `By content type: ${codecs.map(({ name }) => name).join(", ")}.`,
      `When it is missing, broken, unknown or wrong: ${fallback.join(", then ")}.`,
    ],
  };
}

/**
 * How the other commands read: every codec that can stand on its own is a fallback. In their order: JSON proves itself,
 * so do the legacy formats, text needs every byte to be printable, MessagePack and AMQP take more of what is none.
 * Broken JSON is not text.
 *
 * @throws Misuse for a schema that cannot be read or lacks the message type.
 */
export async function commandSerializer({ protos, messageType }: Schema): Promise<Serializer> {
  if (protos.length === 0 && messageType !== undefined) throw new Misuse("--message-type needs --proto");
  const readers = legacy();
  const files = await Promise.all(protos.map(async (path) => [path, await readProto(path)] as const));
  const schema = protos.length === 0 ? emptySchema : Object.fromEntries(files);
  return createSerializer({
    codecs: [...everyCodec(inWordsOfTheCommand(schemaCodec({ schema, type: messageType }))), ...readers],
    fallback: ["json", ...readers, "text", "msgpack", "amqp"],
    whenUnknown: "fallback",
  });
}

/** Protobuf without a schema still tells that one is needed. */
const emptySchema = 'syntax = "proto3";';

function everyCodec(withSchema: Codec): readonly Codec[] {
  return [json(), msgpack(), withSchema, amqp(), carefulText(), bytes()];
}

/** Text that leaves broken JSON to JSON's complaint when it is asked to guess. */
function carefulText(): Codec {
  const plain = text();
  return { ...plain, sniff: (payload) => (isMeantAsJson(payload) ? "no" : (plain.sniff?.(payload) ?? "weak")) };
}

function isMeantAsJson(payload: Uint8Array): boolean {
  const codec = json();
  return looksLike(payload)?.contentType === codec.contentType && codec.sniff?.(payload) !== "no";
}

interface SchemaText {
  readonly schema: string | Readonly<Record<string, string>>;
  readonly type?: string | undefined;
}

function schemaCodec({ schema, type }: SchemaText): Codec {
  try {
    return protobuf(type === undefined ? { protos: schema } : { protos: schema, type });
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    throw new Misuse(error.message.replace("Option type", "--message-type").replace("option protos", "--proto"));
  }
}

function told<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof SobreError) || !error.message.startsWith("Nothing names")) throw error;
    const message = "Nothing names the Protobuf message type; name it with --proto FILE --message-type TYPE.";
    throw new SobreError(error.code, message, { cause: error });
  }
}

/** The codec of Protobuf with advice for a command line. */
function inWordsOfTheCommand(codec: Codec): Codec {
  return {
    ...codec,
    decode: (payload, context) => told(() => codec.decode(payload, context)),
    encode: (body, context) => told(() => codec.encode(body, context)),
  };
}

async function readProto(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Misuse(fileProblem(path, error));
  }
}
