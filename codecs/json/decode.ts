import type { Decoded, DecodeContext } from "../../src/codec/codec.ts";
import { type DecodeLimits, limitExceeded } from "../../src/codec/limits.ts";
import { byteOffsetOf, type Charset, decodeText } from "../../src/content-type/charset.ts";
import { SobreError } from "../../src/errors/index.ts";
import { findExcess, isDeeper, mayBeDeeper, mayHoldMore } from "./budget.ts";
import { charsetOf } from "./charset.ts";
import { refuseHazards } from "./hazards.ts";
import type { JsonOptions } from "./index.ts";
import { exactInteger, mayHoldLongInteger } from "./numbers.ts";
import { findSyntaxFault } from "./syntax.ts";

// One look for all hazards: "__proto__", the escapes it can be spelled with, and exponents that may exceed a double.
const suspicious = /__proto__|\\u00|\d[eE]\+?\d{3}/;

/** Reads a JSON payload; see `json`. */
export function decodeJson(payload: Uint8Array, context: DecodeContext, options: JsonOptions): Decoded {
  const { limits } = context;
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
  const charset = charsetOf(payload, context.contentType);
  const text = decodeText(payload, charset);
  const source: Source = { payload, charset, text };
  if (mayHoldMore(text, limits.maxItems)) refuseExcess(source, limits);
  const long = mayHoldLongInteger(text);
  const deep = mayBeDeeper(text, limits.maxDepth);
  let body: unknown;
  let deeper: boolean;
  try {
    body = long && options.bigint !== "number" ? JSON.parse(text, exactly) : JSON.parse(text);
    deeper = deep && isDeeper(body, limits.maxDepth);
  } catch {
    // The engine's own error quotes the payload, so it is not passed on.
    throw parseError(source);
  }
  if (deeper) refuseExcess(source, limits);
  if (long || suspicious.test(text)) refuseHazards(body, options.protoKey !== "keep");
  return { body };
}

interface Source {
  readonly payload: Uint8Array;
  readonly charset: Charset;
  readonly text: string;
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? exactInteger(value, context?.source) : value;
}

const faults = {
  broken: ["DecodeFailed", "breaks the grammar of JSON at byte"],
  truncated: ["TruncatedPayload", "ends before its value does, at byte"],
  trailing: ["TrailingBytes", "goes on behind its value at byte"],
} as const;

function parseError(source: Source): SobreError {
  const fault = findSyntaxFault(source.text);
  if (fault === undefined) {
    return new SobreError("LimitExceeded", "The payload is nested deeper than this JavaScript engine reads.");
  }
  const offset = offsetOf(source, fault.index);
  const [code, what] = faults[fault.kind];
  return new SobreError(code, `The payload ${what} ${offset}.`, { offset });
}

function refuseExcess(source: Source, limits: DecodeLimits): void {
  const excess = findExcess(source.text, limits);
  if (excess !== undefined) throw limitExceeded(excess.limit, limits, { offset: offsetOf(source, excess.index) });
}

function offsetOf({ payload, charset, text }: Source, index: number): number {
  return byteOffsetOf(payload, charset, text, index);
}
