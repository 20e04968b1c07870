import { amend, type Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";
import { isIdentityEncoding, type PayloadStage } from "../codec/index.ts";
import { type Compression, compressions, inflate } from "./content-encoding.ts";

/** Options of {@link compression}. */
export interface CompressionOptions {
  /** What to compress with when sending. Default: nothing is compressed, and all four are read. */
  readonly encoding?: Compression | undefined;
  /** Payloads below this many bytes are sent as they are. Default: 1,024. */
  readonly threshold?: number | undefined;
  /** Most bytes a payload may have after decompression. Default: 100 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * Most bytes of output for one byte of input, per algorithm, for outputs above 1 MiB.
   * Default: gzip and deflate 250, br and zstd 1,000.
   */
  readonly maxRatio?: Partial<Readonly<Record<Compression, number>>> | undefined;
}

/** How many encodings may be applied one over the other. */
const maxEncodings = 3;

/** Below this size of output a high ratio harms nobody. */
const ratioFloor = 1024 * 1024;

/**
 * A stage that removes the compression named by `contentEncoding` (RFC 9110 section 8.4.1; RFC 8878 for zstd),
 * or by an application property `Content-Encoding`, and compresses what is sent when asked to.
 *
 * A payload that would grow is sent as it is. Receiving fails with `LimitExceeded` beyond the caps, `DecodeFailed`
 * or `TruncatedPayload` for broken data, `UnknownContentEncoding` for any other name.
 */
export function compression(options: CompressionOptions = {}): PayloadStage {
  const { encoding, threshold = 1024, maxOutputBytes = 100 * 1024 * 1024, maxRatio } = options;
  const ratios: Readonly<Record<Compression, number>> = { gzip: 250, deflate: 250, br: 1000, zstd: 1000, ...maxRatio };
  for (const [name, value] of Object.entries({ threshold, maxOutputBytes, ...ratios })) {
    if (!(value >= 0)) throw new SobreError("InvalidArgument", `compression: ${name} must be a number from 0 up.`);
  }
  if (encoding !== undefined && !isCompression(encoding)) {
    throw new SobreError(
      "InvalidArgument",
      `compression: encoding must be one of ${Object.keys(compressions).join(", ")}.`,
    );
  }
  return {
    name: "compression",
    async beforeSend(envelope) {
      const { payload, bodyKind, brokerProperties } = envelope;
      const skip = encoding === undefined || payload.byteLength < threshold || bodyKind !== "data";
      if (skip || brokerProperties.contentEncoding !== undefined) return envelope;
      const smaller = await compressions[encoding].compress(payload);
      if (smaller.byteLength >= payload.byteLength) return envelope;
      return amend(envelope, { payload: smaller, brokerProperties: { contentEncoding: encoding } });
    },
    async afterReceive(envelope) {
      const declared = declaredEncoding(envelope);
      if (declared === undefined || envelope.payload.byteLength === 0) return envelope;
      let { payload } = envelope;
      for (const name of encodingsOf(declared).toReversed()) {
        const allowed = Math.min(maxOutputBytes, Math.max(ratioFloor, payload.byteLength * ratios[name]));
        payload = await inflate(name, payload, allowed);
      }
      return amend(envelope, { payload, brokerProperties: { contentEncoding: undefined } });
    },
  };
}

/** What some tools write into the application properties because their client lacks the broker property. */
const propertyName = "Content-Encoding";

function declaredEncoding({ brokerProperties, applicationProperties }: Envelope): string | undefined {
  const property = applicationProperties[propertyName];
  const declared = brokerProperties.contentEncoding ?? (typeof property === "string" ? property : undefined);
  return declared === undefined || isIdentityEncoding(declared) ? undefined : declared;
}

function encodingsOf(declared: string): readonly Compression[] {
  const names = declared.split(",").map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/^x-(?=gzip$)/, ""),
  );
  if (names.length > maxEncodings) {
    throw new SobreError(
      "LimitExceeded",
      `The content encoding names ${names.length} compressions, and ${maxEncodings} are allowed.`,
    );
  }
  return names
    .filter((name) => !isIdentityEncoding(name))
    .map((name) => {
      if (isCompression(name)) return name;
      const known = Object.keys(compressions).join(", ");
      throw new SobreError(
        "UnknownContentEncoding",
        `The content encoding names an unknown compression; ${known} are read.`,
      );
    });
}

function isCompression(name: string): name is Compression {
  return Object.hasOwn(compressions, name);
}
