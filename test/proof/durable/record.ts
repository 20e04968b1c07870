import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the store: the database, its rollback journal, its log, the count of commits. */
export type StoreFile = "m" | "j" | "w" | "s";

/** Something that a process did, in the order in which it did it. */
export type Event =
  | { readonly kind: "write"; readonly file: StoreFile; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: StoreFile; readonly length: number }
  | { readonly kind: "sync begins" | "sync ends"; readonly file: StoreFile }
  | { readonly kind: "line"; readonly text: string };

const source = fileURLToPath(new URL("recorder.c", import.meta.url));
const loadProcess = fileURLToPath(new URL("load-process.ts", import.meta.url));

/** Builds the recorder into a folder. @throws when there is no C compiler. */
export function buildRecorder(folder: string): string {
  const library = join(folder, "recorder.so");
  if (!existsSync(library))
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl", "-lpthread"], { stdio: "inherit" });
  return library;
}

/** Runs the load of sends until enough are acknowledged, kills it, and gives everything it did. */
export async function record(
  { directory, recorder, mutant }: { readonly directory: string; readonly recorder: string; readonly mutant?: string },
  acknowledgements: number,
): Promise<readonly Event[]> {
  const path = `${directory}.record`;
  const args = [loadProcess, directory, "1", "sends", ...(mutant === undefined ? [] : [mutant])];
  const last = { LAST_SEND: String(acknowledgements) };
  const env = { ...process.env, LD_PRELOAD: recorder, STORE_DIR: directory, RECORD: path, ...last };
  const lines = openSync(`${directory}.lines`, "w");
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", lines, "inherit"] });
  const exited = once(child, "exit");
  closeSync(lines);
  await exited;
  return events(readFileSync(path));
}

const headLength = 18;

function events(bytes: Buffer): readonly Event[] {
  const found: Event[] = [];
  for (let at = 0; at + headLength <= bytes.length;) {
    const kind = String.fromCharCode(bytes.readUInt8(at));
    const file = fileOf(bytes.readUInt8(at + 1));
    const offset = Number(bytes.readBigInt64LE(at + 2));
    const length = Number(bytes.readBigInt64LE(at + 10));
    const content = bytes.subarray(at + headLength, at + headLength + length);
    at += headLength + length;
    if (kind === "A") for (const text of content.toString().split("\n")) found.push({ kind: "line", text });
    else if (kind === "W") found.push({ kind: "write", file, offset, bytes: content });
    else if (kind === "T") found.push({ kind: "truncate", file, length: offset });
    else found.push({ kind: kind === "S" ? "sync begins" : "sync ends", file });
  }
  return found;
}

function fileOf(code: number): StoreFile {
  const name = String.fromCharCode(code);
  return name === "m" || name === "j" || name === "w" ? name : "s";
}
