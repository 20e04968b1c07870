import { looksLike } from "../../../core/codec/looks-like.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { decodeMessage } from "./decode-message.ts";

const wholeMessage = "application/x-amqp-message";

/** The message that a payload is when it is a whole AMQP message, or `undefined`; another declared type is believed. */
export function wholeMessageIn(payload: Uint8Array, declared: string | undefined): Envelope | undefined {
  // Every section begins with a zero, and hardly anything else does.
  if (payload[0] !== 0 || (declared !== undefined && declared !== wholeMessage)) return undefined;
  if (looksLike(payload)?.contentType !== wholeMessage) return undefined;
  try {
    return decodeMessage(payload, { check: true });
  } catch {
    // Bytes that only begin like a message are read, and reported, as their declared type.
    return undefined;
  }
}
