import type { ContentType } from "../content-type/content-type.ts";
import type { MediaRange } from "../content-type/media-range.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../envelope/application-properties.ts";
import type { BodyKind } from "../envelope/envelope.ts";
import type { DecodeLimits } from "./limits.ts";

/** The facts about a message that a decoder may use besides the payload. */
export interface DecodeContext {
  /** The declared content type, or `undefined` when there is none or it could not be read. */
  readonly contentType: ContentType | undefined;
  readonly applicationProperties: ApplicationProperties;
  readonly bodyKind: BodyKind;
  readonly limits: DecodeLimits;
  /** The type that the caller expects, for payloads that name none. */
  readonly type?: string | undefined;
}

/** A decoded body. */
export interface Decoded {
  readonly body: unknown;
  /** The type the payload names or was read by, e.g. `acme.Order`. */
  readonly typeName?: string;
  /** Tolerated flaws and lost details, one sentence each. */
  readonly warnings?: readonly string[];
}

/** The payload of a wrapping format, which enters the chain again. */
export interface Unwrapped {
  readonly unwrapped: Uint8Array;
  /** Content type of what was inside; default: the declared one. */
  readonly contentType?: string;
  /** The body where nothing reads what was inside. Default: none, and the payload counts as not read. */
  readonly otherwise?: Decoded;
}

/** How sure {@link Decoder.sniff} is that a payload is in its format. */
export type Sniff = "no" | "weak" | "strong";

/** Reads payloads of one format. */
export interface Decoder {
  /** Short name in lower case, e.g. `json`; it appears in attempts and on the command line. */
  readonly name: string;
  /** The content types it reads. */
  readonly accepts: readonly MediaRange[];
  /** The body kinds it reads; default: `data` only. */
  readonly bodyKinds?: readonly BodyKind[];
  /**
   * Reads the whole payload at once, which it must not change; views into it are allowed.
   *
   * Zero bytes are the format's empty value where it has one (`""` as text), and otherwise an error as any other
   * broken payload: the chain is what reads a message without a payload as the body `undefined`.
   *
   * @throws SobreError, and nothing else, whatever the bytes; its message and path quote nothing of them, member names
   *   included.
   */
  decode(payload: Uint8Array, context: DecodeContext): Decoded | Unwrapped;
  /**
   * Looks at a few bytes; never throws, never decodes. A fallback decoder that says `no` is skipped.
   * Absent means `weak` for everything.
   */
  sniff?(payload: Uint8Array): Sniff;
}

/** The facts about a message that an encoder may use besides the body. */
export interface EncodeContext {
  /** The content type asked for, or `undefined` to use the encoder's own. */
  readonly contentType: ContentType | undefined;
  readonly applicationProperties: Readonly<Record<string, ApplicationPropertyValue | undefined>>;
  /** The body kind asked for; only encoders whose {@link Decoder.bodyKinds} has it are. Default: the encoder's own. */
  readonly bodyKind?: BodyKind | undefined;
}

/** An encoded body. */
export interface Encoded {
  readonly payload: Uint8Array;
  /** Content type of the payload; default: the one asked for, or else the encoder's own. */
  readonly contentType?: string;
  /** Default: `data`. */
  readonly bodyKind?: BodyKind;
}

/** Writes payloads of one format. */
export interface Encoder {
  /** Short name in lower case, e.g. `json`. */
  readonly name: string;
  /** The content type it writes. */
  readonly contentType: string;
  /**
   * Writes the body so that its decoder reads the same value back; `undefined` is zero bytes, or refused where those are
   * another value (`""` as text).
   *
   * @throws SobreError `UnsupportedValue` with the path to a value that the format cannot hold. What a getter or
   *   `toJSON` of the body throws may come through; a serializer makes it `UnsupportedValue`, too.
   */
  encode(body: unknown, context: EncodeContext): Encoded;
}

/** A decoder and encoder of one format. */
export type Codec = Decoder & Encoder;
