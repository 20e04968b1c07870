import type { Decoded, DecodeContext } from "../../src/core/codec/codec.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { byteOffsetOf, type Charset, decodeText } from "../../src/core/content-type/charset.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { isDeeper, mayBeDeeper, mayHoldMore } from "./budget.ts";
import { charsetOf } from "./charset.ts";
import { refuseHazards } from "./hazards.ts";
import type { JsonOptions } from "./options.ts";
import { exactInteger, mayHoldLongInteger } from "./numbers.ts";
import { findFault } from "./scan.ts";

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
