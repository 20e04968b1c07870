import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the public vectors, or `undefined` where it is not there. */
export const vectors: string | undefined =
  process.env["SOBRE_VECTORS"] === undefined ? undefined : join(process.env["SOBRE_VECTORS"], "amqp");

/** One line of a vector file. */
export interface Vector {
  readonly id: string;
  readonly hex: string;
  readonly value?: unknown;
  readonly sections?: readonly unknown[];
  readonly why?: string;
  readonly proton?: string;
}

export function file(name: string): Buffer {
  return readFileSync(join(vectors ?? "", name));
}

export function lines(name: string): readonly Vector[] {
  return file(name)
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line): Vector => JSON.parse(line));
}

export const hex = (text: string): Uint8Array => Buffer.from(text, "hex");
