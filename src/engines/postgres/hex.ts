const chunkSize = 32 * 1024;

/** Larger values have memory of their own. */
const mostShared = 8 * 1024;

/** Many small values share one chunk: memory of its own for each would cost more than reading it. */
let chunk: Buffer = Buffer.allocUnsafeSlow(chunkSize);
let used = 0;

/** The bytes of a `bytea` in the form `\\x0a0b`, which nobody else has. */
export function readHex(text: string): Uint8Array {
  const length = (text.length - 2) / 2;
  const digits = text.slice(2);
  if (length > mostShared) return new Uint8Array(Buffer.from(digits, "hex").buffer);
  if (used + length > chunkSize) {
    chunk = Buffer.allocUnsafeSlow(chunkSize);
    used = 0;
  }
  chunk.write(digits, used, length, "hex");
  used += length;
  return new Uint8Array(chunk.buffer, used - length, length);
}
