import type { ApplicationProperties } from "./application-properties.ts";
import type { BrokerProperties } from "./broker-properties.ts";
import type { Envelope } from "./envelope.ts";
import { Typed, type TypedValues } from "./typed.ts";

/** Bytes the envelope takes as an AMQP 1.0 message, without what a broker adds to it. */
export function sizeOf(envelope: Envelope): number {
  return sizeOfProperties(envelope.brokerProperties, envelope.applicationProperties) + sizeOfBody(envelope);
}

function sizeOfBody({ payload, bodyKind }: Envelope): number {
  if (bodyKind === "data") return sectionHead + sizeOfVariable(payload.byteLength);
  return payload.byteLength === 0 ? 0 : sectionHead + payload.byteLength;
}

/** A section's constructor: 0x00, 0x53 and the code. */
const sectionHead = 3;

/** Bytes of the header, annotation, properties and application-properties sections that the properties fill. */
export function sizeOfProperties(broker: BrokerProperties, application: ApplicationProperties): number {
  return sizeOfHeader(broker) + sizeOfAnnotations(broker) + sizeOfBare(broker) + sizeOfApplication(application);
}

function sizeOfHeader({ timeToLive }: BrokerProperties): number {
  // durable and priority come before ttl (AMQP 1.0 part 3.2.1) and are null.
  return timeToLive === undefined
    ? 0
    : sectionHead + sizeOfCompound(2 + sizeOfUint(Math.min(timeToLive, 0xffff_ffff)), 3);
}

const annotations = [
  ["partitionKey", "x-opt-partition-key"],
  ["viaPartitionKey", "x-opt-via-partition-key"],
  ["scheduledEnqueueTimeUtc", "x-opt-scheduled-enqueue-time"],
] as const;

function sizeOfAnnotations(broker: BrokerProperties): number {
  let size = 0;
  let count = 0;
  for (const [name, annotation] of annotations) {
    const value = broker[name];
    if (value === undefined) continue;
    size += sizeOfVariable(annotation.length) + sizeOfValue(value);
    count += 2;
  }
  return count === 0 ? 0 : sectionHead + sizeOfCompound(size, count);
}

/** The fields of the properties section in their order (AMQP 1.0 part 3.2.4); `null` are those that no broker property fills. */
const bareFields = [
  "messageId",
  null,
  "to",
  "subject",
  "replyTo",
  "correlationId",
  "contentType",
  "contentEncoding",
  null,
  null,
  "sessionId",
  null,
  "replyToSessionId",
] as const;

function sizeOfBare(broker: BrokerProperties): number {
  let size = 0;
  let count = 0;
  for (let index = 0; index < bareFields.length; index++) {
    const name = bareFields[index];
    const value = name === null || name === undefined ? undefined : broker[name];
    if (value === undefined) continue;
    // Fields up to the last one that is set are written, the empty ones as one byte of null.
    size += index - count + sizeOfId(value);
    count = index + 1;
  }
  return count === 0 ? 0 : sectionHead + sizeOfCompound(size, count);
}

/** Numeric ids are ulong. */
function sizeOfId(value: string | number | bigint | Uint8Array | Typed): number {
  return typeof value === "number" || typeof value === "bigint" ? sizeOfUlong(BigInt(value)) : sizeOfValue(value);
}

function sizeOfApplication(application: ApplicationProperties): number {
  let size = 0;
  let count = 0;
  for (const name in application) {
    const value = application[name];
    if (value === undefined) continue;
    size += sizeOfString(name) + sizeOfValue(value);
    count += 2;
  }
  return count === 0 ? 0 : sectionHead + sizeOfCompound(size, count);
}

/** Bytes of one simple value in its smallest encoding (AMQP 1.0 part 1.6). */
function sizeOfValue(value: unknown): number {
  switch (typeof value) {
    case "string":
      return sizeOfString(value);
    case "boolean":
      return 1;
    case "number":
      return Number.isInteger(value) && (value | 0) === value && !Object.is(value, -0) ? sizeOfInt(value) : 9;
    case "bigint":
      return value < 2n ** 63n ? sizeOfLong(value) : 9;
    default:
      if (value === null) return 1;
      if (value instanceof Uint8Array) return sizeOfVariable(value.byteLength);
      return value instanceof Typed ? sizeOfTyped(value) : 9;
  }
}

const widths: Partial<Record<keyof TypedValues, number>> = {
  ubyte: 2,
  ushort: 3,
  byte: 2,
  short: 3,
  float: 5,
  double: 9,
  decimal32: 5,
  decimal64: 9,
  decimal128: 17,
  char: 5,
  timestamp: 9,
  uuid: 17,
};

function sizeOfTyped({ type, value }: Typed): number {
  const fixed = widths[type];
  if (fixed !== undefined) return fixed;
  if (typeof value === "number") return type === "uint" ? sizeOfUint(value) : sizeOfInt(value);
  if (typeof value === "bigint") return type === "ulong" ? sizeOfUlong(value) : sizeOfLong(value);
  if (typeof value === "string") return sizeOfVariable(value.length);
  return "descriptor" in value && "value" in value ? 1 + sizeOfValue(value.descriptor) + sizeOfValue(value.value) : 0;
}

const sizeOfInt = (value: number): number => (value >= -128 && value <= 127 ? 2 : 5);
const sizeOfUint = (value: number): number => (value === 0 ? 1 : value <= 0xff ? 2 : 5);
const sizeOfLong = (value: bigint): number => (value >= -128n && value <= 127n ? 2 : 9);
const sizeOfUlong = (value: bigint): number => (value === 0n ? 1 : value <= 0xffn ? 2 : 9);
const sizeOfString = (value: string): number => sizeOfVariable(utf8Length(value));
const sizeOfVariable = (bytes: number): number => bytes + (bytes <= 0xff ? 2 : 5);

/** A list or map: constructor, size and count in one byte each while both fit, else in four. */
function sizeOfCompound(content: number, count: number): number {
  return content + (content + 1 <= 0xff && count <= 0xff ? 3 : 9);
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A surrogate pair is two units and four bytes.
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      index++;
    }
  }
  return bytes;
}
