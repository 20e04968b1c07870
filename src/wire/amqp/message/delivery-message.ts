import { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import type { Delivery } from "../../../core/engine/delivery.ts";
import { bodySourceOf } from "../../../core/engine/stored-origin.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { annotationName } from "./annotation-name.ts";
import { effectiveTimeToLive, encodeMessage, withExpiry, writeEnvelope } from "./encode-message.ts";
import { hasAnnotations } from "./envelope-annotations.ts";
import { propertiesOf, sameProperties } from "./envelope-properties.ts";
import { MessageOrigin } from "./message-origin.ts";
import { section } from "./section.ts";
import { SectionLayout } from "./section-layout.ts";
import { type MessageHeader, writeHeader } from "./message-header.ts";
import { writeProperties } from "./message-properties.ts";
import { headerTimeToLive, isLong } from "./time-to-live.ts";
import { writeDescriptor } from "./write-section.ts";
import type { DirectMessage } from "../connection/outgoing.ts";
import { putUuid, tagOf, writeTag } from "./lock-tag.ts";

/** A delivery as an AMQP message: the broker's properties followed by the sender's bytes. */
export class DeliveryMessage implements DirectMessage {
  readonly delivery: Delivery;
  readonly settled: boolean;

  constructor(delivery: Delivery, settled: boolean) {
    this.delivery = delivery;
    this.settled = settled;
  }

  get least(): number {
    return this.delivery.envelope.payload.byteLength;
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
    const { envelope } = delivery;
    const received = bodySourceOf(envelope);
    const { origin } = envelope;
    if (origin instanceof MessageOrigin && isOrdinary(delivery, origin)) {
      const keepsBody = received === origin || hasBodyOf(envelope, origin);
      if (keepsBody && layout.read(origin.bytes)) return writeAround(writer, delivery, origin);
    }
    writeEnvelope(writer, envelope, { delivery });
  }
}

/** Whether the broker's annotations are those of a message that is neither deferred, scheduled nor dead-lettered. */
function isOrdinary({ state, deadLetterSource, envelope }: Delivery, origin: MessageOrigin): boolean {
  if (state !== "active" || deadLetterSource !== undefined) return false;
  // The layout shows annotations that came; the properties of a stored message would be read for nothing else.
  return envelope === origin || !hasAnnotations(envelope.brokerProperties);
}

/** Whether everything after the properties section can be sent as it came. */
function hasBodyOf(envelope: Envelope, origin: MessageOrigin): boolean {
  return (
    envelope.payload === origin.payload &&
    envelope.bodyKind === origin.bodyKind &&
    envelope.applicationProperties === origin.applicationProperties
  );
}

const layout = new SectionLayout();

/** Writes header and annotations afresh, the properties where they were changed, and what follows as it came. */
function writeAround(writer: ByteWriter, delivery: Delivery, origin: MessageOrigin): void {
  const { bytes } = origin;
  const { envelope, expiresAtUtc } = delivery;
  const isOrigin = envelope === origin;
  if (isOrigin && !layout.hasHeader && expiresAtUtc === undefined && delivery.deliveryCount === 0)
    writer.raw(firstHeader);
  else writeDeliveryHeader(writer, delivery, layout.hasHeader ? origin.message.header : undefined);
  writeFacts(writer, delivery);
  // The long time to live of a message as it came is that of its expiry.
  const isSame =
    isOrigin ||
    (sameProperties(envelope.brokerProperties, origin.brokerProperties) &&
      !isLong(envelope.brokerProperties.timeToLive));
  let from = layout.propertiesAt;
  if (!isSame || expiresAtUtc !== undefined || origin.expires) {
    from = layout.restAt;
    writeDescriptor(writer, section.properties);
    const properties = propertiesOf(envelope.brokerProperties, origin.message.properties);
    writeProperties(writer, withExpiry(properties, effectiveTimeToLive(envelope.brokerProperties, delivery), delivery));
  }
  writer.raw(from === 0 ? bytes : bytes.subarray(from));
}

function writeDeliveryHeader(writer: ByteWriter, delivery: Delivery, received: MessageHeader | undefined): void {
  const { deliveryCount, envelope } = delivery;
  const timeToLive = effectiveTimeToLive(envelope.brokerProperties, delivery);
  if (received === undefined && timeToLive === undefined && deliveryCount === 0) return writer.raw(firstHeader);
  writeDescriptor(writer, section.header);
  const { durable, priority } = received ?? {};
  const ttl = timeToLive === undefined ? received?.ttl : headerTimeToLive(timeToLive);
  writeHeader(writer, { durable, priority, ttl, deliveryCount });
}

function writeFacts(writer: ByteWriter, delivery: Delivery): void {
  const { lockedUntilUtc, lockToken } = delivery;
  const isLocked = lockedUntilUtc !== undefined && lockToken !== undefined;
  const form = isLocked ? locked : unlocked;
  writer.reserve(form.bytes.byteLength);
  const start = writer.at;
  writer.bytes.set(form.bytes, start);
  writer.at = start + form.sequenceNumber;
  writer.put64(delivery.sequenceNumber);
  writer.at = start + form.enqueuedSequenceNumber;
  writer.put64(delivery.enqueuedSequenceNumber);
  putTime(writer, start + form.enqueuedTime, delivery.enqueuedTimeUtc);
  if (isLocked) {
    putTime(writer, start + form.lockedUntil, lockedUntilUtc);
    putUuid(writer.bytes, start + form.lockToken, lockToken);
  }
  writer.at = start + form.bytes.byteLength;
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

/** Delivery and message annotations of a delivery with room for their values. */
interface AnnotationsForm {
  readonly bytes: Uint8Array;
  readonly sequenceNumber: number;
  readonly enqueuedTime: number;
  readonly lockedUntil: number;
  readonly lockToken: number;
  readonly enqueuedSequenceNumber: number;
}

function annotationsForm(isLocked: boolean): AnnotationsForm {
  const places = { sequenceNumber: 0, enqueuedTime: 0, lockedUntil: 0, lockToken: 0, enqueuedSequenceNumber: 0 };
  const bytes = ByteWriter.collect((writer) => {
    const begin = writer.at;
    if (isLocked) {
      writeDescriptor(writer, section.deliveryAnnotations);
      const mark = writer.open();
      writer.text(0xa3, annotationName("lockToken"));
      writer.byte(0x98);
      places.lockToken = writer.at - begin;
      writer.raw(new Uint8Array(16));
      writer.close(mark, 0xc1, 2);
    }
    writeDescriptor(writer, section.messageAnnotations);
    const mark = writer.open();
    const entry = (name: string, format: number): number => {
      writer.text(0xa3, name);
      writer.code64(format, 0n);
      return writer.at - 8 - begin;
    };
    places.sequenceNumber = entry(annotationName("sequenceNumber"), 0x81);
    places.enqueuedTime = entry(annotationName("enqueuedTimeUtc"), 0x83);
    if (isLocked) places.lockedUntil = entry(annotationName("lockedUntilUtc"), 0x83);
    places.enqueuedSequenceNumber = entry(annotationName("enqueuedSequenceNumber"), 0x81);
    writer.close(mark, 0xc1, isLocked ? 8 : 6);
  });
  return { bytes, ...places };
}

const locked = annotationsForm(true);
const unlocked = annotationsForm(false);
