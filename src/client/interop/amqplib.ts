import { Buffer } from "node:buffer";
import { emptyBag } from "../../core/envelope/bag.ts";
import type { ApplicationProperties } from "../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import { checkEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { readHeader, withBuffers, writeHeader } from "./amqplib-headers.ts";
import {
  type AmqplibMessage,
  type AmqplibMessageLike,
  type AmqplibProperties,
  type AmqplibPropertiesLike,
  basicProperties,
  brokerHeaders,
} from "../../wire/amqplib/amqplib-message.ts";
import { asBuffer, asBytes } from "./bytes.ts";
import { fromNestedText, nestedMark, nestedNames, toNestedText } from "./nested-properties.ts";
import { propertyName, someMessage, unsupported } from "./unsupported.ts";

/**
 * Converts a message received by amqplib to an envelope.
 *
 * - `contentType`, `contentEncoding`, `messageId`, `correlationId`, `replyTo` keep their meaning, `type` becomes the
 *   subject, `expiration` the time to live, headers become application properties.
 * - Broker properties that AMQP 0-9-1 lacks are read from headers: `sobre-session-id`, `sobre-to`,
 *   `sobre-partition-key`, `sobre-via-partition-key`, `sobre-reply-to-session-id`, `sobre-scheduled-enqueue-time-utc`.
 * - Basic properties that an envelope lacks become application properties: `sobre-priority`, `sobre-delivery-mode`,
 *   `sobre-timestamp`, `sobre-user-id`, `sobre-app-id`, `sobre-cluster-id`, and `sobre-expiration` if it is not a
 *   number above 0.
 * - Headers that are lists or tables, e.g. `x-death`, become JSON text; the property `sobre-json` lists their names.
 *
 * {@link toAmqplibMessage} restores all of this. The `fields` of the delivery are not kept.
 *
 * ```ts
 * await channel.consume("orders", (message) => {
 *   if (message === null) return;
 *   const result = serializer.deserialize(fromAmqplibMessage(message));
 *   if (result.ok) channel.ack(message);
 *   else channel.nack(message, false, false);
 * });
 * ```
 *
 * @throws SobreError `InvalidArgument` for `null`, with the path for properties beyond the limits of an envelope, and
 * `UnsupportedValue` when a header has a name that is reserved for a basic property.
 * @example
 * ```ts
 * const content = Buffer.from('{"id":7}');
 * const envelope = fromAmqplibMessage({ content, properties: { contentType: "application/json" } });
 * console.log(serializer.deserialize(envelope).ok); // true
 * ```
 */
export function fromAmqplibMessage(message: AmqplibMessageLike): Envelope {
  const { content, properties: given } = someMessage(message);
  const properties = given ?? {};
  const { broker, application } = readHeaders(properties.headers ?? {});
  const { timeToLive, expiration } = readExpiration(properties.expiration ?? undefined);
  keepBasicProperties(application, { ...properties, expiration });
  return checkEnvelope({
    payload: content instanceof Uint8Array ? asBytes(content) : content,
    brokerProperties: {
      ...broker,
      contentType: properties.contentType ?? undefined,
      contentEncoding: properties.contentEncoding ?? undefined,
      correlationId: properties.correlationId ?? undefined,
      messageId: properties.messageId ?? undefined,
      replyTo: properties.replyTo ?? undefined,
      subject: properties.type ?? undefined,
      timeToLive,
    },
    applicationProperties: application,
  });
}

function readHeaders(headers: Readonly<Record<string, unknown>>): {
  readonly broker: Readonly<Record<string, unknown>>;
  readonly application: Record<string, unknown>;
} {
  const broker = emptyBag<unknown>();
  const application = emptyBag<unknown>();
  const nested: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const brokerName = brokerNames.get(name);
    const property = brokerName === undefined ? undefined : readBrokerHeader(brokerName, value);
    const simple = readHeader(value);
    if (brokerName !== undefined && property !== undefined) broker[brokerName] = property;
    else if (simple !== undefined || value === undefined) application[name] = simple;
    else {
      application[name] = toNestedText(value, `$.properties.headers.${name}`);
      nested.push(name);
    }
  }
  if (nested.length > 0) application[nestedMark] = JSON.stringify([...nestedNames(application[nestedMark]), ...nested]);
  return { broker, application };
}

const brokerNames: ReadonlyMap<string, string> = new Map(brokerHeaders.map(([name, header]) => [header, name]));
const basicNames: ReadonlyMap<string, string> = new Map(basicProperties.map(([name, property]) => [property, name]));

/** `undefined` if the header was not written by {@link toAmqplibMessage}; it is then an ordinary one. */
function readBrokerHeader(name: string, value: unknown): string | Date | undefined {
  if (typeof value !== "string") return undefined;
  if (name !== "scheduledEnqueueTimeUtc") return value;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value ? time : undefined;
}

/** RabbitMQ takes text of a whole number, 0 included, of which an envelope takes those above 0. */
function readExpiration(given: unknown): { readonly timeToLive?: number; readonly expiration?: unknown } {
  const text = typeof given === "number" ? String(given) : given;
  const isTime = typeof text === "string" && /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
  return isTime ? { timeToLive: Number(text) } : { expiration: text };
}

function keepBasicProperties(application: Record<string, unknown>, properties: AmqplibPropertiesLike): void {
  for (const [name, property] of basicProperties) {
    const value = properties[name] ?? undefined;
    if (value === undefined) continue;
    if (application[property] !== undefined) {
      throw unsupported(`$.properties.headers.${property}`, `has the name reserved for the basic property ${name}`);
    }
    application[property] = value;
  }
}

/**
 * Converts an envelope to content and properties for publishing with amqplib; the inverse of {@link
 * fromAmqplibMessage}.
 *
 * Numbers keep their type on the wire, but amqplib reads every numeric type as a plain number.
 *
 * ```ts
 * const { content, properties } = toAmqplibMessage(serializer.serialize({ body: order, subject: "order.placed" }));
 * channel.publish("orders", "new", content, properties);
 * ```
 *
 * @throws SobreError `UnsupportedValue` with the path for values that AMQP 0-9-1 cannot represent: AMQP values as body,
 * ids that are not strings, strings of more than 255 bytes in basic properties and names, times that are not whole
 * seconds, unsigned 64-bit integers, decimals, uuids, symbols, characters, described values, and a property named
 * `__proto__`. `InvalidArgument` for anything but an envelope.
 * @example
 * ```ts
 * const { content, properties } = toAmqplibMessage(serializer.serialize({ body: { id: 7 }, messageId: "m-1" }));
 * console.log(content.toString(), properties.messageId); // {"id":7} m-1
 * ```
 */
export function toAmqplibMessage(envelope: Envelope): AmqplibMessage {
  checkOption("envelope", envelope, is.envelope);
  const { payload, bodyKind, brokerProperties, applicationProperties } = envelope;
  if (bodyKind !== "data") throw unsupported("$.bodyKind", `is ${bodyKind}, but AMQP 0-9-1 has only opaque bytes`);
  const { headers, basic } = writeApplication(applicationProperties);
  writeBrokerHeaders(headers, brokerProperties);
  return { content: asBuffer(payload), properties: { headers, ...basic, ...writeBasic(brokerProperties) } };
}

function writeBasic(broker: BrokerProperties): Omit<AmqplibProperties, "headers"> {
  const { timeToLive } = broker;
  const texts = {
    contentType: broker.contentType,
    contentEncoding: broker.contentEncoding,
    correlationId: broker.correlationId,
    messageId: broker.messageId,
    replyTo: broker.replyTo,
    type: broker.subject,
  };
  if ((timeToLive ?? 0) > 0xffff_ffff) {
    throw unsupported("$.brokerProperties.timeToLive", "exceeds 4294967295 ms, the maximum of RabbitMQ");
  }
  const checked = Object.entries(texts).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, shortText(`$.brokerProperties.${name === "type" ? "subject" : name}`, value)]],
  );
  return { ...Object.fromEntries(checked), ...(timeToLive !== undefined && { expiration: String(timeToLive) }) };
}

/** A short string of AMQP 0-9-1 (section 4.2.5.3): at most 255 bytes. */
function shortText(path: string, value: unknown): string {
  if (typeof value !== "string") throw unsupported(path, "is not a string, the only type that AMQP 0-9-1 has there");
  if (Buffer.byteLength(value) > 255) throw unsupported(path, "is longer than 255 bytes");
  return value;
}

function writeApplication(application: ApplicationProperties): {
  readonly headers: Record<string, unknown>;
  readonly basic: Readonly<Record<string, unknown>>;
} {
  const headers = emptyBag<unknown>();
  const basic = emptyBag<unknown>();
  const nested = new Set(nestedNames(application[nestedMark]));
  for (const [name, value] of Object.entries(application)) {
    const path = `$.applicationProperties.${name}`;
    const basicName = basicNames.get(name);
    const table = nested.has(name) && typeof value === "string" ? fromNestedText(value) : undefined;
    if (brokerNames.has(name)) throw unsupported(path, "has a name that is reserved for a broker property");
    if (basicName !== undefined) basic[basicName] = basicValue(basicName, value, path);
    else if (name !== nestedMark || nested.size === 0) {
      headers[shortText(path, propertyName(path, name))] =
        table === undefined ? writeHeader(value, path) : withBuffers(table);
    }
  }
  return { headers, basic };
}

function basicValue(name: string, value: unknown, path: string): string | number {
  if (name !== "priority" && name !== "deliveryMode" && name !== "timestamp") return shortText(path, value);
  const most = name === "timestamp" ? Number.MAX_SAFE_INTEGER : 0xff;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw unsupported(path, `is not a whole number up to ${most}, as required for the basic property ${name}`);
}

function writeBrokerHeaders(headers: Record<string, unknown>, broker: BrokerProperties): void {
  for (const [name, header] of brokerHeaders) {
    const value = broker[name];
    if (value === undefined) continue;
    headers[header] = typeof value === "string" ? value : value.toISOString();
  }
}
