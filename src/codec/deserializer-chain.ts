import { matchesRange, type MediaRange, parseContentType, parseMediaRange } from "../content-type/index.ts";
import type { Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";
import { type Attempt, failed, succeeded, vetoed } from "./attempt.ts";
import type { Decoded, Decoder, DecodeContext, Unwrapped } from "./codec.ts";
import { isIdentityEncoding } from "./identity-encoding.ts";
import { type DecodeLimits, limitExceeded } from "./limits.ts";
import type { CodecRegistry, Selection } from "./registry.ts";
import { type DeserializeResult, readable, unreadable } from "./result.ts";

/** What becomes of a payload whose content type is missing, broken or unknown. */
export type WhenUnknown = "dead-letter" | "fallback" | "raw";

/** What {@link createDeserializerChain} takes. */
export interface DeserializerChainOptions {
  readonly registry: CodecRegistry;
  readonly fallback: readonly Decoder[];
  readonly accept: readonly string[] | undefined;
  readonly limits: DecodeLimits;
  readonly whenUnknown: WhenUnknown;
  readonly onAttempt: ((attempt: Attempt, envelope: Envelope) => void) | undefined;
}

/** Reads an envelope by the declared codecs, then by the fallback; never throws for what is in the envelope. */
export type DeserializerChain = (envelope: Envelope) => DeserializeResult;

/** How many wrapping formats may lie around a body. */
const maxLayers = 3;

/**
 * Makes the chain: the declared codecs in order, then the fallback decoders in order, and nothing else.
 *
 * A fallback decoder whose `sniff` says `strong` moves to the front, one that says `no` is not asked.
 */
export function createDeserializerChain(options: DeserializerChainOptions): DeserializerChain {
  const accept = options.accept?.map(parseMediaRange);
  return (envelope) => {
    const { payload, bodyKind, brokerProperties } = envelope;
    const selection = options.registry.select(brokerProperties.contentType, bodyKind);
    const refusal = refuse(envelope, selection, accept, options.limits);
    if (refusal !== undefined) return unreadable(refusal, [], payload);
    const run = new Run(envelope, options);
    return run.read(payload, selection, maxLayers);
  };
}

function refuse(
  { payload, bodyKind, brokerProperties }: Envelope,
  { contentType }: Selection,
  accept: readonly MediaRange[] | undefined,
  limits: DecodeLimits,
): SobreError | undefined {
  if (payload.byteLength === 0) return undefined;
  if (payload.byteLength > limits.maxBytes) return limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  const encoding = brokerProperties.contentEncoding;
  if (encoding !== undefined && !isIdentityEncoding(encoding)) {
    return new SobreError(
      "UnknownContentEncoding",
      "The content encoding names a compression that nothing here removes; give the client a compression stage for it.",
    );
  }
  if (accept === undefined) return undefined;
  const declared = bodyKind === "data" ? contentType : amqpValue;
  if (declared === undefined || accept.some((range) => matchesRange(range, declared))) return undefined;
  return new SobreError("ContentTypeNotAccepted", `The content type ${declared.type} is not on the accept list.`);
}

/** Value and sequence bodies count as this type. */
const amqpValue = parseContentType("application/x-amqp-value");

/** One envelope's way through the chain. */
class Run {
  readonly #envelope: Envelope;
  readonly #options: DeserializerChainOptions;
  readonly #attempts: Attempt[] = [];

  constructor(envelope: Envelope, options: DeserializerChainOptions) {
    this.#envelope = envelope;
    this.#options = options;
  }

  read(payload: Uint8Array, selection: Selection, layersLeft: number): DeserializeResult {
    const context: DecodeContext = {
      contentType: selection.contentType,
      applicationProperties: this.#envelope.applicationProperties,
      bodyKind: this.#envelope.bodyKind,
      limits: this.#options.limits,
    };
    for (const decoder of selection.decoders) {
      const result = this.#attempt(decoder, payload, selection, context, layersLeft);
      if (result !== undefined) return result;
    }
    if (selection.selectedBy === "nothing") {
      if (payload.byteLength === 0) return readable({ body: undefined }, "empty", selection, this.#attempts);
      if (this.#options.whenUnknown === "raw") return readable({ body: payload }, "raw", selection, this.#attempts);
      if (this.#options.whenUnknown === "dead-letter") return unreadable(selection.problem, this.#attempts, payload);
    }
    for (const decoder of this.#fallback(payload, selection)) {
      const result = this.#attempt(decoder, payload, selection, context, layersLeft);
      if (result !== undefined) return result;
    }
    return unreadable(selection.problem, this.#attempts, payload);
  }

  #attempt(
    decoder: Decoder,
    payload: Uint8Array,
    selection: Selection,
    context: DecodeContext,
    layersLeft: number,
  ): DeserializeResult | undefined {
    let decoded: Decoded | Unwrapped;
    try {
      decoded = decoder.decode(payload, context);
    } catch (error) {
      // A message without a payload is legal in every format.
      if (payload.byteLength === 0) return this.#empty(decoder, selection);
      this.#note(failed(decoder.name, error));
      return undefined;
    }
    if (!("unwrapped" in decoded)) {
      this.#note(succeeded(decoder.name, "read"));
      return readable(decoded, decoder.name, selection, this.#attempts);
    }
    if (layersLeft === 0) {
      this.#note(
        failed(decoder.name, new SobreError("LimitExceeded", `The payload is wrapped more than ${maxLayers} times.`)),
      );
      return undefined;
    }
    this.#note(succeeded(decoder.name, "unwrapped"));
    const inner = this.#options.registry.select(
      decoded.contentType ?? this.#envelope.brokerProperties.contentType,
      "data",
    );
    const result = this.read(decoded.unwrapped, inner, layersLeft - 1);
    return result.ok ? result : undefined;
  }

  #empty(decoder: Decoder, selection: Selection): DeserializeResult {
    this.#note(succeeded(decoder.name, "read"));
    return readable({ body: undefined }, decoder.name, selection, this.#attempts);
  }

  /** What has been tried stays tried; a strong sniff comes first, a "no" is a veto. */
  #fallback(payload: Uint8Array, selection: Selection): readonly Decoder[] {
    const strong: Decoder[] = [];
    const weak: Decoder[] = [];
    for (const decoder of this.#options.fallback) {
      if (selection.decoders.includes(decoder) || !(decoder.bodyKinds ?? dataOnly).includes(this.#envelope.bodyKind))
        continue;
      const sniffed = payload.byteLength === 0 ? "weak" : (decoder.sniff?.(payload) ?? "weak");
      if (sniffed === "no") this.#note(vetoed(decoder.name));
      else (sniffed === "strong" ? strong : weak).push(decoder);
    }
    return [...strong, ...weak];
  }

  #note(attempt: Attempt): void {
    this.#attempts.push(attempt);
    this.#options.onAttempt?.(attempt, this.#envelope);
  }
}

const dataOnly = ["data"] as const;
