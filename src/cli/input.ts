import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";

/** Reads a file, or standard input for `-`, up to `most` bytes and one more, which shows that there are too many. */
export async function readInput(file: string, most: number): Promise<Uint8Array> {
  const stream: Readable = file === "-" ? process.stdin : createReadStream(file, { end: most });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    length += bytes.byteLength;
    if (length > most) break;
  }
  return new Uint8Array(Buffer.concat(chunks, length));
}
