import { createHash } from "node:crypto";
import type { Codec } from "../core/codec/codec.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { canonicalJson } from "./json-schema/json-value.ts";
import type { CodecRow, Finding, Verdict, Witness, WitnessEncoding } from "./verdict.ts";

/** How a witness becomes bytes. */
export interface WitnessWriting {
  readonly codecs: readonly Codec[];
  /** The value as codecs with more types than JSON carry it. */
  readonly toNative: (value: unknown) => unknown;
}

/** A value with its bytes per codec; a codec that has no form for it is left out. */
export function witnessOf(value: unknown, outcome: string, { codecs, toNative }: WitnessWriting): Witness {
  const encodings = codecs.flatMap((codec) => {
    const encoded = encode(codec, hasNativeValues(codec.name) ? toNative(value) : value);
    return encoded === undefined ? [] : [encoded];
  });
  return { value, encodings, outcome, hash: hashOf(value, outcome) };
}

/** Whether a codec carries bytes, 64-bit integers and times as themselves. */
export function hasNativeValues(codec: string): boolean {
  return codec === "msgpack" || codec === "amqp";
}

/** SHA-256 in hex of a witness, however its members are ordered. */
export function hashOf(value: unknown, outcome: string): string {
  return sha256(`${canonicalJson(value)}\n${outcome}`);
}

/** SHA-256 in hex of a text. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A finding with the hash that waivers name. */
export function hashed(finding: Omit<Finding, "hash" | "severity"> & Partial<Pick<Finding, "severity">>): Finding {
  const { code, message, witness } = finding;
  return { severity: "error", ...finding, hash: witness?.hash ?? sha256(`${code}\n${message}`) };
}

function encode(codec: Codec, value: unknown): WitnessEncoding | undefined {
  try {
    const { payload, contentType = codec.contentType } = codec.encode(value, {
      contentType: undefined,
      applicationProperties: {},
    });
    return { codec: codec.name, contentType, payload };
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}

const reasons = { safe: "proven for every value", tested: "every sample is read", unproven: "not decided" } as const;

/** One row per codec; a break counts only for codecs that can carry its witness. */
export function rowsOf(verdict: Verdict, findings: readonly Finding[], codecs: readonly Codec[]): readonly CodecRow[] {
  return codecs.map(({ name }) => {
    const carried = findings.find(({ witness }) => witness?.encodings.some(({ codec }) => codec === name));
    if (verdict !== "breaking") return { codec: name, verdict, reason: reasons[verdict] };
    return carried === undefined
      ? { codec: name, verdict: "unproven", reason: "no witness that was found has a form in this codec" }
      : { codec: name, verdict, reason: carried.message };
  });
}
