import { readFile } from "node:fs/promises";
import type { RedriveLog } from "../../client/client/redrive/log.ts";
import { reasonOf } from "../../migration/read/file-reason.ts";
import { appendTo } from "../appended-file.ts";
import { Misuse } from "../misuse.ts";

/** The log of a re-drive in a file, made when it is missing. @throws Misuse when it cannot be read or written. */
export async function openRedriveLog(path: string): Promise<RedriveLog & AsyncDisposable> {
  const file = await appendTo(path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    await file.close();
    throw new Misuse(`${path} cannot be read: ${reasonOf(error)}`);
  }
  // An earlier run may have ended in the middle of a line.
  if (text !== "" && !text.endsWith("\n")) await file.append("\n");
  return {
    read: async () => text.split("\n"),
    append: (line) => file.append(`${line}\n`),
    [Symbol.asyncDispose]: () => file.close(),
  };
}
