import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { Misuse } from "./terminal.ts";
import { reasonOf } from "../migration/read/file-reason.ts";

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

/** How text shows bytes. */
export type TextForm = "base64" | "hex";

const forms = {
  base64: { form: /^[A-Za-z0-9+/_-]*={0,2}$/, words: "base64" },
  hex: { form: /^(?:[0-9A-Fa-f]{2})*$/, words: "pairs of hexadecimal digits" },
} as const;

/** The bytes that text shows; blanks are left out, and `0x` in front of hexadecimal digits. @throws Misuse for other text. */
export function bytesOfText(input: Uint8Array, form: TextForm, file: string): Uint8Array {
  const text = Buffer.from(input)
    .toString("latin1")
    .replaceAll(/[^\S]+/g, "");
  const plain = form === "hex" ? text.replace(/^0x/i, "") : text;
  if (!forms[form].form.test(plain)) throw new Misuse(`--${form}: ${file}: is not ${forms[form].words}`);
  return new Uint8Array(Buffer.from(plain, form));
}

/** A file to which lines are appended, each synced to disk before the next step. */
export interface AppendedFile {
  /** Bytes in the file. */
  readonly size: number;
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file to append to, made when it is missing.
 *
 * @param length Bytes of it to keep; default: all.
 * @throws Misuse when it cannot be written.
 */
export async function appendTo(path: string, length?: number): Promise<AppendedFile> {
  let file: FileHandle;
  try {
    file = await open(path, "a");
    if (length !== undefined) await file.truncate(length);
  } catch (error) {
    throw new Misuse(`${path} cannot be written: ${reasonOf(error)}`);
  }
  let { size } = await file.stat();
  return {
    get size() {
      return size;
    },
    async append(text) {
      const bytes = Buffer.from(text);
      await file.writeFile(bytes);
      await file.datasync();
      size += bytes.byteLength;
    },
    close: () => file.close(),
  };
}
