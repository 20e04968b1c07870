import { encodeValue } from "../../core/amqp-values/encode-value.ts";
import { decodeValues } from "../../core/amqp-values/read-value.ts";
import { type ContentType, parseContentType } from "../../core/content-type/content-type.ts";
import { parameter } from "../../core/content-type/parameter.ts";
import type { BodyKind } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { AmqpMap, type AmqpValue } from "../../core/values/typed.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { parseExactly } from "./exact-number.ts";

/**
 * How HTTP carries AMQP value and sequence bodies: as encoded bytes, or as JSON with `$` objects for values that JSON
 * lacks.
 */
export type AmqpBodyForm = "encoded" | "json";

/** A body of AMQP's own types as HTTP carries it. */
interface HttpBody {
  readonly contentType: string;
  readonly body: Uint8Array;
}

type AmqpKind = Exclude<BodyKind, "data">;

const encodedType = "application/x-amqp-value";
const jsonType = "application/json";

/** The parameter of `application/json` that names the body kind. */
const kindParameter = "amqp";

/** Writes a value or sequence; what has no JSON form stays encoded. */
export function writeAmqpBody(payload: Uint8Array, kind: AmqpKind, form: AmqpBodyForm): HttpBody {
  const json = form === "json" ? jsonOf(payload, kind) : undefined;
  if (json !== undefined) return { contentType: `${jsonType}; ${kindParameter}=${kind}`, body: Buffer.from(json) };
  return { contentType: kind === "sequence" ? `${encodedType}; body=sequence` : encodedType, body: payload };
}

function jsonOf(payload: Uint8Array, kind: AmqpKind): string | undefined {
  try {
    const values = decodeValues(payload).map(withMembers);
    if (kind === "sequence") return JSON.stringify(valueToJson(values));
    return values.length === 1 ? JSON.stringify(valueToJson(values[0])) : undefined;
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}

/** Maps with text as keys as objects, which read better than pairs. */
function withMembers(value: AmqpValue): unknown {
  if (Array.isArray(value)) return value.map(withMembers);
  if (!(value instanceof AmqpMap)) return value;
  const entries = Array.from(value, ([key, item]): [unknown, unknown] => [key, withMembers(item)]);
  return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : new Map(entries);
}

/**
 * The payload and kind that a content type names; `data` is the body as it is.
 *
 * @throws SobreError `InvalidArgument`, or as `decodeValues` does, for a body that is not what its type promises.
 */
export function readAmqpBody(
  contentType: string | undefined,
  body: Uint8Array,
): { readonly payload: Uint8Array; readonly bodyKind: BodyKind } {
  const type = contentType !== undefined && mayNameKind(contentType) ? parseContentType(contentType) : undefined;
  if (type?.type === encodedType) return encodedBody(type, body);
  const kind = type?.type === jsonType ? parameter(type, kindParameter) : undefined;
  if (kind === undefined) return { payload: body, bodyKind: "data" };
  if (kind !== "value" && kind !== "sequence")
    throw new SobreError("InvalidArgument", `The parameter ${kindParameter} must be value or sequence.`);
  return { payload: payloadOf(body, kind), bodyKind: kind };
}

/** Other content types are the reader's affair, malformed ones too. */
const mayNameKind = (contentType: string): boolean =>
  /^application\/(?:x-amqp-value|json\s*;.*\bamqp\s*=)/i.test(contentType);

function encodedBody(type: ContentType, body: Uint8Array): { payload: Uint8Array; bodyKind: BodyKind } {
  const bodyKind = parameter(type, "body") === "sequence" ? "sequence" : "value";
  const count = decodeValues(body).length;
  if (bodyKind === "value" && count !== 1)
    throw new SobreError("InvalidArgument", "The body is not exactly one AMQP value, as its media type requires.");
  return { payload: body, bodyKind };
}

/** In the JSON form of values, an integer that no double holds has its own object. */
const exactInteger = (text: string): unknown => (/^-?\d{16,}$/.test(text) ? { $int64: text } : Number(text));

function payloadOf(body: Uint8Array, kind: AmqpKind): Uint8Array {
  const value = valueFromJson(parseExactly(body, "body", exactInteger));
  if (kind === "value") return encodeValue(value);
  if (!Array.isArray(value) || !value.every(Array.isArray))
    throw new SobreError("InvalidArgument", "The body of an AMQP sequence must be an array of arrays.");
  return Buffer.concat(value.map((list) => encodeValue(list)));
}
