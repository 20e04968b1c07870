import { ByteReader, type ReaderSettings } from "../../../core/amqp-values/byte-reader.ts";
import { readTyped } from "../../../core/amqp-values/read-typed.ts";
import { defaultDecodeLimits } from "../../../core/codec/limits.ts";
import { Typed } from "../../../core/values/typed.ts";
import { code } from "./performative.ts";
import { WireFault } from "./wire-fault.ts";

/** A performative is small and flat, and arrives before its peer has authenticated. */
const settings: ReaderSettings = {
  limits: { ...defaultDecodeLimits, maxDepth: 16, maxItems: 20_000 },
  maxZeroWidth: 64,
  lenient: false,
  copy: false,
};

/** A reader for the body of a frame. */
export const bodyReader = (body: Uint8Array): ByteReader => new ByteReader(body, settings);

/** Symbolic descriptors, which some peers write instead of the codes. */
const symbols: ReadonlyMap<string, number> = new Map(
  Object.entries(code).map(([name, descriptor]) => [
    `amqp:${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:list`,
    descriptor,
  ]),
);

/** Reads a descriptor; `undefined` for null instead of a described value. */
export function readDescriptor(reader: ByteReader): number | undefined {
  const { bytes, at } = reader;
  // Nearly all are a small ulong.
  if (bytes[at] === 0x00 && bytes[at + 1] === 0x53 && at + 2 < reader.end) {
    reader.at = at + 3;
    return bytes[at + 2];
  }
  const first = reader.code();
  if (first === 0x40) return undefined;
  if (first !== 0x00) throw reader.fault("A value is not described", at);
  const descriptor = readTyped(reader, 0);
  const value = descriptor instanceof Typed ? descriptor.value : undefined;
  if (typeof value === "bigint" && value <= 0xffn) return Number(value);
  return typeof value === "string" ? (symbols.get(value) ?? -1) : -1;
}

/** The value of a mandatory field. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new WireFault("amqp:invalid-field", `The mandatory field ${name} is missing.`);
  return value;
}
