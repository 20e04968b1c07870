import { SobreError } from "../errors/index.ts";
import { type BodyKind, createEnvelope, type Envelope, type EnvelopeInit } from "./envelope.ts";
import { type Json, valueFromJson, valueToJson } from "./value-json.ts";

/**
 * The JSON form of an envelope, for files and the command line; `schemas/envelope.schema.json` describes it.
 *
 * Values are rendered as by {@link valueToJson}. The origin is not part of it.
 */
export function envelopeToJson(envelope: Envelope): Json {
  const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
  return {
    payload: valueToJson(payload),
    bodyKind,
    brokerProperties: valueToJson(brokerProperties),
    applicationProperties: valueToJson(applicationProperties),
  };
}

/**
 * Reads an envelope from its JSON form; all but `payload` may be absent.
 *
 * @throws SobreError `InvalidArgument` with the path, also for members that the form does not have.
 */
export function envelopeFromJson(json: unknown): Envelope {
  const members = new Map(Object.entries(record(json, "$")));
  const init: EnvelopeInit = {
    payload: bytes(members.get("payload")),
    bodyKind: bodyKind(members.get("bodyKind") ?? "data"),
    brokerProperties: properties(members.get("brokerProperties"), "$.brokerProperties"),
    applicationProperties: properties(members.get("applicationProperties"), "$.applicationProperties"),
  };
  for (const name of members.keys()) {
    if (!(name in init))
      throw new SobreError("InvalidArgument", `The envelope has no member "${name}".`, { path: `$.${name}` });
  }
  return createEnvelope(init);
}

function record(value: unknown, path: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new SobreError("InvalidArgument", `The value at ${path} must be an object.`, { path });
}

function bytes(value: unknown): Uint8Array {
  const payload = valueFromJson(value);
  if (payload instanceof Uint8Array) return payload;
  throw new SobreError("InvalidArgument", 'The payload must be {"$bytes": base64}.', { path: "$.payload" });
}

function bodyKind(value: unknown): BodyKind {
  if (value === "data" || value === "value" || value === "sequence") return value;
  throw new SobreError("InvalidArgument", 'The bodyKind must be "data", "value" or "sequence".', {
    path: "$.bodyKind",
  });
}

/** The values are checked where the envelope is made. */
function properties(value: unknown, path: string): Readonly<Record<string, never>> | undefined {
  if (value === undefined) return undefined;
  const entries: readonly [string, unknown][] = Object.entries(record(value, path));
  const values: Record<string, never> = Object.fromEntries(entries.map(([name, item]) => [name, valueFromJson(item)]));
  return values;
}
