import { isObject } from "../../core/values/plain-object.ts";
import { json } from "../../../codecs/json/index.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

type ExplorerMembers = Readonly<Record<string, unknown>>;

/**
 * The envelope of a message that Service Bus Explorer has saved as JSON: `body` as text or as the original JSON, `label`,
 * `properties` as an object or as a list of key and value, and the broker's own properties, which are left out.
 *
 * @throws SobreError `DecodeFailed` for a body in which the export has replaced bytes by U+FFFD; `InvalidArgument` for
 *   values that an envelope cannot hold.
 */
export function envelopeOfExplorer(message: ExplorerMembers): Envelope {
  return createEnvelope({
    payload: payloadOf(message["body"]),
    brokerProperties: {
      contentType: text(message["contentType"]),
      correlationId: text(message["correlationId"]),
      messageId: text(message["messageId"]),
      partitionKey: text(message["partitionKey"]),
      viaPartitionKey: text(message["viaPartitionKey"]),
      replyTo: text(message["replyTo"]),
      replyToSessionId: text(message["replyToSessionId"]),
      sessionId: text(message["sessionId"]),
      subject: text(message["label"]) ?? text(message["subject"]),
      to: text(message["to"]),
      timeToLive: timeToLiveOf(message["timeToLive"]),
    },
    applicationProperties: propertiesOf(message["properties"] ?? message["applicationProperties"]),
  });
}

function payloadOf(body: unknown): Uint8Array {
  if (body === null || body === undefined) return new Uint8Array(0);
  if (typeof body !== "string")
    return json({ protoKey: "keep" }).encode(body, { contentType: undefined, applicationProperties: {} }).payload;
  if (!body.includes("\ufffd")) return new TextEncoder().encode(body);
  throw new SobreError(
    "DecodeFailed",
    "The export replaced bytes of the body by U+FFFD, so the payload is lost in this file. Migrate from the queue itself.",
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** .NET's `TimeSpan`: `[d.]hh:mm:ss[.fffffff]`; the maximum means never. */
function timeToLiveOf(value: unknown): number | undefined {
  const [, days = "0", hours, minutes, seconds, fraction = ""] =
    /^(?:(\d+)\.)?(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?$/.exec(text(value) ?? "") ?? [];
  if (hours === undefined || Number(days) >= 10_675_199) return undefined;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const milliseconds = whole * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
  return milliseconds > 0 ? milliseconds : undefined;
}

function propertiesOf(properties: unknown): Record<string, string | number | bigint | boolean | null> {
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(properties)
    ? properties.filter(isObject).map((entry) => [String(entry["key"]), entry["value"]])
    : isObject(properties)
      ? Object.entries(properties)
      : [];
  return Object.fromEntries(entries.map(([key, value]) => [key, scalarOf(value)]));
}

function scalarOf(value: unknown): string | number | bigint | boolean | null {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return value;
    default:
      return value === null || value === undefined ? null : JSON.stringify(value);
  }
}
