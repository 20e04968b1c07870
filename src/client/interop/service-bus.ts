import { emptyBag } from "../../core/envelope/bag.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { type BodyKind, type Envelope, checkEnvelope } from "../../core/envelope/envelope.ts";
import type { MessageId } from "../../core/envelope/broker-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { asBuffer, asBytes, fromUuid, toUuid } from "./bytes.ts";
import { nestedMark, nestedNames, toNestedText } from "./nested-properties.ts";
import type { ServiceBusMessageFields, ServiceBusMessageLike } from "./service-bus-message.ts";
import { propertyName, someMessage, unsupported } from "./unsupported.ts";
import { Buffer } from "node:buffer";
import { SobreError } from "../../core/errors/sobre-error.ts";

/**
 * The application property for the content encoding, which the official client cannot write as a broker property; tools
 * read it there.
 */
const encodingProperty = "Content-Encoding";

/**
 * Converts a message that `@azure/service-bus` received (or is about to send) to an envelope.
 *
 * The content encoding is taken from the raw AMQP properties, or from the application property `Content-Encoding`.
 * Delivery count, lock token etc. are not part of an envelope: keep the received message for settling it. Property
 * values that are lists, maps or described become JSON text; `sobre-json` lists their names. The client itself changes
 * some values: it returns Dates in properties as numbers unless given `skipConvertingDate: true`, integers beyond 2^53
 * as 8 bytes, and ids that are uuids as 16 bytes, which are read as uuids.
 *
 * ```ts
 * const receiver = client.createReceiver("orders", { skipParsingBodyAsJson: true });
 * for (const message of await receiver.receiveMessages(10)) {
 *   const result = serializer.deserialize(fromServiceBusMessage(message));
 *   if (result.ok) await receiver.completeMessage(message);
 *   else await receiver.deadLetterMessage(message, { deadLetterReason: result.error.code });
 * }
 * ```
 *
 * @throws SobreError `InvalidArgument` with the path: for a body that the client has parsed, and for properties that
 * exceed the limits of an envelope.
 * @example
 * ```ts
 * const received = { body: Buffer.from('{"id":7}'), contentType: "application/json" }; // of @azure/service-bus
 * const result = serializer.deserialize(fromServiceBusMessage(received));
 * console.log(result.ok && result.body); // { id: 7 }
 * ```
 */
export function fromServiceBusMessage(message: ServiceBusMessageLike): Envelope {
  const { _rawAmqpMessage: raw, timeToLive, scheduledEnqueueTimeUtc } = someMessage(message);
  const { [encodingProperty]: declared, ...properties } = readProperties(message.applicationProperties);
  const encoding = raw?.properties?.contentEncoding ?? (typeof declared === "string" ? declared : undefined);
  const told = declared === undefined || declared === encoding;
  return checkEnvelope({
    ...bodyOf(message),
    brokerProperties: {
      contentType: message.contentType ?? undefined,
      contentEncoding: encoding,
      correlationId: readId(message.correlationId),
      messageId: readId(message.messageId),
      partitionKey: message.partitionKey ?? undefined,
      viaPartitionKey: raw?.messageAnnotations?.["x-opt-via-partition-key"] ?? undefined,
      replyTo: message.replyTo ?? undefined,
      replyToSessionId: message.replyToSessionId ?? undefined,
      scheduledEnqueueTimeUtc: readTime(scheduledEnqueueTimeUtc),
      sessionId: message.sessionId ?? undefined,
      subject: message.subject ?? undefined,
      // The client computes it from two of the sender's times, which may be equal.
      timeToLive: typeof timeToLive === "number" && timeToLive <= 0 ? undefined : (timeToLive ?? undefined),
      to: message.to ?? undefined,
    },
    applicationProperties: told ? properties : { ...properties, [encodingProperty]: declared },
  });
}

function readId(id: ServiceBusMessageLike["messageId"]): unknown {
  if (!(id instanceof Uint8Array)) return id ?? undefined;
  return id.byteLength === 16 ? toUuid(id) : asBytes(id);
}

/** Depending on the version of the client, an annotation is a Date or milliseconds. */
function readTime(time: unknown): unknown {
  return typeof time === "number" ? new Date(time) : (time ?? undefined);
}

function readProperties(given: ServiceBusMessageLike["applicationProperties"]): Record<string, unknown> {
  const properties = emptyBag<unknown>();
  const nested: string[] = [];
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value instanceof Uint8Array) properties[name] = asBytes(value);
    else if (typeof value !== "object" || value === null || value instanceof Date) properties[name] = value;
    else {
      properties[name] = toNestedText(value, `$.applicationProperties.${name}`);
      nested.push(name);
    }
  }
  if (nested.length > 0) properties[nestedMark] = JSON.stringify([...nestedNames(properties[nestedMark]), ...nested]);
  return properties;
}

/**
 * Converts an envelope to a message for a sender of `@azure/service-bus`.
 *
 * The content encoding goes into the application property `Content-Encoding`, which the compression stage and other
 * tools read, since the client cannot send it as a broker property.
 *
 * ```ts
 * const envelope = serializer.serialize({ body: order, contentType: "application/msgpack", messageId: order.id });
 * await client.createSender("orders").sendMessages(toServiceBusMessage(envelope));
 * ```
 *
 * @throws SobreError `UnsupportedValue` with the path for values that the client cannot send or would change: AMQP
 * values as body, via-partition keys, binary ids, properties that are bigint, bytes, typed, NaN, negative zero or
 * integers beyond 2^53 or named `__proto__`, times to live beyond 49 days. `InvalidArgument` for anything but an
 * envelope.
 * @example
 * ```ts
 * const message = toServiceBusMessage(serializer.serialize({ body: { id: 7 }, subject: "order" }));
 * console.log(message.contentType, message.subject); // application/json order
 * ```
 */
export function toServiceBusMessage(envelope: Envelope): ServiceBusMessageFields {
  checkOption("envelope", envelope, is.envelope);
  const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
  const { contentEncoding, correlationId, messageId, viaPartitionKey, ...direct } = brokerProperties;
  if (bodyKind !== "data") throw unsupported("$.bodyKind", `is ${bodyKind}, but the client sends bytes only as data`);
  if (viaPartitionKey !== undefined)
    throw unsupported("$.brokerProperties.viaPartitionKey", "cannot be sent by the client");
  // A symbol on the wire (AMQP 1.0 part 3.2.4).
  if (/[^\0-\x7f]/.test(direct.contentType ?? "")) throw unsupported("$.brokerProperties.contentType", "is not ASCII");
  if ((direct.timeToLive ?? 0) > 0xffff_ffff) {
    throw unsupported("$.brokerProperties.timeToLive", "exceeds 4294967295 ms, the maximum that the client can send");
  }
  const properties = writeProperties(applicationProperties, contentEncoding);
  return {
    body: asBuffer(payload),
    ...direct,
    ...(correlationId !== undefined && { correlationId: writeId(correlationId, "$.brokerProperties.correlationId") }),
    ...(messageId !== undefined && { messageId: writeId(messageId, "$.brokerProperties.messageId") }),
    ...(properties !== undefined && { applicationProperties: properties }),
  };
}

function writeId(id: MessageId, path: string): string | number | Buffer {
  if (typeof id === "string" || typeof id === "number") return id;
  if (id instanceof Typed) return fromUuid(id);
  if (id instanceof Uint8Array) throw unsupported(path, "is binary, which the client would send as a uuid");
  if (id > Number.MAX_SAFE_INTEGER) throw unsupported(path, "exceeds 2^53 and would be rounded");
  return Number(id);
}

type Properties = NonNullable<ServiceBusMessageFields["applicationProperties"]>;

function writeProperties(given: ApplicationProperties, contentEncoding: string | undefined): Properties | undefined {
  const properties = emptyBag<Properties[string]>();
  for (const [name, value] of Object.entries(given)) {
    const path = `$.applicationProperties.${name}`;
    properties[propertyName(path, name)] = writeProperty(value, path);
  }
  if (contentEncoding !== undefined) {
    const own = properties[encodingProperty];
    if (own !== undefined && own !== contentEncoding) {
      throw unsupported(
        `$.applicationProperties.${encodingProperty}`,
        "differs from the content encoding, which is sent in that property",
      );
    }
    properties[encodingProperty] = contentEncoding;
  }
  return Object.keys(properties).length === 0 ? undefined : properties;
}

function writeProperty(value: ApplicationPropertyValue, path: string): Properties[string] {
  if (value === null || typeof value === "boolean" || typeof value === "string" || value instanceof Date) return value;
  if (typeof value !== "number") throw unsupported(path, "has a type that the client cannot send");
  if (Number.isNaN(value)) throw unsupported(path, "is NaN, which the client would send as null");
  if (Object.is(value, -0)) throw unsupported(path, "is negative zero, which the client would send as 0");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw unsupported(path, "is an integer beyond 2^53, which the client cannot send");
  }
  return value;
}

/** A payload and its body kind. */
interface Body {
  readonly payload: Uint8Array;
  readonly bodyKind: BodyKind;
}

/**
 * The payload of a message of `@azure/service-bus`.
 *
 * Value bodies that are strings, bytes or null are encoded again as AMQP values; the client loses the type of any
 * other.
 *
 * @throws SobreError `InvalidArgument` for a body that the client has parsed.
 */
function bodyOf({ body, _rawAmqpMessage }: ServiceBusMessageLike): Body {
  const bodyType = _rawAmqpMessage?.bodyType ?? "data";
  if (bodyType === "value" && (body === null || typeof body === "string" || body instanceof Uint8Array)) {
    return { payload: encodeValue(body), bodyKind: "value" };
  }
  // Messages without a body are valid: some consist only of properties.
  if (body === undefined) return { payload: new Uint8Array(), bodyKind: "data" };
  if (bodyType === "data") {
    if (body instanceof Uint8Array) return { payload: asBytes(body), bodyKind: "data" };
    // Several data sections are one payload (AMQP 1.0 part 3.2.6).
    if (isListOfBytes(body)) return { payload: asBytes(Buffer.concat(body)), bodyKind: "data" };
  }
  throw new SobreError(
    "InvalidArgument",
    bodyType === "data"
      ? "The body is a parsed value, from which the original bytes cannot be recovered. Open the receiver with { skipParsingBodyAsJson: true }."
      : `The body is an AMQP ${bodyType}, whose bytes the client does not keep. Only string, binary and null values can be converted.`,
    { path: "$.body" },
  );
}

function isListOfBytes(body: unknown): body is readonly Uint8Array[] {
  return Array.isArray(body) && body.length > 0 && body.every((part) => part instanceof Uint8Array);
}

/** AMQP 1.0 part 1.6: null is 0x40, binary 0xa0 or 0xb0, string 0xa1 or 0xb1, by the width of its length. */
function encodeValue(value: null | string | Uint8Array): Uint8Array {
  if (value === null) return Uint8Array.of(0x40);
  const content = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  const short = content.byteLength <= 0xff;
  const head = Buffer.alloc(short ? 2 : 5);
  head[0] = (short ? 0xa0 : 0xb0) + (typeof value === "string" ? 1 : 0);
  if (short) head[1] = content.byteLength;
  else head.writeUInt32BE(content.byteLength, 1);
  return asBytes(Buffer.concat([head, content]));
}
