import type { Envelope } from "../../../core/envelope/envelope.ts";
import { parseMessage } from "../../../wire/amqp/message/amqp-message.ts";
import { batchMessageFormat, decodeBatch } from "../../../wire/amqp/message/batch.ts";
import { readChecked } from "../../../wire/amqp/message/decode-message.ts";
import { firstDescriptor, section } from "../../../wire/amqp/message/section.ts";
import { valueEnd } from "../../../core/amqp-values/value-end.ts";
import { writeMessage } from "../../../wire/amqp/message/write-message.ts";

const options = { check: true };

/** The envelopes of a transfer: one, or those of a batch. @throws SobreError as `readChecked` and `decodeBatch` do. */
export function readSent(payload: Uint8Array, messageFormat: number): readonly Envelope[] {
  if (messageFormat !== batchMessageFormat) return [readOne(payload)];
  try {
    return decodeBatch(payload, options);
  } catch (error) {
    const { body } = parseMessage(payload);
    if (body?.kind !== "data" || body.sections.every((one) => inOrder(one) === undefined)) throw error;
    const sections = body.sections.map((one) => inOrder(one) ?? one);
    return decodeBatch(writeMessage({ body: { kind: "data", sections } }), options);
  }
}

/** The envelope of a message. @throws SobreError as `readChecked` does. */
export function readOne(payload: Uint8Array): Envelope {
  try {
    return readChecked(payload);
  } catch (error) {
    const ordered = inOrder(payload);
    if (ordered === undefined) throw error;
    return readChecked(ordered);
  }
}

/**
 * A message with its sections in the order of AMQP 1.0 part 3.2, which some clients do not follow; `undefined` if they
 * are already in order, or a section is repeated.
 */
function inOrder(bytes: Uint8Array): Uint8Array | undefined {
  const sections: { readonly kind: number; readonly bytes: Uint8Array }[] = [];
  for (let start = 0; start < bytes.byteLength;) {
    if (bytes[start] !== 0x00 || bytes[start + 1] !== 0x53) return undefined;
    const end = valueEnd(bytes, start + 3);
    if (end < 0) return undefined;
    const kind = (bytes[start + 2] ?? 0) - firstDescriptor;
    const isNext = sections.at(-1)?.kind === kind && (kind === section.data || kind === section.sequence);
    if (!isNext && sections.some((one) => one.kind === kind)) return undefined;
    sections.push({ kind, bytes: bytes.subarray(start, end) });
    start = end;
  }
  const sorted = sections.toSorted((one, other) => one.kind - other.kind);
  if (sorted.every((one, index) => one === sections[index])) return undefined;
  return Buffer.concat(sorted.map((one) => one.bytes));
}
