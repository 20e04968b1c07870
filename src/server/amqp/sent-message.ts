import type { Envelope } from "../../envelope/envelope.ts";
import { openMessage } from "../../amqp/message/amqp-message.ts";
import { batchMessageFormat, decodeBatch } from "../../amqp/message/batch.ts";
import { decodeMessage } from "../../amqp/message/decode-message.ts";
import { firstDescriptor, section } from "../../amqp/message/section.ts";
import { valueEnd } from "../../amqp/message/value-end.ts";
import { writeMessage } from "../../amqp/message/write-message.ts";

const options = { check: true };

/** The envelopes of a transfer: one, or those of a batch. @throws SobreError as `decodeMessage` and `decodeBatch` do. */
export function readSent(payload: Uint8Array, messageFormat: number): readonly Envelope[] {
  if (messageFormat !== batchMessageFormat) return [readOne(payload)];
  try {
    return decodeBatch(payload, options);
  } catch (error) {
    const { body } = openMessage(payload);
    if (body?.kind !== "data" || body.sections.every((one) => footerLast(one) === undefined)) throw error;
    const sections = body.sections.map((one) => footerLast(one) ?? one);
    return decodeBatch(writeMessage({ body: { kind: "data", sections } }), options);
  }
}

/** The envelope of a message. @throws SobreError as `decodeMessage` does. */
export function readOne(payload: Uint8Array): Envelope {
  try {
    return decodeMessage(payload, options);
  } catch (error) {
    const turned = footerLast(payload);
    if (turned === undefined) throw error;
    return decodeMessage(turned, options);
  }
}

/**
 * A message whose footer was written in front of its body, as the official client does, with the footer at its end,
 * where it belongs (AMQP 1.0 part 3.2); `undefined` for any other.
 */
function footerLast(bytes: Uint8Array): Uint8Array | undefined {
  let footer: readonly [start: number, end: number] | undefined;
  for (let start = 0; start < bytes.byteLength;) {
    if (bytes[start] !== 0x00 || bytes[start + 1] !== 0x53) return undefined;
    const end = valueEnd(bytes, start + 3);
    if (end < 0) return undefined;
    const kind = (bytes[start + 2] ?? 0) - firstDescriptor;
    if (footer !== undefined && (kind < section.data || kind >= section.footer)) return undefined;
    if (kind === section.footer) footer = [start, end];
    start = end;
  }
  if (footer === undefined || footer[1] === bytes.byteLength) return undefined;
  const [start, end] = footer;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end), bytes.subarray(start, end)]);
}
