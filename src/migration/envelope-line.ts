import type { Envelope } from "../envelope/envelope.ts";
import { envelopeToJson } from "../envelope/envelope-json.ts";
import { isObject } from "../values/plain-object.ts";

const noBytes = new Uint8Array(0);

/** The JSON form of an envelope on one line; Node encodes the payload, which is most of it. */
export function envelopeLine(envelope: Envelope): Buffer {
  const { bodyKind, brokerProperties, applicationProperties, payload } = envelope;
  const rest = envelopeToJson({ bodyKind, brokerProperties, applicationProperties, payload: noBytes });
  const $bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("base64");
  return Buffer.from(`${JSON.stringify({ ...(isObject(rest) ? rest : {}), payload: { $bytes } })}\n`);
}
