import type { ContentType } from "../content-type/content-type.ts";
import type { MediaRange } from "../content-type/media-range.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../envelope/application-properties.ts";
import type { BodyKind } from "../envelope/envelope.ts";
import type { DecodeLimits } from "./limits.ts";

/** Facts about a message that a decoder may use besides the payload. */
export interface DecodeContext {
  /** The declared content type, or `undefined` if it is missing or invalid. */
  readonly contentType: ContentType | undefined;
  readonly applicationProperties: ApplicationProperties;
  readonly bodyKind: BodyKind;
  readonly limits: DecodeLimits;
  /** The expected type, for payloads that name none. */
  readonly type?: string | undefined;
  /** Receives the nodes of a document by its payload, from decoders that have any. Default: they are dropped. */
  readonly documents?: Map<Uint8Array, object> | undefined;
}

/** A decoded body. */
export interface Decoded {
  readonly body: unknown;
  /** The type that the payload names or was read as, e.g. `acme.Order`. */
  readonly typeName?: string;
  /** Tolerated flaws and lost details, one sentence each. */
  readonly warnings?: readonly string[];
}

/** The inner payload of a wrapping format, which passes through the chain again. */
export interface Unwrapped {
  readonly unwrapped: Uint8Array;
  /** The content type of the inner payload. Default: the declared one, by which this decoder is not selected again. */
  readonly contentType?: string;
  /** The body if no decoder reads the inner payload. Default: none, and the payload counts as unreadable. */
  readonly otherwise?: Decoded;
}

/** How likely a payload is in the decoder's format, by {@link Decoder.sniff}. */
export type Sniff = "no" | "weak" | "strong";

/** Reads payloads of one format. */
export interface Decoder {
  /** A short name in lower case, e.g. `json`; it appears in attempts and on the command line. */
  readonly name: string;
  /** The content types it reads. */
  readonly accepts: readonly MediaRange[];
  /** The body kinds it reads. Default: only `data`. */
  readonly bodyKinds?: readonly BodyKind[];
  /**
   * Decodes the whole payload without changing it; the body may hold views of it.
   *
   * Zero bytes are the format's empty value if it has one (`""` for text), otherwise an error like any other broken
   * payload; reading an empty message as `undefined` is the chain's job.
   *
   * @throws only SobreError, whatever the bytes; message and path quote no payload content, not even member names.
   */
  decode(payload: Uint8Array, context: DecodeContext): Decoded | Unwrapped;
  /**
   * Checks a few bytes, without decoding or throwing. A fallback decoder that returns `no` is skipped. When absent, the
   * answer is `weak`.
   */
  sniff?(payload: Uint8Array): Sniff;
}

/** Facts about a message that an encoder may use besides the body. */
export interface EncodeContext {
  /** The requested content type, or `undefined` to use the encoder's own. */
  readonly contentType: ContentType | undefined;
  readonly applicationProperties: Readonly<Record<string, ApplicationPropertyValue | undefined>>;
  /**
   * The requested body kind, only for encoders that list it in {@link Decoder.bodyKinds}. Default: the encoder's own.
   */
  readonly bodyKind?: BodyKind | undefined;
}

/** An encoded body. */
export interface Encoded {
  readonly payload: Uint8Array;
  /** The content type of the payload. Default: the requested one, or else the encoder's own. */
  readonly contentType?: string;
  /** Default: `data`. */
  readonly bodyKind?: BodyKind;
}

/** Writes payloads of one format. */
export interface Encoder {
  /** A short name in lower case, e.g. `json`. */
  readonly name: string;
  /** The content type it writes. */
  readonly contentType: string;
  /**
   * Encodes the body so that its decoder returns an equal value; `undefined` becomes zero bytes, or is refused where
   * those are another value (`""` for text).
   *
   * @throws SobreError `UnsupportedValue` with the path to a value that the format cannot represent. Errors thrown by
   * getters or `toJSON` of the body may propagate; a serializer turns them into `UnsupportedValue` too.
   */
  encode(body: unknown, context: EncodeContext): Encoded;
}

/** A decoder and encoder of one format. */
export type Codec = Decoder & Encoder;
