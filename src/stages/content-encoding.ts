import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { SobreError } from "../errors/index.ts";

/** The compressions of HTTP's content codings that are read and written. */
export type Compression = "gzip" | "deflate" | "br" | "zstd";

type Compress = (payload: Uint8Array) => Promise<Uint8Array>;
type Inflate = (payload: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const inflateZlib: Inflate = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw: Inflate = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

/** One entry per algorithm. */
export const compressions: Readonly<Record<Compression, { readonly compress: Compress; readonly inflate: Inflate }>> = {
  gzip: {
    compress: promisify<Uint8Array, Buffer>(zlib.gzip),
    inflate: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  },
  deflate: {
    compress: promisify<Uint8Array, Buffer>(zlib.deflate),
    // RFC 9110 section 8.4.1.2 means the zlib format and warns of senders that leave its header out.
    inflate: (payload, options) => (hasZlibHeader(payload) ? inflateZlib : inflateRaw)(payload, options),
  },
  br: {
    compress: promisify<Uint8Array, Buffer>(zlib.brotliCompress),
    inflate: promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  },
  zstd: {
    compress: (payload) => promisify<Uint8Array, Buffer>(zlib.zstdCompress)(payload),
    inflate: (payload, options) =>
      promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)(payload, options),
  },
};

/**
 * Decompresses at most to `maxOutputLength` bytes.
 *
 * @throws SobreError `LimitExceeded`, `TruncatedPayload` or `DecodeFailed`.
 */
export async function inflate(name: Compression, payload: Uint8Array, maxOutputLength: number): Promise<Uint8Array> {
  try {
    const output = await compressions[name].inflate(payload, { maxOutputLength });
    return new Uint8Array(output.buffer, output.byteOffset, output.byteLength);
  } catch (error) {
    throw translate(name, maxOutputLength, error);
  }
}

function translate(name: Compression, maxOutputLength: number, cause: unknown): SobreError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ERR_BUFFER_TOO_LARGE") {
    return new SobreError(
      "LimitExceeded",
      `The ${name} payload is larger than ${maxOutputLength} bytes when decompressed.`,
      { cause },
    );
  }
  const truncated = code === "Z_BUF_ERROR" || (cause instanceof Error && cause.message.includes("unexpected end"));
  return truncated
    ? new SobreError("TruncatedPayload", `The ${name} payload ends before its data does.`, { cause })
    : new SobreError("DecodeFailed", `The payload is no valid ${name} data.`, { cause });
}

/** RFC 1950 section 2.2: method 8, and a header that is a multiple of 31. */
function hasZlibHeader(payload: Uint8Array): boolean {
  const [cmf = 0, flags = 0] = payload;
  return (cmf & 0x0f) === 8 && ((cmf << 8) | flags) % 31 === 0;
}
