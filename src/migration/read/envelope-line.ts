import { isUtf8 } from "node:buffer";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { propertiesToJson } from "../../core/envelope/envelope-json.ts";

/** Content types whose payloads are text. */
const textTypes = /^(?:text\/|application\/(?:[^;]*\+)?(?:json|xml)\b)/i;

/** The JSON form of an envelope on one line; payloads that are text are strings, which `jq` and people can read. */
export function envelopeLine(envelope: Envelope): string {
  const { bodyKind, brokerProperties, applicationProperties } = envelope;
  const json = JSON.stringify({
    payload: payloadOf(envelope),
    bodyKind,
    brokerProperties: propertiesToJson(brokerProperties),
    applicationProperties: propertiesToJson(applicationProperties),
  });
  // Readers of lines such as Node's end a line at these too.
  return `${json.replaceAll("\u{2028}", "\\u2028").replaceAll("\u{2029}", "\\u2029")}\n`;
}

function payloadOf({ bodyKind, brokerProperties, payload }: Envelope): string | { readonly $bytes: string } {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const isText = bodyKind === "data" && textTypes.test(brokerProperties.contentType ?? "") && isUtf8(bytes);
  return isText ? bytes.toString("utf8") : { $bytes: bytes.toString("base64") };
}
