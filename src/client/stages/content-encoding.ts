import * as zlib from "node:zlib";
import { inflatedOutput, inflateError } from "../../core/codec/binary/inflated.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The supported HTTP content codings. */
export type Compression = "gzip" | "deflate" | "br" | "zstd";

/** The {@link Compression}s by name. */
export const compressionNames: readonly Compression[] = ["gzip", "deflate", "br", "zstd"];

/** The maximum decompressed size of a payload. */
export interface OutputCap {
  readonly bytes: number;
  /** The option that sets the limit, e.g. `maxRatio.gzip`. */
  readonly option: string;
}

type Done = (error: Error | null, result: unknown) => void;
type Transform<Options> = (payload: Uint8Array, options: Options, done: Done) => void;
type Inflate = Transform<{ readonly maxOutputLength: number; readonly info: true }>;

const brotli = {
  // The default, 11, takes seconds for a megabyte and saves a few percent.
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 },
};

/** One entry per algorithm; zstd is missing before Node 22.15. */
const algorithms: Readonly<Record<Compression, { readonly compress: Transform<object>; readonly inflate: Inflate }>> = {
  gzip: { compress: zlib.gzip, inflate: zlib.gunzip },
  deflate: {
    compress: zlib.deflate,
    // RFC 9110 section 8.4.1.2: the zlib format, although some senders omit its header.
    inflate: (payload, options, done) =>
      (hasZlibHeader(payload) ? zlib.inflate : zlib.inflateRaw)(payload, options, done),
  },
  br: {
    compress: (payload, _options, done) => zlib.brotliCompress(payload, brotli, done),
    inflate: zlib.brotliDecompress,
  },
  zstd: {
    compress: (payload, options, done) => zlib.zstdCompress(payload, options, done),
    inflate: (payload, options, done) => zlib.zstdDecompress(payload, options, done),
  },
};

/** Whether this version of Node supports the algorithm. */
export function isAvailable(name: Compression): boolean {
  return name !== "zstd" || "zstdDecompress" in zlib;
}

/** Compresses with the usual settings of the algorithm. */
export async function compress(name: Compression, payload: Uint8Array): Promise<Uint8Array> {
  return asBytes(await settled((done) => algorithms[name].compress(payload, {}, done)));
}

/**
 * Decompresses the whole payload, up to the limit.
 *
 * @throws SobreError `LimitExceeded`, `TruncatedPayload`, `TrailingBytes`, `DecodeFailed`, or `UnknownContentEncoding`
 * when this version of Node lacks the algorithm.
 */
export async function inflate(name: Compression, payload: Uint8Array, cap: OutputCap): Promise<Uint8Array> {
  if (!isAvailable(name)) {
    throw new SobreError(
      "UnknownContentEncoding",
      `This version of Node does not support ${name}. Use Node 22.15 or newer.`,
    );
  }
  const options = { maxOutputLength: cap.bytes, info: true } as const;
  let result: unknown;
  try {
    result = await settled((done) => algorithms[name].inflate(payload, options, done));
  } catch (error) {
    throw inflateError(
      name,
      error,
      payload,
      (cause) =>
        new SobreError(
          "LimitExceeded",
          `The ${name} payload is larger than ${cap.bytes} bytes when decompressed. If that is legitimate, raise ${cap.option} of the compression stage.`,
          { cause },
        ),
    );
  }
  return inflatedOutput(name, result, payload);
}

function settled(start: (done: Done) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

/** A plain view: a Buffer's own methods differ from those of a Uint8Array. */
function asBytes(output: unknown): Uint8Array {
  if (output instanceof Uint8Array) return new Uint8Array(output.buffer, output.byteOffset, output.byteLength);
  throw new SobreError("GeneralError", "zlib returned no output.");
}

/** RFC 1950 section 2.2: method 8, and a header that is a multiple of 31. */
function hasZlibHeader(payload: Uint8Array): boolean {
  const [cmf = 0, flags = 0] = payload;
  return (cmf & 0x0f) === 8 && ((cmf << 8) | flags) % 31 === 0;
}
