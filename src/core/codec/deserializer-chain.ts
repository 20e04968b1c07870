import { matchesRange, type MediaRange, rangesOverlap } from "../content-type/media-range.ts";
import { parseContentType } from "../content-type/content-type.ts";
import { parseMediaRange } from "../content-type/parse-media-range.ts";
import type { BrokerProperties } from "../envelope/broker-properties.ts";
import type { BodyKind, Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { type Attempt, failed, succeeded, vetoed } from "./attempt.ts";
import type { Decoded, Decoder, DecodeContext, Sniff, Unwrapped } from "./codec.ts";
import { isIdentityEncoding } from "./identity-encoding.ts";
import { type DecodeLimits, limitExceeded } from "./limits.ts";
import type { CodecRegistry, Selection } from "./registry.ts";
import { type DeserializeResult, readable, unreadable } from "./result.ts";

/** The treatment of a payload whose content type is missing, invalid or unknown. */
export type WhenUnknown = "dead-letter" | "fallback" | "raw";

/** Options of {@link createDeserializerChain}. */
export interface DeserializerChainOptions {
  readonly registry: CodecRegistry;
  readonly fallback: readonly Decoder[];
  readonly accept: readonly string[] | undefined;
  readonly limits: DecodeLimits;
  readonly whenUnknown: WhenUnknown;
  /** The content type of messages that declare none. */
  readonly assume: string | undefined;
  readonly onAttempt: ((attempt: Attempt, envelope: Envelope) => void) | undefined;
}

/** Reads an envelope with the declared codecs, then the fallback; never throws because of the envelope's content. */
export type DeserializerChain = (envelope: Envelope, type?: string) => DeserializeResult;

const noWarnings: readonly string[] = Object.freeze([]);

const nothingInside = new SobreError("DecodeFailed", "No decoder could read the inner payload.");

/** The maximum number of wrapping formats around a body. */
const maxLayers = 3;

/**
 * Creates the chain: only the declared codecs in order, then the fallback decoders in order.
 *
 * A fallback decoder whose `sniff` returns `no` is skipped.
 *
 * @throws SobreError `InvalidArgument` for two fallback decoders with the same name, and for one that reads nothing on
 * the accept list.
 */
export function createDeserializerChain(options: DeserializerChainOptions): DeserializerChain {
  const accept = options.accept?.map(parseMediaRange);
  checkFallback(options.fallback, accept);
  return (envelope, type) => {
    if (typeof envelope !== "object" || envelope === null) throw noEnvelope();
    // Read once, since a payload may be decoded or copied when it is read.
    const { payload, bodyKind, brokerProperties } = envelope;
    checkParts(payload, bodyKind, brokerProperties);
    const selection = options.registry.select(brokerProperties.contentType || options.assume, bodyKind);
    const layer: Layer = { payload, bodyKind, selection, left: maxLayers };
    const refusal = refuse(layer, accept, options.limits) ?? refuseEncoding(payload, brokerProperties);
    if (refusal !== undefined) return unreadable(refusal, [], payload);
    return new Run(envelope, options, accept, { type, selection }).read(layer);
  };
}

function checkParts(payload: unknown, bodyKind: unknown, brokerProperties: unknown): void {
  const hasKind = bodyKind === "data" || bodyKind === "value" || bodyKind === "sequence";
  if (!(payload instanceof Uint8Array) || !hasKind || typeof brokerProperties !== "object" || brokerProperties === null)
    throw noEnvelope();
}

const noEnvelope = (): SobreError =>
  new SobreError(
    "InvalidArgument",
    "This is not an envelope made by createEnvelope. Convert messages of other clients with a function from sobre/interop.",
    { path: "$" },
  );

function checkFallback(fallback: readonly Decoder[], accept: readonly MediaRange[] | undefined): void {
  const names = new Set<string>();
  for (const { name, accepts, bodyKinds = dataOnly } of fallback) {
    if (names.has(name)) {
      throw new SobreError("InvalidArgument", `fallback has two decoders named "${name}". Remove one.`);
    }
    names.add(name);
    const ranges = bodyKinds.some((kind) => kind !== "data") ? [...accepts, amqpRange] : accepts;
    if (accept === undefined || ranges.some((range) => accept.some((other) => rangesOverlap(range, other)))) continue;
    throw new SobreError(
      "InvalidArgument",
      `fallback has "${name}", which reads nothing on the accept list. Remove it, or accept a content type that it reads.`,
    );
  }
}

/** A payload to read: that of the envelope, or one inside a wrapping format. */
interface Layer {
  readonly payload: Uint8Array;
  readonly bodyKind: BodyKind;
  readonly selection: Selection;
  /** How many more layers are allowed. */
  readonly left: number;
}

/** Value and sequence bodies count as this type. */
const amqpValue = parseContentType("application/x-amqp-value");
const amqpRange = parseMediaRange(amqpValue.type);

/** Why no decoder may read a layer; zero bytes are harmless. */
function refuse(
  { payload, bodyKind, selection }: Layer,
  accept: readonly MediaRange[] | undefined,
  limits: DecodeLimits,
): SobreError | undefined {
  if (payload.byteLength === 0) return undefined;
  if (payload.byteLength > limits.maxBytes) return limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  if (accept === undefined) return undefined;
  const declared = bodyKind === "data" ? selection.contentType : amqpValue;
  if (declared === undefined || accept.some((range) => matchesRange(range, declared))) return undefined;
  return new SobreError("ContentTypeNotAccepted", `The content type ${declared.type} is not on the accept list.`);
}

function refuseEncoding(payload: Uint8Array, { contentEncoding: encoding }: BrokerProperties): SobreError | undefined {
  if (payload.byteLength === 0 || encoding === undefined || isIdentityEncoding(encoding)) return undefined;
  return new SobreError(
    "UnknownContentEncoding",
    "The content encoding names a compression that is not configured here. Add a compression stage for it to the client.",
  );
}

/** The passage of one envelope through the chain. */
class Run {
  readonly #envelope: Envelope;
  readonly #options: DeserializerChainOptions;
  readonly #accept: readonly MediaRange[] | undefined;
  readonly #type: string | undefined;
  /** The decoders that the content type of the message selects, however many layers are opened. */
  readonly #declared: Selection;
  readonly attempts: Attempt[] = [];
  layers: readonly string[] = noWarnings;

  constructor(
    envelope: Envelope,
    options: DeserializerChainOptions,
    accept: readonly MediaRange[] | undefined,
    declared: { readonly type: string | undefined; readonly selection: Selection },
  ) {
    this.#type = declared.type;
    this.#declared = declared.selection;
    this.#envelope = envelope;
    this.#options = options;
    this.#accept = accept;
  }

  read(layer: Layer): DeserializeResult {
    const { payload, bodyKind, selection } = layer;
    const context: DecodeContext = {
      contentType: selection.contentType,
      applicationProperties: this.#envelope.applicationProperties,
      bodyKind,
      limits: this.#options.limits,
      type: this.#type,
    };
    for (const decoder of selection.decoders) {
      const result = this.#attempt(decoder, layer, context);
      if (result !== undefined) return result;
    }
    if (selection.selectedBy === "nothing") {
      if (payload.byteLength === 0) return readable({ body: undefined }, "empty", selection, this);
      if (this.#options.whenUnknown === "raw") return readable({ body: payload }, "raw", selection, this);
      if (this.#options.whenUnknown === "dead-letter") return unreadable(selection.problem, this.attempts, payload);
    }
    for (const decoder of this.#fallback(layer)) {
      const result = this.#attempt(decoder, layer, context);
      if (result !== undefined) return result;
    }
    return unreadable(selection.problem, this.attempts, payload);
  }

  #attempt(decoder: Decoder, layer: Layer, context: DecodeContext): DeserializeResult | undefined {
    const { payload, selection } = layer;
    let decoded: Decoded | Unwrapped;
    try {
      decoded = decodeWith(decoder, payload, context);
    } catch (error) {
      // A message without a payload is valid in every format.
      if (payload.byteLength === 0) return this.#empty(decoder, selection);
      this.#note(failed(decoder.name, error));
      return undefined;
    }
    if ("unwrapped" in decoded) return this.#unwrap(decoder, decoded, layer);
    this.#note(succeeded(decoder.name, "read"));
    return readable(this.#withWarning(decoded, decoder), decoder.name, selection, this);
  }

  /** Says so where neither the decoder nor any around it is one that the message declares. */
  #withWarning(decoded: Decoded, decoder: Decoder): Decoded {
    const { selectedBy, decoders, contentType } = this.#declared;
    if (selectedBy === "nothing" || decoders.includes(decoder) || this.#envelope.payload.byteLength === 0)
      return decoded;
    if (decoders.some(({ name }) => name === decoder.name || this.layers.includes(name))) return decoded;
    const declared = contentType === undefined ? "its declaration" : `its content type, ${contentType.type}`;
    const warning = `The body was read as ${decoder.name}, against ${declared}.`;
    return { ...decoded, warnings: [warning, ...(decoded.warnings ?? noWarnings)] };
  }

  #empty(decoder: Decoder, selection: Selection): DeserializeResult {
    this.#note(succeeded(decoder.name, "read"));
    return readable({ body: undefined }, decoder.name, selection, this);
  }

  /** Reads the inner payload under the same rules as the outermost layer. */
  #unwrap(decoder: Decoder, inside: Unwrapped, layer: Layer): DeserializeResult | undefined {
    const { name } = decoder;
    const { otherwise } = inside;
    const result = this.#readInside(name, inside, layer);
    if (result !== undefined || otherwise === undefined) return result;
    this.#note(succeeded(name, "read"));
    return readable(this.#withWarning(otherwise, decoder), name, layer.selection, this);
  }

  #readInside(name: string, inside: Unwrapped, { left }: Layer): DeserializeResult | undefined {
    const { unwrapped, contentType } = inside;
    if (left === 0) {
      this.#note(failed(name, new SobreError("LimitExceeded", `The payload is wrapped more than ${maxLayers} times.`)));
      return undefined;
    }
    this.#note(succeeded(name, "unwrapped"));
    const selected = this.#options.registry.select(contentType ?? this.#envelope.brokerProperties.contentType, "data");
    // The declared type may be that of the wrapping, which has been opened; of nothing every decoder makes nothing.
    const isOpened = contentType === undefined && unwrapped.byteLength > 0;
    const decoders = isOpened ? selected.decoders.filter((decoder) => decoder.name !== name) : selected.decoders;
    const selection = { ...selected, decoders };
    const layer: Layer = { payload: unwrapped, bodyKind: "data", selection, left: left - 1 };
    const refusal = refuse(layer, this.#accept, this.#options.limits);
    const around = this.layers;
    this.layers = [...around, name];
    const result = refusal === undefined ? this.read(layer) : undefined;
    if (result?.ok === true) return result;
    this.layers = around;
    // The attempts that follow are not of what was inside.
    this.#note(failed(name, refusal ?? selection.problem ?? nothingInside));
    return undefined;
  }

  /** The fallback decoders not tried yet, in order, without those whose sniff returns `no`; each sniffs when it is its turn. */
  *#fallback({ payload, bodyKind, selection }: Layer): Generator<Decoder> {
    for (const decoder of this.#options.fallback) {
      const { name, bodyKinds = dataOnly } = decoder;
      if (selection.decoders.some((tried) => tried.name === name) || !bodyKinds.includes(bodyKind)) continue;
      const sniffed = payload.byteLength === 0 ? "weak" : sniffWith(decoder, payload);
      if (sniffed === "no") this.#note(vetoed(name));
      else yield decoder;
    }
  }

  #note(attempt: Attempt): void {
    this.attempts.push(attempt);
    try {
      this.#options.onAttempt?.(attempt, this.#envelope);
    } catch {
      // A failing listener must not make a message unreadable.
    }
  }
}

/** The decoder's result, checked since decoders may be third-party code. @throws whatever the decoder throws. */
function decodeWith(decoder: Decoder, payload: Uint8Array, context: DecodeContext): Decoded | Unwrapped {
  const decoded: unknown = decoder.decode(payload, context);
  if (isDecoded(decoded)) return decoded;
  // An unhandled rejection would end the process.
  if (decoded instanceof Promise) decoded.catch(() => undefined);
  throw new SobreError(
    "DecodeFailed",
    `The codec "${decoder.name}" returned neither { body } nor { unwrapped } bytes. It must return one of them synchronously.`,
  );
}

function isDecoded(decoded: unknown): decoded is Decoded | Unwrapped {
  if (typeof decoded !== "object" || decoded === null) return false;
  return "unwrapped" in decoded ? decoded.unwrapped instanceof Uint8Array : "body" in decoded;
}

/** A sniff that throws counts as `weak`. */
function sniffWith(decoder: Decoder, payload: Uint8Array): Sniff {
  try {
    return decoder.sniff?.(payload) ?? "weak";
  } catch {
    return "weak";
  }
}

const dataOnly: readonly BodyKind[] = ["data"];
