import type { Envelope } from "../envelope/envelope.ts";

/** Whether the declared type is just bytes, which JMS also declares for the formats of .NET and Java. */
export function isOctets({ bodyKind, brokerProperties: { contentType } }: Envelope): boolean {
  return bodyKind === "data" && /^application\/octet-stream\s*(?:;|$)/i.test(contentType ?? "");
}
