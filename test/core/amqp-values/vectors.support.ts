import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vectors } from "../../vectors.support.ts";

/** One line of a vector file. */
export interface Vector {
  readonly id: string;
  readonly hex: string;
  readonly value?: unknown;
  readonly sections?: readonly unknown[];
  readonly proton?: string;
}

/** One entry of the index of public files. */
export interface IndexEntry {
  readonly file: string;
  readonly kind: string;
  readonly proton?: { readonly ok: boolean; readonly values?: readonly unknown[] };
}

export function file(name: string): Buffer {
  return readFileSync(join(vectors, "amqp", name));
}

export function lines(name: string): readonly Vector[] {
  const all = file(name).toString("utf8").trim().split("\n");
  return all.map((line): Vector => JSON.parse(line));
}

/** The vectors of a file that is one JSON document, under `member` or at the top. */
export function json(name: string, member?: string): readonly Vector[] {
  const document = JSON.parse(file(name).toString("utf8"));
  return member === undefined ? document : document[member];
}

export function indexed(): readonly IndexEntry[] {
  return JSON.parse(file("index.json").toString("utf8"));
}

export const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
