import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fault } from "../engine/faults.ts";

/** A file of the store: the database, its rollback journal, its log, the count of commits. */
export type StoreFile = "m" | "j" | "w" | "s";

/** Something that a process did, in the order in which it did it. */
export type Event =
  | { readonly kind: "write"; readonly file: StoreFile; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: StoreFile; readonly length: number }
  | { readonly kind: "sync begins" | "sync ends"; readonly file: StoreFile }
  | { readonly kind: "line"; readonly text: string };

const source = fileURLToPath(new URL("recorder.c", import.meta.url));
const mixedProcess = fileURLToPath(new URL("mixed-process.ts", import.meta.url));
const planting = new URL("planting.ts", import.meta.url).href;

/** Builds the recorder into a folder. @throws when there is no C compiler. */
export function buildRecorder(folder: string): string {
  const library = join(folder, "recorder.so");
  if (!existsSync(library))
    execFileSync("cc", ["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl", "-lpthread"], { stdio: "inherit" });
  return library;
}

/** Milliseconds after which a process is ended, e.g. a mutant whose answer never comes. */
const longestLife = { usual: 300_000, mutant: 15_000 } as const;

/** A process to record. */
export interface Load {
  readonly directory: string;
  readonly recorder: string;
  readonly callers: number;
  /** After this many it kills itself. */
  readonly acknowledgements: number;
  readonly seed: number;
  /** Whether the store answers early at times. */
  readonly early?: boolean;
  /** Mistakes in its sources. */
  readonly faults?: readonly Fault[];
  /** Whether they may end it before. */
  readonly mayFail?: boolean;
}

/** Runs mixed calls until enough are acknowledged, and gives everything that the process did. */
export async function record(load: Load): Promise<readonly Event[]> {
  const { directory, recorder, callers, acknowledgements, seed, early = false, faults = [], mayFail = false } = load;
  const path = `${directory}.record`;
  const numbers = [callers, acknowledgements, seed].map(String);
  const args = ["--import", planting, mixedProcess, directory, ...numbers, ...(early ? ["early"] : [])];
  const recorded = { LD_PRELOAD: recorder, STORE_DIR: directory, RECORD: path, FAULTS: JSON.stringify(faults) };
  const lines = openSync(`${directory}.lines`, "w");
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...recorded },
    stdio: ["ignore", lines, mayFail ? "ignore" : "inherit"],
  });
  const exited = once(child, "exit");
  closeSync(lines);
  const limit = setTimeout(() => child.kill("SIGTERM"), longestLife[mayFail ? "mutant" : "usual"]);
  const [, signal] = await exited;
  clearTimeout(limit);
  if (signal !== "SIGKILL" && !mayFail) throw new Error("The recorded process ended by itself; see above.");
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
