import type { Envelope } from "../envelope/envelope.ts";

/** Whether the declared type says no more than that the body is bytes, which JMS declares of .NET's and Java's too. */
export function isOctets({ bodyKind, brokerProperties: { contentType } }: Envelope): boolean {
  return bodyKind === "data" && /^application\/octet-stream\s*(?:;|$)/i.test(contentType ?? "");
}
