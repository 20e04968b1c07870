import { readFile } from "node:fs/promises";
import { amqp } from "../../codecs/amqp/codec.ts";
import { bytes } from "../../codecs/bytes/index.ts";
import { json } from "../../codecs/json/index.ts";
import { dataContractXml } from "../../codecs/dotnet/xml/data-contract-xml.ts";
import type { DotnetContract } from "../../codecs/dotnet/data-contract/contract.ts";
import { legacy, legacyJson, type LegacyJsonOptions } from "../../codecs/legacy/index.ts";
import { rawDeflate } from "../../codecs/legacy/compressed.ts";
import { msgpack } from "../../codecs/msgpack/msgpack.ts";
import { protobuf } from "../../codecs/protobuf/protobuf.ts";
import { text } from "../../codecs/text/index.ts";
import type { Attempt } from "../core/codec/attempt.ts";
import type { Codec, Decoder } from "../core/codec/codec.ts";
import type { DecodeLimits } from "../core/codec/limits.ts";
import type { UnreadableResult } from "../core/codec/result.ts";
import { createSerializer, type Serializer } from "../core/codec/serializer.ts";
import { documentInBase64 } from "../core/codec/document-inside.ts";
import { looksLike } from "../core/codec/looks-like.ts";
import { isOctets } from "../core/codec/octets.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { inWordsOfLimits, type SchemaOptions } from "./commander.ts";
import { contraryDecoder, evidentDecoder } from "./evidence.ts";
import type { Mailbox } from "./tour/mailbox.ts";
import { Misuse, namingOption, orMisuse, unreadable } from "./terminal.ts";
import type { TourSerializer } from "./tour/tour.ts";

/** The hints of a command line about payloads. */
export interface PayloadHints extends SchemaOptions {
  /** The .NET types. A single one is also the type of bodies in .NET's JSON. Default: none. */
  readonly contracts?: readonly DotnetContract[] | undefined;
  /** Whether bodies in .NET's JSON are of the type of a single contract, whatever their members. Default: true. */
  readonly jsonIsOfContract?: boolean | undefined;
  /** Whether .NET's byte arrays that hold a document are opened. Default: true. */
  readonly unwrapBytes?: boolean | undefined;
  /** Whether the references and types of Json.NET are resolved. Default: false. */
  readonly jsonNet?: boolean | undefined;
  /** The budgets of one body. Default: those of serializers. */
  readonly limits?: DecodeLimits | undefined;
  /** The zone of .NET's senders. Default: that of the process. */
  readonly timeZone?: string | undefined;
}

/** How the tour reads: like a service that trusts content types and has .NET's and Java's messages in its queue. */
export function mailboxReading({ proto }: Mailbox): TourSerializer {
  const everyday = everyCodec(schemaCodec({ schema: proto ?? emptySchema }));
  const readers = legacy();
  const fallback = ["json", ...readers.map(({ name }) => name), "msgpack"];
  return {
    serializer: createSerializer({ codecs: [...everyday, ...readers], fallback, whenUnknown: "fallback" }),
    rules: [
      `By content type: ${names(everyday)}.`,
      `Legacy, too: ${names(readers)}.`,
      "When it is missing, broken, unknown or wrong: json, then legacy, then msgpack.",
    ],
  };
}

function names(codecs: readonly Decoder[]): string {
  return codecs.map(({ name }) => name).join(", ");
}

/**
 * How the other commands read: every codec that needs no schema is a fallback, the strictest first: JSON and the legacy formats
 * are recognised by their bytes, text needs every byte to be printable, MessagePack and AMQP need evidence since they
 * accept more by accident. Broken JSON is not text. Where a declared format failed, every other one needs evidence.
 *
 * @throws Misuse for a schema that cannot be read or lacks the message type.
 */
export async function commandSerializer(hints: PayloadHints): Promise<Serializer> {
  const { proto: protos = [], messageType, limits } = hints;
  if (protos.length === 0 && messageType !== undefined) throw new Misuse("--message-type needs --proto");
  const readers = legacyReaders(hints);
  const files = await Promise.all(
    protos.map(async (path) => [path, await readFile(path, "utf8").catch(unreadable(path))] as const),
  );
  const schema = protos.length === 0 ? emptySchema : Object.fromEntries(files);
  const [, ...others] = everyCodec(inWordsOfTheCommand(schemaCodec({ schema, type: messageType })));
  const dialect = readers.find(isDialect);
  const marked = dialect === undefined ? [] : [onlyMarked(dialect)];
  const first = readers.filter(isJsonNet);
  const rest = readers.filter((reader) => !isJsonNet(reader));
  const codecs = [...first, orMisuse(() => legacyJson(jsonOptions(hints))), ...others, ...rest, rawDeflate()];
  const legible = [...first, ...marked, "json", ...rest.filter((reader) => !isDialect(reader))];
  const serializer = serializerByDeclaration(codecs, legible, limits);
  const deserialize: Serializer["deserialize"] = (envelope, options) => {
    const result = serializer.deserialize(envelope, options);
    return limits === undefined || result.ok ? result : inWordsOfOptions(result);
  };
  return {
    ...serializer,
    deserialize,
    deserializeMany: (envelopes) => envelopes.map((envelope) => deserialize(envelope)),
  };
}

/**
 * Reads messages that declare a format, none, or `application/octet-stream`: that says no more than no content type, since JMS
 * declares .NET's and Java's payloads so, but payloads that nothing else reads are bytes.
 */
function serializerByDeclaration(
  codecs: readonly (Codec | Decoder)[],
  legible: readonly (string | Decoder)[],
  limits: DecodeLimits | undefined,
): Pick<Serializer, "registry" | "limits" | "serialize" | "deserialize"> {
  const named = (name: string | Decoder): readonly Decoder[] =>
    typeof name === "string" ? codecs.filter((codec) => codec.name === name) : [name];
  const guessed = legible.flatMap(named).map(evidentDecoder);
  const msgpacks = named("msgpack").map(evidentDecoder);
  const values = named("amqp").map(evidentDecoder);
  const contrary = [...legible, "text", "msgpack", "amqp"].flatMap(named).map(contraryDecoder);
  const rules = { limits, whenUnknown: "fallback" } as const;
  const undeclared = createSerializer({ ...rules, codecs, fallback: [...guessed, "text", ...msgpacks, ...values] });
  const declared = createSerializer({ ...rules, codecs, fallback: contrary });
  const known: readonly Decoder[] = codecs.filter(({ name }) => name !== "bytes");
  const octets = createSerializer({
    ...rules,
    codecs: known,
    fallback: [...guessed, "text", ...msgpacks, bytes()],
  });
  return {
    ...undeclared,
    deserialize(envelope, options) {
      if (isOctets(envelope)) return octets.deserialize(envelope, options);
      const { decoders } = undeclared.registry.select(envelope.brokerProperties.contentType, envelope.bodyKind);
      if (decoders.length === 0) return undeclared.deserialize(envelope, options);
      const result = declared.deserialize(envelope, options);
      const isOpened = ({ codec, outcome }: Attempt): boolean =>
        outcome === "unwrapped" && decoders.some(({ name }) => name === codec);
      // Compression that the message declares says nothing of the format inside.
      return result.ok || !result.attempts.some(isOpened) ? result : undeclared.deserialize(envelope, options);
    },
  };
}

/** The story of a body that was not read, with the names of options in place of those of limits. */
function inWordsOfOptions({ error, attempts }: UnreadableResult): UnreadableResult {
  const { code, message, offset, path } = error;
  return {
    ok: false,
    error: new SobreError(code, inWordsOfLimits(message), { offset, path, cause: error }),
    attempts: attempts.map((attempt) => ({ ...attempt, message: attempt.message && inWordsOfLimits(attempt.message) })),
  };
}

/** Without a schema, Protobuf still reports that one is needed. */
const emptySchema = 'syntax = "proto3";';

function legacyReaders({
  contracts = [],
  timeZone,
  jsonIsOfContract,
  unwrapBytes = true,
  jsonNet = false,
}: PayloadHints): readonly Decoder[] {
  const options = {
    ...jsonOptions({ contracts, jsonIsOfContract }),
    unwrapBytes,
    jsonNet,
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  return orMisuse(() => legacy(options), namingOption({ "$.timeZone": "--time-zone" }));
}

/** A single contract is the type of all .NET's JSON, unless a queue holds other types too. */
function jsonOptions({
  contracts = [],
  jsonIsOfContract,
}: PayloadHints): LegacyJsonOptions & { readonly contracts: readonly DotnetContract[] } {
  const [only, ...more] = contracts;
  return only === undefined || more.length > 0 || jsonIsOfContract === false
    ? { contracts }
    : { contracts, jsonContract: only };
}

const isJsonNet = ({ name }: Decoder): boolean => name === "json-net";
const isDialect = ({ name }: Decoder): boolean => name === "datacontract-json";

const isMarked = (payload: Uint8Array, dialect: Decoder): boolean => dialect.sniff?.(payload) === "strong";

/** The reader of .NET's JSON, only for payloads with the marks of that dialect; other JSON is left to `json`. */
function onlyMarked(dialect: Decoder): Decoder {
  return { ...dialect, sniff: (payload) => (isMarked(payload, dialect) ? "strong" : "no") };
}

function everyCodec(withSchema: Codec): readonly [Codec, ...Codec[]] {
  return [json(), msgpack(), withSchema, amqp(), carefulText(), bytes()];
}

/** Text, except that broken JSON, XML and base64 of marked formats are left to the errors of their own readers when the type is guessed. */
function carefulText(): Codec {
  const plain = text();
  const xml = dataContractXml();
  const isOther = (payload: Uint8Array): boolean =>
    isMeantAsJson(payload) || xml.sniff?.(payload) !== "no" || isMarkedInBase64(payload);
  return { ...plain, sniff: (payload) => (isOther(payload) ? "no" : (plain.sniff?.(payload) ?? "weak")) };
}

/** Formats whose signature no ordinary word encodes in base64. */
const markedTypes = new Set(["application/x-java-serialized-object", "application/x-nrbf"]);

function isMarkedInBase64(payload: Uint8Array): boolean {
  return markedTypes.has(documentInBase64(payload)?.contentType ?? "");
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
  return orMisuse(
    () => protobuf(type === undefined ? { protos: schema } : { protos: schema, type }),
    namingOption({ "$.type": "--message-type", "$.protos": "--proto" }),
  );
}

/** The codec of Protobuf with advice for a command line. */
function inWordsOfTheCommand(codec: Codec): Codec {
  return {
    ...codec,
    decode: (payload, context) => withAdvice(() => codec.decode(payload, context)),
    encode: (body, context) => withAdvice(() => codec.encode(body, context)),
  };
}

function withAdvice<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof SobreError) || error.code !== "UnknownMessageType") throw error;
    const message = `${error.message} On the command line: --proto FILE --message-type TYPE.`;
    throw new SobreError(error.code, message, { cause: error });
  }
}
