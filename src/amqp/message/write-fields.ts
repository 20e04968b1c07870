import type { ByteWriter } from "../values/byte-writer.ts";
import { inside, unsupported } from "../values/unsupported-value.ts";
import { writeUint } from "../values/write-number.ts";
import { within, withinLong, writeScalar, writeUlong } from "../values/write-typed.ts";
import type { MessageId } from "../../envelope/broker-properties.ts";
import { Typed } from "../../values/typed.ts";
import type { MessageHeader } from "./message-header.ts";
import type { MessageProperties } from "./message-properties.ts";

/** Writes the list of a header; fields behind the last one that is set are left out. */
export function writeHeader(writer: ByteWriter, header: MessageHeader): void {
  const mark = writer.open();
  const { durable, priority, ttl, firstAcquirer, deliveryCount } = header;
  let count = 0;
  try {
    if (durable !== undefined) {
      count = next(writer, count, 0);
      writer.byte(flag(durable) ? 0x41 : 0x42);
    }
    if (priority !== undefined) {
      count = next(writer, count, 1);
      writer.code8(0x50, within(priority, 0, 0xff));
    }
    if (ttl !== undefined) {
      count = next(writer, count, 2);
      writeUint(writer, within(ttl, 0, 0xffff_ffff));
    }
    if (firstAcquirer !== undefined) {
      count = next(writer, count, 3);
      writer.byte(flag(firstAcquirer) ? 0x41 : 0x42);
    }
    if (deliveryCount !== undefined) {
      count = next(writer, count, 4);
      writeUint(writer, within(deliveryCount, 0, 0xffff_ffff));
    }
  } catch (error) {
    throw inside(error, `.${["durable", "priority", "ttl", "firstAcquirer", "deliveryCount"][count - 1]}`);
  }
  writer.closeList(mark, count);
}

const propertyNames = [
  "messageId",
  "userId",
  "to",
  "subject",
  "replyTo",
  "correlationId",
  "contentType",
  "contentEncoding",
  "absoluteExpiryTime",
  "creationTime",
  "groupId",
  "groupSequence",
  "replyToGroupId",
] as const;

/** Writes the list of a properties section; fields behind the last one that is set are left out. */
// oxlint-disable-next-line complexity -- one case per field; a loop over them costs half of the time
export function writeProperties(writer: ByteWriter, properties: MessageProperties): void {
  const mark = writer.open();
  const { messageId, userId, to, subject, replyTo, correlationId, contentType, contentEncoding } = properties;
  const { absoluteExpiryTime, creationTime, groupId, groupSequence, replyToGroupId } = properties;
  let count = 0;
  try {
    if (messageId !== undefined) {
      count = next(writer, count, 0);
      writeId(writer, messageId);
    }
    if (userId !== undefined) {
      count = next(writer, count, 1);
      writer.variable(0xa0, bytes(userId));
    }
    if (to !== undefined) {
      count = next(writer, count, 2);
      writer.text(0xa1, text(to));
    }
    if (subject !== undefined) {
      count = next(writer, count, 3);
      writer.text(0xa1, text(subject));
    }
    if (replyTo !== undefined) {
      count = next(writer, count, 4);
      writer.text(0xa1, text(replyTo));
    }
    if (correlationId !== undefined) {
      count = next(writer, count, 5);
      writeId(writer, correlationId);
    }
    if (contentType !== undefined) {
      count = next(writer, count, 6);
      writer.text(0xa3, text(contentType));
    }
    if (contentEncoding !== undefined) {
      count = next(writer, count, 7);
      writer.text(0xa3, text(contentEncoding));
    }
    if (absoluteExpiryTime !== undefined) {
      count = next(writer, count, 8);
      writeTime(writer, absoluteExpiryTime);
    }
    if (creationTime !== undefined) {
      count = next(writer, count, 9);
      writeTime(writer, creationTime);
    }
    if (groupId !== undefined) {
      count = next(writer, count, 10);
      writer.text(0xa1, text(groupId));
    }
    if (groupSequence !== undefined) {
      count = next(writer, count, 11);
      writeUint(writer, within(groupSequence, 0, 0xffff_ffff));
    }
    if (replyToGroupId !== undefined) {
      count = next(writer, count, 12);
      writer.text(0xa1, text(replyToGroupId));
    }
  } catch (error) {
    throw inside(error, `.${propertyNames[count - 1]}`);
  }
  writer.closeList(mark, count);
}

/** Writes null for the fields before `index` that were passed, and returns the count with the one at `index`. */
function next(writer: ByteWriter, count: number, index: number): number {
  for (let passed = count; passed < index; passed++) writer.byte(0x40);
  return index + 1;
}

/** Numeric ids are ulong. */
function writeId(writer: ByteWriter, id: MessageId): void {
  if (typeof id === "string") return writer.text(0xa1, id);
  if (typeof id === "bigint" || (typeof id === "number" && Number.isInteger(id))) return writeUlong(writer, BigInt(id));
  if (id instanceof Uint8Array) return writer.variable(0xa0, id);
  if (id instanceof Typed && id.type === "uuid") return writeScalar(writer, id);
  throw unsupported("is no message id");
}

function writeTime(writer: ByteWriter, time: Date | Typed<"timestamp">): void {
  if (!(time instanceof Date)) return writer.code64(0x83, withinLong(time.value, "timestamp"));
  if (Number.isNaN(time.getTime())) throw unsupported("is an invalid Date");
  writer.codeInteger(0x83, time.getTime());
}

function flag(value: boolean): boolean {
  if (typeof value !== "boolean") throw unsupported("is no boolean");
  return value;
}

function text(value: string): string {
  if (typeof value !== "string") throw unsupported("is no string");
  return value;
}

function bytes(value: Uint8Array): Uint8Array {
  if (!(value instanceof Uint8Array)) throw unsupported("is no Uint8Array");
  return value;
}
