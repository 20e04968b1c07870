import { hash } from "node:crypto";
import type { DeserializeResult, ReadResult } from "../../core/codec/result.ts";
import { json } from "../../../codecs/json/index.ts";
import { type Attempt, describeAttempt } from "../../core/codec/attempt.ts";
import type { Decoder } from "../../core/codec/codec.ts";
import { isIdentityEncoding } from "../../core/codec/identity-encoding.ts";
import type { DecodeLimits } from "../../core/codec/limits.ts";
import { contextAlone } from "../../core/codec/decode-alone.ts";
import { looksLike } from "../../core/codec/looks-like.ts";
import { isOctets } from "../../core/codec/octets.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Guessing, guessingOf, kindOf } from "../infer/value-kind.ts";
import { typeNameOf } from "../../core/values/annotations.ts";

/** The result of the first step of a migration. */
export interface ReadSourceMessage {
  readonly ok: true;
  readonly body: unknown;
  /** Name of the codec that read the body. */
  readonly codec: string;
  /** Layers around the body, outermost first: `gzip`, `bom`, `json-text`. */
  readonly layers: readonly string[];
  /** The name under which messages of the same type are grouped. */
  readonly typeName: string;
  readonly warnings: readonly string[];
  /** The parts of the body that the reader had to guess. */
  readonly guessing: Guessing;
  /** Whether the numbers of the body were JSON numbers. */
  readonly literal: boolean;
  /** The nodes of the payload, so that it need not be read again. */
  readonly document?: object | undefined;
}

/** A message that no decoder could read. */
export interface UnreadMessage {
  readonly ok: false;
  readonly error: SobreError;
  /** The decoder that got furthest, and the byte of the payload at which it stopped. */
  readonly codec: string | undefined;
  readonly offset: number | undefined;
}

/** How a {@link SourceMessageReader} reads. */
export interface SourceReadRules {
  readonly serializer: Serializer;
  /** Whether to parse a body that is a string containing a JSON object or list. */
  readonly openJsonText: boolean;
  /** Whether a contract resolves the ambiguities of a type. */
  readonly hasContract: (typeName: string) => boolean;
}

/** The used part of a result of the chain. */
type ChainRead = Pick<ReadResult, "body" | "codec" | "typeName" | "warnings" | "layers">;

/** The first step of a migration: detects the format of a message and reads its body. */
export class SourceMessageReader {
  readonly #serializer: Serializer;
  readonly #openJsonText: boolean;
  readonly #hasContract: (typeName: string) => boolean;
  /** Decoders of earlier messages by first byte, for formats that cannot be mistaken for another. */
  readonly #recent = new Map<number | undefined, Decoder>();

  constructor({ serializer, openJsonText, hasContract }: SourceReadRules) {
    this.#hasContract = hasContract;
    this.#serializer = serializer;
    this.#openJsonText = openJsonText;
  }

  read(envelope: Envelope): ReadSourceMessage | UnreadMessage {
    // A new map for each message: the old tables of a cleared map refer to later ones, and so survive thousands of messages.
    const documents = new Map<Uint8Array, object>();
    const known = this.#readAsBefore(envelope, documents);
    if (known !== undefined) return this.#readMessage(envelope, known, documents.get(envelope.payload));
    const result = this.#deserialize(withoutEncoding(envelope));
    if (!result.ok) return unread(result.error, result.attempts, envelope.payload);
    if (proven.has(result.codec)) {
      const decoder = this.#serializer.registry.decoders.find(({ name }) => name === result.codec);
      if (decoder !== undefined && result.layers.length === 0) this.#recent.set(envelope.payload[0], decoder);
    }
    return this.#readMessage(envelope, result);
  }

  /** Bytes without a specific type may be anything, e.g. .NET's payloads in JMS messages: their format is detected. */
  #deserialize(envelope: Envelope): DeserializeResult {
    if (!isOctets(envelope)) return this.#serializer.deserialize(envelope);
    const undeclared = this.#serializer.deserialize(amend(envelope, { brokerProperties: { contentType: undefined } }));
    if (undeclared.ok && (proven.has(undeclared.codec) || undeclared.codec.endsWith("json"))) return undeclared;
    return this.#serializer.deserialize(envelope);
  }

  /**
   * The messages of a queue usually have one format: if a message starts like an earlier one and the same decoder reads
   * it, no other format is tried.
   */
  #readAsBefore(envelope: Envelope, documents: Map<Uint8Array, object>): ChainRead | undefined {
    const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
    const { contentType, contentEncoding } = brokerProperties;
    const decoder = this.#recent.get(payload[0]);
    const isDeclared = contentType !== undefined && !isOctets(envelope);
    if (decoder === undefined || isDeclared || contentEncoding !== undefined || bodyKind !== "data") return undefined;
    const { limits } = this.#serializer;
    if (payload.byteLength > limits.maxBytes) return undefined;
    try {
      const decoded = decoder.decode(payload, {
        ...context,
        limits,
        applicationProperties,
        documents,
      });
      if (!("body" in decoded)) return undefined;
      const { body, typeName, warnings = [] } = decoded;
      return { body, typeName, warnings, codec: decoder.name, layers: [] };
    } catch {
      // The chain records every attempt.
      return undefined;
    }
  }

  #readMessage(
    envelope: Envelope,
    { body, codec: name, typeName: named, warnings: all, layers }: ChainRead,
    document?: object,
  ): ReadSourceMessage {
    const warnings = all.filter((warning) => !answered.test(warning));
    const { subject } = envelope.brokerProperties;
    const opened = this.#openJsonText && typeof body === "string" ? openJson(body, this.#serializer.limits) : undefined;
    if (opened !== undefined) {
      const about = { codec: "json", layers: [...layers, name], typeName: subject ?? shapeName("JSON", opened.body) };
      return { ok: true, body: opened.body, ...about, warnings, guessing: "nothing", literal: true };
    }
    const typeName = named ?? typeNameOf(body) ?? subject ?? shapeName(isJson(name) ? "JSON" : name, body);
    // A contract with another name or namespace did not apply to this body.
    const isContracted = this.#hasContract(typeName) && !all.some((warning) => uncontracted.test(warning));
    const isTold = isContracted || scalarRoots.some((namespace) => typeName.startsWith(namespace));
    const guessing = isTold ? "nothing" : guessingOf(name);
    const literal = isJson(name);
    return { ok: true, body, codec: name, layers, typeName, warnings, guessing, literal, document };
  }
}

/** Messages of .NET's JSON are ordinary JSON if they contain no date and no dictionary. */
function isJson(codec: string): boolean {
  return codec === "json" || codec === "datacontract-json" || codec === "json-net";
}

/** Maximum number of member names in a {@link shapeName}. */
const shownNames = 4;

/** Names messages without a type: by their format and, for objects, the names of their members. */
function shapeName(format: string, body: unknown): string {
  if (kindOf(body) !== "object" || typeof body !== "object" || body === null) return `(${format})`;
  const key = `${format} ${Object.keys(body).join("\0")}`;
  const known = shapeNames.get(key) ?? nameOfShape(format, Object.keys(body).toSorted());
  if (shapeNames.size < maxShapeNames) shapeNames.set(key, known);
  return known;
}

const shapeNames = new Map<string, string>();
const maxShapeNames = 1_000;

function nameOfShape(format: string, names: readonly string[]): string {
  const all = names.join(", ");
  if (names.length <= shownNames && all.length <= 80) return `(${format} of ${all === "" ? "no members" : all})`;
  const digest = hash("sha256", JSON.stringify(names), "hex").slice(0, 8);
  return `(${format} of ${names.slice(0, shownNames).join(", ").slice(0, 80)}, … ${digest})`;
}

/** Warnings of readers about a type without a contract, which other messages of the type may resolve: see `OpenQuestion`. */
const answered = /may be a list of one|^No contract describes (?!.*, but one is for )/;
const uncontracted = /^No contract describes/;

/** The formats that cannot be mistaken for another if the payload is read to its last byte. */
const proven: ReadonlySet<string> = new Set(["nbfx", "nrbf", "java", "datacontract-xml"]);

/** The namespaces in which a root names its scalar type, so that nothing is guessed. */
const scalarRoots = [
  "{http://schemas.microsoft.com/2003/10/Serialization/}",
  "{http://www.w3.org/2001/XMLSchema}",
] as const;
/** Compressed bodies are identified by their first bytes, whatever the declared encoding. */
function withoutEncoding(envelope: Envelope): Envelope {
  const encoding = envelope.brokerProperties.contentEncoding;
  const known = encoding !== undefined && !isIdentityEncoding(encoding) && /^(?:x-)?(?:gzip|deflate)$/i.test(encoding);
  return known ? amend(envelope, { brokerProperties: { contentEncoding: undefined } }) : envelope;
}

const codec = json();
const context = contextAlone();

/** The JSON in a string, or `undefined` if it is not JSON; scalars stay text. */
function openJson(text: string, limits: DecodeLimits): { readonly body: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const decoded = codec.decode(new TextEncoder().encode(text), { ...context, limits });
    return "body" in decoded ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function unread(error: SobreError, attempts: readonly Attempt[], payload: Uint8Array): UnreadMessage {
  const failed = attempts.filter(({ outcome }) => outcome === "failed");
  const layers = attempts.filter(({ outcome }) => outcome === "unwrapped").map(({ codec: layer }) => layer);
  const furthest = failed.toSorted((a, b) => (b.offset ?? -1) - (a.offset ?? -1))[0];
  const likeness = looksLike(payload);
  const look = likeness === undefined ? "" : `, which look like ${likeness.name}`;
  const inside = layers.length === 0 ? "" : `, nor what was inside ${layers.join(" and ")}`;
  const tries = failed.map(describeAttempt).join(" | ") || "the first bytes rule every format out";
  const detailed =
    attempts.length === 0
      ? error
      : new SobreError(error.code, `No codec could read the ${payload.byteLength} bytes${look}${inside}: ${tries}`);
  // Offsets inside a layer are not offsets in the payload.
  const offset = layers.length === 0 ? furthest?.offset : undefined;
  return { ok: false, error: detailed, codec: furthest?.codec, offset };
}
