import { guardedStage } from "../../core/codec/guarded-stage.ts";
import { constants } from "node:buffer";
import { isIdentityEncoding } from "../../core/codec/identity-encoding.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import {
  compress,
  type Compression,
  compressionNames,
  inflate,
  isAvailable,
  type OutputCap,
} from "./content-encoding.ts";

/** Options of {@link compression}. */
export interface CompressionOptions {
  /** The encoding for sending; `zstd` needs Node 22.15. All four are read. Default: messages are sent uncompressed. */
  readonly encoding?: Compression | undefined;
  /** Payloads below this many bytes are sent uncompressed. Default: 1,024. */
  readonly threshold?: number | undefined;
  /** Maximum decompressed size of a payload in bytes, also between nested encodings. Default: 100 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * Maximum ratio of output to input, per algorithm, for outputs above 1 MiB. Default: gzip and deflate 250, br and
   * zstd 1,000.
   */
  readonly maxRatio?: Partial<Readonly<Record<Compression, number>>> | undefined;
}

/** The maximum number of nested encodings. */
const maxEncodings = 3;

/** Below this output size, a high ratio is harmless. */
const ratioFloor = 1024 * 1024;

/**
 * A stage that decompresses received payloads by `contentEncoding` (RFC 9110 section 8.4.1; RFC 8878 for zstd) or the
 * application property `Content-Encoding`, and optionally compresses sent ones.
 *
 * Several encodings, e.g. `gzip, br`, are removed last first, at most three. A payload that would grow, is already
 * encoded, or is an AMQP value is sent unchanged. Receiving fails with `LimitExceeded` beyond the limits,
 * `DecodeFailed`, `TruncatedPayload` or `TrailingBytes` for broken data, and `UnknownContentEncoding` for any other
 * name. Requires Node's zlib; does not run in browsers.
 *
 * @throws SobreError `InvalidArgument` for an invalid option, or for zstd on a Node version without it.
 * @example
 * ```ts
 * const packing = createClient({ engine, serializer, stages: [compression({ encoding: "gzip", threshold: 1_024 })] });
 * await packing.createSender("orders").sendMessages({ body: "again and ".repeat(1_000) });
 * ```
 */
export function compression(options: CompressionOptions = {}): PayloadStage {
  checkOptions(options, compressionChecks);
  const { encoding, threshold = 1024 } = options;
  const capFor = resolveCaps(options);
  return guardedStage({
    name: "compression",
    async beforeSend(envelope) {
      const { payload, bodyKind, brokerProperties } = envelope;
      const skip = encoding === undefined || payload.byteLength < threshold || bodyKind !== "data";
      if (skip || brokerProperties.contentEncoding !== undefined || propertyOf(envelope) !== undefined) return envelope;
      const smaller = await compress(encoding, payload);
      if (smaller.byteLength >= payload.byteLength) return envelope;
      return amend(envelope, { payload: smaller, brokerProperties: { contentEncoding: encoding } });
    },
    async afterReceive(envelope) {
      const declared = envelope.brokerProperties.contentEncoding ?? propertyOf(envelope);
      if (declared === undefined || envelope.payload.byteLength === 0 || envelope.bodyKind !== "data") return envelope;
      const encodings = encodingsOf(declared);
      if (encodings.length === 0) return envelope;
      let { payload } = envelope;
      for (const name of encodings.toReversed())
        payload = await inflate(name, payload, capFor(name, payload.byteLength));
      // The property is removed too; otherwise a forwarded message would declare an encoding that it no longer has.
      return amend(envelope, {
        payload,
        brokerProperties: { contentEncoding: undefined },
        ...(propertyOf(envelope) !== undefined && { applicationProperties: { [propertyName]: undefined } }),
      });
    },
  });
}

const anEncoding: is.OptionCheck = (value) => {
  if (!isCompression(value)) return `must be one of ${compressionNames.join(", ")}`;
  return isAvailable(value) ? undefined : `${value} needs Node 22.15 or newer`;
};

/** A ratio for each of some compressions. */
const ratios: is.OptionCheck = (value) => {
  if (typeof value !== "object" || value === null) return "must be an object, e.g. { gzip: 250 }";
  const isFit = Object.entries(value).every(
    ([name, ratio]) => isCompression(name) && is.numberFrom(1)(ratio) === undefined,
  );
  return isFit ? undefined : `must be an object with numbers from 1 up for ${compressionNames.join(", ")}`;
};

const compressionChecks: OptionChecks<CompressionOptions> = {
  encoding: anEncoding,
  threshold: is.numberFrom(0),
  maxOutputBytes: is.numberFrom(1),
  maxRatio: ratios,
};

/** The application property that tools set if their client lacks the broker property. */
const propertyName = "Content-Encoding";

function propertyOf({ applicationProperties }: Envelope): string | undefined {
  const property = applicationProperties[propertyName];
  return typeof property === "string" ? property : undefined;
}

function resolveCaps(options: CompressionOptions): (name: Compression, inputBytes: number) => OutputCap {
  const { maxOutputBytes = 100 * 1024 * 1024, maxRatio } = options;
  const ratioOf: Readonly<Record<Compression, number>> = { gzip: 250, deflate: 250, br: 1000, zstd: 1000, ...maxRatio };
  // zlib accepts whole numbers up to the maximum Buffer length, which stands for Infinity.
  const most = Math.floor(Math.min(maxOutputBytes, constants.MAX_LENGTH));
  return (name, inputBytes) => {
    const byRatio = Math.floor(Math.max(ratioFloor, inputBytes * ratioOf[name]));
    return byRatio < most ? { bytes: byRatio, option: `maxRatio.${name}` } : { bytes: most, option: "maxOutputBytes" };
  };
}

function encodingsOf(declared: string): readonly Compression[] {
  const names = declared
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !isIdentityEncoding(name));
  if (names.length > maxEncodings) {
    throw new SobreError("LimitExceeded", `The content encoding names more than ${maxEncodings} compressions.`);
  }
  return names.map((name) => {
    // RFC 9110 section 8.4.1.3: x-gzip is gzip.
    const known = name === "x-gzip" ? "gzip" : name;
    if (isCompression(known)) return known;
    throw new SobreError(
      "UnknownContentEncoding",
      `The content encoding ${JSON.stringify(name.slice(0, 32))} is unknown. Supported: ${compressionNames.join(", ")}.`,
    );
  });
}

function isCompression(name: unknown): name is Compression {
  return compressionNames.some((candidate) => candidate === name);
}
