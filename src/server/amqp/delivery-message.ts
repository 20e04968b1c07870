import { ByteWriter } from "../../amqp/values/byte-writer.ts";
import type { Delivery } from "../../engine/delivery.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { annotationName } from "../../amqp/message/annotation-name.ts";
import { encodeMessage } from "../../amqp/message/encode-message.ts";
import { MessageOrigin } from "../../amqp/message/message-origin.ts";
import { section } from "../../amqp/message/section.ts";
import { writeHeader } from "../../amqp/message/write-fields.ts";
import { writeDescriptor } from "../../amqp/message/write-section.ts";
import type { DirectMessage } from "../../amqp/connection/outgoing.ts";
import { tagOf, writeTag } from "../../amqp/message/lock-tag.ts";

/** More bytes than the header and the annotations of a delivery take. */
const headRoom = 256;

/** A delivery as a message of AMQP: what the broker says is written in front of the bytes that the sender wrote. */
export class DeliveryMessage implements DirectMessage {
  readonly delivery: Delivery;
  readonly settled: boolean;
  /** Where the sender's own sections begin in the bytes it sent; -1 when they cannot be sent as they are. */
  readonly #bareAt: number;
  readonly #bytes: Uint8Array;

  constructor(delivery: Delivery, settled: boolean) {
    this.delivery = delivery;
    this.settled = settled;
    const { envelope } = delivery;
    const origin = envelope.origin instanceof MessageOrigin ? envelope.origin : undefined;
    this.#bareAt = origin !== undefined && isPlain(delivery, envelope, origin) ? bareStart(origin.message.bytes) : -1;
    this.#bytes = this.#bareAt === -1 || origin === undefined ? none : origin.message.bytes;
  }

  get most(): number {
    return this.#bareAt === -1 ? Infinity : headRoom + this.#bytes.byteLength - this.#bareAt;
  }

  get payload(): Uint8Array {
    const { delivery } = this;
    return encodeMessage(delivery.envelope, { delivery });
  }

  get tag(): Uint8Array {
    const { lockToken } = this.delivery;
    if (lockToken !== undefined) return tagOf(lockToken);
    const tag = Buffer.alloc(16);
    tag.writeBigInt64BE(this.delivery.sequenceNumber, 8);
    return tag;
  }

  writeTag(writer: ByteWriter): void {
    const { lockToken } = this.delivery;
    if (lockToken === undefined) return writer.variable(0xa0, this.tag);
    writer.reserve(18);
    writer.bytes[writer.at++] = 0xa0;
    writer.bytes[writer.at++] = 16;
    writeTag(lockToken, writer.bytes, writer.at);
    writer.at += 16;
  }

  write(writer: ByteWriter): void {
    const { delivery } = this;
    this.#header(writer);
    const { lockedUntilUtc } = delivery;
    const form = lockedUntilUtc === undefined ? unlocked : locked;
    writer.reserve(form.bytes.byteLength);
    const start = writer.at;
    writer.bytes.set(form.bytes, start);
    writer.at = start + form.sequenceNumber;
    writer.put64(delivery.sequenceNumber);
    writer.at = start + form.enqueuedSequenceNumber;
    writer.put64(delivery.enqueuedSequenceNumber);
    putTime(writer, start + form.enqueuedTime, delivery.enqueuedTimeUtc);
    if (lockedUntilUtc !== undefined) putTime(writer, start + form.lockedUntil, lockedUntilUtc);
    writer.at = start + form.bytes.byteLength;
    writer.raw(this.#bareAt === 0 ? this.#bytes : this.#bytes.subarray(this.#bareAt));
  }

  #header(writer: ByteWriter): void {
    const { envelope, deliveryCount } = this.delivery;
    const received = envelope.origin instanceof MessageOrigin ? envelope.origin.message.header : undefined;
    if (received === undefined && deliveryCount === 0) return writer.raw(firstHeader);
    writeDescriptor(writer, section.header);
    const { durable, priority, ttl } = received ?? {};
    writeHeader(writer, { durable, priority, ttl, deliveryCount });
  }
}

const none = new Uint8Array(0);

/** Whether nothing was changed since the message came in, and the broker says nothing out of the ordinary. */
function isPlain(delivery: Delivery, envelope: Envelope, origin: MessageOrigin): boolean {
  return (
    delivery.state === "active" &&
    delivery.deadLetterSource === undefined &&
    envelope.brokerProperties === origin.brokerProperties &&
    envelope.applicationProperties === origin.applicationProperties &&
    envelope.payload === origin.payload &&
    // Annotations of the sender have to be joined with those of the broker.
    origin.message.messageAnnotations === undefined
  );
}

/** Where the first section behind header and annotations begins; -1 when a descriptor is written in an unusual way. */
function bareStart(bytes: Uint8Array): number {
  let at = 0;
  for (;;) {
    if (bytes[at] !== 0x00 || bytes[at + 1] !== 0x53) return -1;
    if ((bytes[at + 2] ?? 0) > 0x72) return at;
    const end = endOf(bytes, at + 3);
    if (end >= bytes.byteLength) return -1;
    at = end;
  }
}

/** The end of a list or map. */
function endOf(bytes: Uint8Array, at: number): number {
  const format = bytes[at] ?? 0;
  if (format === 0x45) return at + 1;
  if (format === 0xc0 || format === 0xc1) return at + 2 + (bytes[at + 1] ?? 0);
  if (format !== 0xd0 && format !== 0xd1) return Infinity;
  const size = new DataView(bytes.buffer, bytes.byteOffset + at + 1, 4).getUint32(0);
  return at + 5 + size;
}

function putTime(writer: ByteWriter, at: number, time: Date): void {
  const milliseconds = time.getTime();
  const high = Math.floor(milliseconds / 2 ** 32);
  writer.at = at;
  writer.put32(high);
  writer.put32(milliseconds - high * 2 ** 32);
}

const firstHeader = ByteWriter.collect((writer) => {
  writeDescriptor(writer, section.header);
  writeHeader(writer, { deliveryCount: 0 });
});

/** The annotations of a delivery with room for their values. */
interface AnnotationsForm {
  readonly bytes: Uint8Array;
  readonly sequenceNumber: number;
  readonly enqueuedTime: number;
  readonly lockedUntil: number;
  readonly enqueuedSequenceNumber: number;
}

function annotationsForm(isLocked: boolean): AnnotationsForm {
  const places = { sequenceNumber: 0, enqueuedTime: 0, lockedUntil: 0, enqueuedSequenceNumber: 0 };
  const bytes = ByteWriter.collect((writer) => {
    const begin = writer.at;
    writeDescriptor(writer, section.messageAnnotations);
    const mark = writer.open();
    const entry = (name: string, format: number): number => {
      writer.text(0xa3, name);
      writer.code64(format, 0n);
      return writer.at - 8 - begin;
    };
    places.sequenceNumber = entry(annotationName.sequenceNumber, 0x81);
    places.enqueuedTime = entry(annotationName.enqueuedTimeUtc, 0x83);
    if (isLocked) places.lockedUntil = entry(annotationName.lockedUntilUtc, 0x83);
    places.enqueuedSequenceNumber = entry(annotationName.enqueuedSequenceNumber, 0x81);
    writer.close(mark, 0xc1, isLocked ? 8 : 6);
  });
  return { bytes, ...places };
}

const locked = annotationsForm(true);
const unlocked = annotationsForm(false);
