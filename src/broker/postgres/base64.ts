const chunkSize = 32 * 1024;

/** Larger values have memory of their own. */
const maxSharedBytes = 8 * 1024;

/** Many small values share one chunk: memory of its own for each would cost more than reading it. */
let chunk: Buffer = Buffer.allocUnsafeSlow(chunkSize);
let used = 0;

/** The bytes of a base64 text, which nobody else has. */
export function readBase64(text: string): Uint8Array {
  // PostgreSQL breaks the lines, so that these are too many.
  const most = Math.ceil((text.length * 3) / 4);
  if (most > maxSharedBytes) {
    const own = Buffer.allocUnsafeSlow(most);
    return new Uint8Array(own.buffer, 0, own.write(text, "base64"));
  }
  if (used + most > chunkSize) {
    chunk = Buffer.allocUnsafeSlow(chunkSize);
    used = 0;
  }
  const start = used;
  const length = chunk.write(text, start, most, "base64");
  used += length;
  return new Uint8Array(chunk.buffer, start, length);
}
