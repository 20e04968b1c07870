import { type FileHandle, open } from "node:fs/promises";
import { reasonOf } from "../migration/read/file-reason.ts";
import { Misuse } from "./misuse.ts";

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
