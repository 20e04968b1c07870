import type { DecodeContext, Decoded } from "../../src/core/codec/codec.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import {
  byteOffsetOf,
  type Charset,
  decodeText,
  markedCharset,
  unknownCharset,
} from "../../src/core/content-type/charset.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { refuseHazards } from "./hazards.ts";
import type { JsonOptions } from "./options.ts";
import { exactInteger, mayHoldLongInteger } from "./numbers.ts";
import { findFault } from "./scan.ts";
import type { ContentType } from "../../src/core/content-type/content-type.ts";
import { declaredCharset } from "../../src/core/content-type/declared-charset.ts";

// The escapes that "__proto__" can be spelled with, and exponents that may exceed a double. Written out, it is faster.
const suspicious = /\\u00[5-7]|\d[eE]\+?\d\d\d/;

/** Reads a JSON payload; see `json`. */
export function decodeJson(payload: Uint8Array, context: DecodeContext, options: JsonOptions): Decoded {
  const { limits } = context;
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
  const charset = charsetOf(payload, context.contentType);
  const text = decodeText(payload, charset);
  const long = mayHoldLongInteger(text);
  const body = parse(text, limits, long && options.bigint !== "number");
  if (body === undefined) throw refusal(payload, charset, text, limits);
  if (long || text.includes("__proto__") || suspicious.test(text)) {
    refuseHazards(body, options.protoKey !== "keep", "DecodeFailed");
  }
  return { body };
}

/** The value of a text, or `undefined` when it is no JSON within the limits. */
function parse(text: string, limits: DecodeLimits, exact: boolean): unknown {
  if (mayHoldMore(text, limits.maxItems) && findFault(text, limits)) return undefined;
  try {
    const body: unknown = exact ? JSON.parse(text, exactly) : JSON.parse(text);
    return mayBeDeeper(text, limits.maxDepth) && isDeeper(body, limits.maxDepth) ? undefined : body;
  } catch {
    // The engine's own error quotes the payload, so it is not passed on.
    return undefined;
  }
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? exactInteger(value, context?.source) : value;
}

const faults = {
  broken: ["DecodeFailed", "is not JSON"],
  truncated: ["TruncatedPayload", "ends before its value"],
  trailing: ["TrailingBytes", "continues after its value"],
} as const;

function refusal(payload: Uint8Array, charset: Charset, text: string, limits: DecodeLimits): SobreError {
  const fault = findFault(text, limits);
  if (fault === undefined) {
    return new SobreError("LimitExceeded", "The payload is nested deeper than JavaScript reads.");
  }
  const { kind, index } = fault;
  const offset = byteOffsetOf(payload, charset, text, index);
  if (kind === "maxDepth" || kind === "maxItems") return limitExceeded(kind, limits, { offset });
  const [code, what] = faults[kind];
  return new SobreError(code, `The payload ${what}, at byte ${offset}.`, { offset });
}

/**
 * The charset of a JSON payload: the declared one, else the one that the byte-order mark or the zero bytes imply
 * (RFC 4627 section 3), or else UTF-8.
 *
 * @throws SobreError `UnknownCharset` for a label it does not know, and for UTF-32.
 */
function charsetOf(payload: Uint8Array, contentType: ContentType | undefined): Charset {
  const declared = declaredCharset(contentType);
  if (declared !== undefined && declared !== "utf-16") return declared;
  const first = payload[0];
  const second = payload[1];
  if (first !== 0 && second !== 0) return markedCharset(payload) ?? declared ?? "utf-8";
  if (first === second || (payload[2] === 0 && payload[3] === 0)) {
    throw unknownCharset("The UTF-32 of the payload");
  }
  return first === 0 ? "utf-16be" : "utf-16le";
}

/** Whether a JSON text may hold more than `most` items: each has a comma before it or an open bracket. */
function mayHoldMore(text: string, most: number): boolean {
  return text.length >= 2 * most && count(text, ",", most) + count(text, "[", most) + count(text, "{", most) > most;
}

/** Whether a JSON text may be nested more than `most` levels deep, by its length and its brackets. */
function mayBeDeeper(text: string, most: number): boolean {
  if (text.length < 2 * most) return false;
  const lists = count(text, "[", most);
  // A list costs two characters, `[]`; an object within another costs five, `{"":}`.
  if (lists + (text.length + 3 - 2 * lists) / 5 <= most) return false;
  return lists + count(text, "{", most) > most;
}

function count(text: string, bracket: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(bracket); at !== -1 && found <= most; at = text.indexOf(bracket, at + 1)) found++;
  return found;
}

/** Whether a parsed value is nested more than `most` levels deep. */
function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === "object" && isDeeper(member, most - 1)) return true;
  }
  return false;
}
