import { anEnvelope, checkOption } from "../options/option-checks.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkBag, isRecord } from "./bag.ts";
import { checkEnvelope, type Envelope } from "./envelope.ts";
import { type Json, valueToJson } from "../values/value-json.ts";
import { valueFromJsonAt } from "../values/value-json-reading.ts";

/**
 * The JSON form of an envelope, for files and the command line, described by `schemas/envelope.schema.json`.
 *
 * Values are in the form of {@link valueToJson}; property names are never mistaken for its `$` keys. The origin is not
 * included.
 *
 * @example
 * ```ts
 * const envelope = createEnvelope({ payload: Uint8Array.of(1), applicationProperties: { total: 7n } });
 * console.log(envelopeToJson(envelope)); // applicationProperties: { total: { '$int64': '7' } }
 * ```
 */
export function envelopeToJson(envelope: Envelope): Json {
  checkOption("envelope", envelope, anEnvelope);
  const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
  return {
    payload: valueToJson(payload),
    bodyKind,
    brokerProperties: propertiesToJson(brokerProperties),
    applicationProperties: propertiesToJson(applicationProperties),
  };
}

/** The JSON form of broker or application properties. */
export function propertiesToJson(properties: object): Json {
  return Object.fromEntries(
    // Most are strings, which are their own form.
    Object.entries(properties).map(([name, value]) => [name, typeof value === "string" ? value : valueToJson(value)]),
  );
}

/**
 * Reads an envelope from its JSON form; only `payload` is required. A payload that is text may be a string, its UTF-8
 * being the bytes, as in the output of `sobre migrate`.
 *
 * @throws SobreError `InvalidArgument` with the path, also for unknown members.
 * @example
 * ```ts
 * const envelope = envelopeFromJson({ payload: { $bytes: "AQI=" }, brokerProperties: { subject: "order" } });
 * console.log(envelope.payload.length, envelope.brokerProperties.subject); // 2 order
 * ```
 */
export function envelopeFromJson(json: unknown): Envelope {
  const { payload, bodyKind, brokerProperties, applicationProperties, ...others }: Partial<Record<string, unknown>> = {
    ...checkBag(json, "$"),
  };
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SobreError("InvalidArgument", `Unknown member "${other}" in the envelope.`, { path: `$.${other}` });
  }
  return checkEnvelope({
    payload: typeof payload === "string" ? bytesOf(payload) : valueFromJsonAt(payload, "$.payload"),
    bodyKind,
    brokerProperties: read(brokerProperties, "$.brokerProperties"),
    applicationProperties: read(applicationProperties, "$.applicationProperties"),
  });
}

function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  throw new SobreError("InvalidArgument", "The payload has half of a surrogate pair, which UTF-8 cannot hold.", {
    path: "$.payload",
  });
}

function read(properties: unknown, path: string): unknown {
  if (properties === undefined) return undefined;
  const given = checkBag(properties, path);
  // Most are strings, which are their own form.
  if (!Object.values(given).some(isRecord)) return given;
  const entries: readonly [string, unknown][] = Object.entries(given);
  return Object.fromEntries(entries.map(([name, value]) => [name, valueFromJsonAt(value, `${path}.${name}`)]));
}
