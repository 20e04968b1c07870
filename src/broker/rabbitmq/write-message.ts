import { Buffer } from "node:buffer";
import { brokerHeaders } from "../../wire/amqplib/amqplib-message.ts";
import { deadLetterProperties } from "../../core/engine/delivery.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { emptyBag } from "../../core/envelope/bag.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { asBuffer, type Options } from "./driver.ts";
import {
  basicNames,
  bodyKindHeader,
  countHeader,
  deadHeader,
  enqueuedHeader,
  exactHeader,
  expiresHeader,
  type MessageFacts,
  reservedHeader,
} from "./message-headers.ts";

/** A message as it is published. */
export interface PublishableMessage {
  readonly content: Buffer;
  readonly properties: Options.Publish;
}

/** The longest short string of AMQP 0-9-1, in bytes. */
const maxShortLength = 255;

/** The longest time to live that RabbitMQ takes, in milliseconds. */
const maxTimeToLive = 0xffff_ffff;

const isShort = (value: unknown): value is string =>
  typeof value === "string" && (value.length <= 85 || Buffer.byteLength(value) <= maxShortLength);

/** Whether the driver reads a value back as it was, type included. */
function isExact(value: ApplicationPropertyValue): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isInteger(value) ? (value | 0) === value && !Object.is(value, -0) : Number.isFinite(value);
    case "bigint":
      return false;
    default:
      return value === null || value instanceof Uint8Array;
  }
}

/** The value for other clients, as near as AMQP 0-9-1 comes; `undefined` when it has nothing like it. */
function nativeValue(value: ApplicationPropertyValue): unknown {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value === "number") {
    if (isExact(value)) return value;
    // RabbitMQ ends the connection of whoever sends it a number that is not finite.
    return Number.isFinite(value) ? { "!": "double", value } : undefined;
  }
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? { "!": "int64", value } : String(value);
  if (value instanceof Date) {
    const seconds = Math.floor(value.getTime() / 1000);
    return seconds >= 0 ? { "!": "timestamp", value: seconds } : undefined;
  }
  if (typeof value !== "object" || value === null) return value;
  const inner = value.value;
  if (typeof inner === "object") return undefined;
  if (typeof inner === "string") return inner;
  return nativeValue(inner);
}

/**
 * A message as RabbitMQ and its other clients know it: basic properties, and application properties as headers.
 *
 * @param more Headers to add, for rules.
 */
export function writeMessage(
  envelope: Envelope,
  facts: MessageFacts,
  more: Readonly<Record<string, unknown>> = {},
): PublishableMessage {
  const { brokerProperties: broker, applicationProperties: application, bodyKind } = envelope;
  const headers = emptyBag<unknown>();
  const exactApplication = emptyBag<unknown>();
  const exactBroker = emptyBag<unknown>();
  for (const name in application) {
    const value = application[name];
    if (value === undefined) continue;
    const isNamed = !reservedHeader.test(name) && name !== "__proto__" && isShort(name);
    if (!isNamed || !isExact(value)) exactApplication[name] = value;
    const native = isNamed ? nativeValue(value) : undefined;
    if (native !== undefined) headers[name] = native;
  }
  const properties: Record<string, unknown> = { deliveryMode: 2, timestamp: Math.floor(facts.enqueuedAt / 1000) };
  for (const [property, basic] of basicNames) {
    const value = broker[property];
    if (value === undefined) continue;
    if (isShort(value)) properties[basic] = value;
    else exactBroker[property] = value;
  }
  for (const [property, header] of brokerHeaders) {
    const value = broker[property];
    if (value !== undefined) headers[header] = value instanceof Date ? value.toISOString() : value;
  }
  headers[enqueuedHeader] = facts.enqueuedAt;
  if (facts.deliveryCount > 0) headers[countHeader] = facts.deliveryCount;
  if (facts.deadLetter !== undefined) headers[deadHeader] = markText(facts.deadLetter, application);
  if (bodyKind !== "data") headers[bodyKindHeader] = bodyKind;
  const expiration = expirationOf(facts);
  if (facts.expiresAt !== Infinity) headers[expiresHeader] = facts.expiresAt;
  if (expiration !== undefined) properties["expiration"] = String(expiration);
  if (broker.timeToLive !== expiration) exactBroker["timeToLive"] = broker.timeToLive;
  const exact = exactText(exactBroker, exactApplication);
  if (exact !== undefined) headers[exactHeader] = exact;
  return { content: asBuffer(envelope.payload), properties: { ...properties, headers: Object.assign(headers, more) } };
}

/** The broker's own time to live; beyond its limit, the engine alone drops the message. */
function expirationOf({ expiresAt, enqueuedAt, deadLetter }: MessageFacts): number | undefined {
  if (expiresAt === Infinity || deadLetter !== undefined) return undefined;
  const milliseconds = Math.max(1, Math.ceil(expiresAt - enqueuedAt));
  return milliseconds > maxTimeToLive ? undefined : milliseconds;
}

function exactText(broker: object, application: object): string | undefined {
  const hasBroker = Object.values(broker).some((value) => value !== undefined);
  const hasApplication = Object.keys(application).length > 0;
  if (!hasBroker && !hasApplication) return undefined;
  return JSON.stringify(valueToJson({ ...(hasBroker && { broker }), ...(hasApplication && { application }) }));
}

/** A mark as JSON, without the texts that application properties have too. */
function markText({ reason, description, source }: DeadLetterMark, application: ApplicationProperties): string {
  const same = (name: string, text: string | undefined): boolean => text !== undefined && application[name] === text;
  return JSON.stringify({
    reason: same(deadLetterProperties.reason, reason) ? true : reason,
    description: same(deadLetterProperties.description, description) ? true : description,
    source,
  });
}
