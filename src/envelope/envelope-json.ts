import { SobreError } from "../errors/index.ts";
import { checkEnvelope, type Envelope } from "./envelope.ts";
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
  const { payload, bodyKind, brokerProperties, applicationProperties, ...others }: Partial<Record<string, unknown>> = {
    ...record(json, "$"),
  };
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new SobreError("InvalidArgument", `The envelope has no member "${other}".`, { path: `$.${other}` });
  }
  return checkEnvelope({
    payload: valueFromJson(payload),
    bodyKind,
    brokerProperties: properties(brokerProperties, "$.brokerProperties"),
    applicationProperties: properties(applicationProperties, "$.applicationProperties"),
  });
}

function record(value: unknown, path: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new SobreError("InvalidArgument", `The value at ${path} must be an object.`, { path });
}

function properties(value: unknown, path: string): object | undefined {
  if (value === undefined) return undefined;
  const entries: readonly [string, unknown][] = Object.entries(record(value, path));
  return Object.fromEntries(entries.map(([name, item]) => [name, valueFromJson(item)]));
}
