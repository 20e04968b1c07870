import { type Envelope, checkBodyKind } from "../envelope/envelope.ts";
import { messageEnvelope } from "../envelope/message-envelope.ts";
import { memberOf } from "../envelope/bag.ts";
import { aContentType } from "../content-type/content-type-check.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOption, checkOptions, type OptionChecks } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { Attempt } from "./attempt.ts";
import type { Codec, Decoder, Encoded, EncodeContext, Encoder } from "./codec.ts";
import { createDeserializerChain, type WhenUnknown } from "./deserializer-chain.ts";
import { type DecodeLimits, resolveDecodeLimits } from "./limits.ts";
import { type CodecRegistry, createCodecRegistry } from "./registry.ts";
import { anExpectedType, type BodyAs, type ExpectedType, expectedName, fitted } from "../message/expected-type.ts";
import type { Message } from "./message.ts";
import type { DeserializeResult } from "./result.ts";

/** Options of {@link createSerializer}. */
export interface SerializerOptions {
  /**
   * Selected by content type; several for the same media type are tried in order. The first codec encodes messages
   * without a content type.
   */
  readonly codecs: readonly (Codec | Decoder | Encoder)[];
  /**
   * Decoders to try in order when the declared ones fail: names from `codecs`, or further decoders. Default: none.
   *
   * Decoders are identified by name: one selected by the content type is not tried again as a fallback.
   */
  readonly fallback?: readonly (string | Decoder)[] | undefined;
  /**
   * The accept list: media ranges that may be read, including inside wrapping formats and by fallback decoders.
   * Default: all that a codec accepts.
   */
  readonly accept?: readonly string[] | undefined;
  /** Limits for every decoder. */
  readonly limits?: Partial<DecodeLimits> | undefined;
  /**
   * The treatment of a payload whose content type is missing, invalid or unknown: unreadable (`dead-letter`, the
   * default), tried by the fallback decoders (`fallback`), or handed over as bytes (`raw`).
   */
  readonly whenUnknown?: WhenUnknown | undefined;
  /**
   * The content type assumed for messages that declare none, e.g. `application/json`. Default: none, `whenUnknown`
   * applies.
   */
  readonly assume?: string | undefined;
  /**
   * Called after each attempt of a decoder, e.g. to find out when a fallback is no longer needed. Errors that it throws
   * are ignored.
   */
  readonly onAttempt?: ((attempt: Attempt, envelope: Envelope) => void) | undefined;
}

/** Options of {@link Serializer.deserialize}. */
export interface DeserializeOptions<Type extends ExpectedType = ExpectedType> {
  /**
   * The expected type: a schema of any Standard Schema library (e.g. zod), which validates the body and determines its
   * type; a message type, which upgrades older versions to the latest; or a name for codecs that need one when the
   * payload names none, e.g. the full name of a Protobuf message. If the body does not fit, the result is an error.
   */
  readonly type?: Type | undefined;
}

/** Turns messages into envelopes and back. Synchronous, stateless, safe to share. */
export interface Serializer {
  readonly registry: CodecRegistry;
  /** The budgets for every decoder. */
  readonly limits: DecodeLimits;
  /**
   * Encodes the body with the codec of the message's content type, or the first codec if it has none (or `""`).
   *
   * @throws SobreError `UnknownContentType`, `InvalidContentType`, `UnsupportedValue` (also when a getter or `toJSON`
   * of the body throws), `InvalidArgument`, `MessageSizeExceeded`.
   * @example
   * ```ts
   * const envelope = serializer.serialize({ body: { id: 7 }, subject: "order" });
   * console.log(envelope.brokerProperties); // { contentType: 'application/json', subject: 'order' }
   * ```
   */
  serialize(message: Message): Envelope;
  /**
   * Decodes the payload; the result names the codec that read it, or the reason why none could. Never throws because of
   * the envelope's content.
   *
   * @example
   * ```ts
   * const result = serializer.deserialize(createEnvelope({ payload: Uint8Array.of(0xff) }));
   * if (!result.ok) console.log(result.error.code); // UnknownContentType
   * const order = serializer.deserialize(envelope, { type: z.object({ id: z.number() }) });
   * if (order.ok) console.log(order.body.id); // 7
   * ```
   */
  deserialize<Type extends ExpectedType = string>(
    envelope: Envelope,
    options?: DeserializeOptions<Type>,
  ): DeserializeResult<BodyAs<Type>>;
  /**
   * Deserializes each envelope, in order; an unreadable one does not affect the others.
   *
   * @example
   * ```ts
   * const results = serializer.deserializeMany([envelope, createEnvelope({ payload: Uint8Array.of(0xff) })]);
   * console.log(results.map(({ ok }) => ok)); // [ true, false ]
   * ```
   */
  deserializeMany(envelopes: readonly Envelope[]): readonly DeserializeResult[];
}

/**
 * Creates a serializer from codecs.
 *
 * @throws SobreError `InvalidArgument` naming the option: no codecs, duplicate names, an unknown fallback name, a
 * fallback decoder that reads nothing on the `accept` list, an unknown option.
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [json(), msgpack()], fallback: ["msgpack"] });
 * const envelope = serializer.serialize({ body: { id: 7 }, contentType: "application/json" });
 * const result = serializer.deserialize(envelope);
 * console.log(result.ok ? result.body : result.error.code); // { id: 7 }
 * ```
 */
export function createSerializer(options: SerializerOptions): Serializer {
  checkOptions(options, serializerChecks, { needed: ["codecs"] });
  const registry = createCodecRegistry(options.codecs);
  const limits = resolveDecodeLimits(options.limits);
  const deserialize = createDeserializerChain({
    registry,
    fallback: (options.fallback ?? []).map((entry) => resolveFallback(entry, registry)),
    accept: options.accept,
    limits,
    whenUnknown: options.whenUnknown ?? "dead-letter",
    assume: options.assume,
    onAttempt: options.onAttempt,
  });
  return {
    registry,
    limits,
    serialize: (message) => serialize(registry, message),
    deserialize(envelope, deserializeOptions) {
      if (deserializeOptions !== undefined) checkOptions(deserializeOptions, typeChecks);
      const type = deserializeOptions?.type;
      const result = deserialize(envelope, expectedName(type));
      return typed(type === undefined ? result : fitted(envelope, result, type));
    },
    deserializeMany(envelopes) {
      checkOption("envelopes", envelopes, aList);
      return envelopes.map((envelope) => deserialize(envelope));
    },
  };
}

const isDecoder: is.OptionCheck = (value) =>
  is.hasMethod(value, "decode") && Array.isArray(memberOf(value, "accepts")) ? isNamed(value) : "must be a decoder";

const isCodec: is.OptionCheck = (value) =>
  is.hasMethod(value, "encode") ? (is.text(memberOf(value, "contentType")) ?? isNamed(value)) : isDecoder(value);

const isNamed = (value: object): string | undefined => is.text(memberOf(value, "name"));

const aList = is.listOf("envelopes made by createEnvelope", () => undefined);

const serializerChecks: OptionChecks<SerializerOptions> = {
  codecs: (value) =>
    Array.isArray(value) && value.length === 0
      ? "must have at least one codec, e.g. [json()]"
      : is.listOf("codecs, e.g. [json()]", isCodec)(value),
  fallback: is.listOf("codec names or decoders, e.g. msgpack()", (value) => is.text(value) && isDecoder(value)),
  accept: is.listOf('media ranges, as in ["application/json", "text/*"]', is.text),
  // Checked by resolveDecodeLimits.
  limits: is.anything,
  whenUnknown: is.oneOf("dead-letter", "fallback", "raw"),
  assume: aContentType,
  onAttempt: is.aFunction,
};

const typeChecks: OptionChecks<DeserializeOptions> = { type: anExpectedType };

/** The only place where the body gets the type that the caller expects; {@link fitted} has checked it. */
function typed<Body>(result: DeserializeResult): DeserializeResult<Body> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checks of a type say what it is without a value to infer it from
  return result as DeserializeResult<Body>;
}

function serialize(registry: CodecRegistry, message: Message): Envelope {
  checkMessage(message);
  const { applicationProperties, bodyKind: asked } = message;
  if (asked !== undefined) checkBodyKind(asked);
  const { encoder, contentType } = registry.encoderFor(message.contentType, asked);
  const context = { contentType, applicationProperties: applicationProperties ?? noSerializeOptions, bodyKind: asked };
  const encoded = encodeWith(encoder, message.body, context);
  const { payload, bodyKind = "data" } = encoded;
  if (asked !== undefined && asked !== bodyKind) {
    throw new SobreError(
      "InvalidArgument",
      `The codec "${encoder.name}" writes the body kind ${bodyKind}, not ${asked}.`,
    );
  }
  // An AMQP value or sequence is self-describing.
  const own = bodyKind === "data" ? encoder.contentType : undefined;
  return messageEnvelope(message, {
    payload,
    bodyKind,
    contentType: encoded.contentType ?? (message.contentType || own),
  });
}

function checkMessage(message: unknown): void {
  if (typeof message === "object" && message !== null) return;
  throw new SobreError("InvalidArgument", "A message must be an object such as { body }.", { path: "$" });
}

/** Bodies may run their own code: getters and `toJSON`. */
function encodeWith(encoder: Encoder, body: unknown, context: EncodeContext): Encoded {
  try {
    return encoder.encode(body, context);
  } catch (error) {
    const what = `The codec "${encoder.name}" failed to encode this body; a getter or toJSON may have thrown`;
    throw SobreError.from(error, "UnsupportedValue", what, { path: "$" });
  }
}

const noSerializeOptions = Object.freeze({});

function resolveFallback(entry: string | Decoder, registry: CodecRegistry): Decoder {
  if (typeof entry !== "string") return entry;
  const found = registry.decoders.find(({ name }) => name === entry);
  if (found !== undefined) return found;
  const known = registry.decoders.map(({ name }) => name).join(", ");
  throw new SobreError("InvalidArgument", `fallback names the unknown decoder "${entry}". Expected one of: ${known}.`);
}
