import { brokerHeaders } from "../../wire/amqplib/amqplib-message.ts";
import { deadLetterProperties } from "../../core/engine/delivery.ts";
import { emptyBag } from "../../core/envelope/bag.ts";
import { maxIdLength } from "../../core/envelope/broker-properties.ts";
import { type BodyKind, checkEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import type { Message } from "./driver.ts";
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

/** Why RabbitMQ itself has moved a message here. */
export interface BrokerDeath {
  /** In the words of Service Bus where it knows the reason too. */
  readonly reason: string;
  readonly description: string;
  /** The queue that it was moved from. */
  readonly queue: string;
}

/** A received message. */
export interface RabbitmqMessage extends MessageFacts {
  readonly envelope: Envelope;
  /** Whether another client has sent it: the broker alone knows when it came, and drops it when it expires. */
  readonly isForeign: boolean;
  /** The latest move by RabbitMQ itself. */
  readonly death: BrokerDeath | undefined;
  /** Why the message cannot be delivered as it was sent; its envelope then has no application properties. */
  readonly unreadable: SobreError | undefined;
}

/**
 * Reads a message, the engine's own or one of another client.
 *
 * @param now When it was enqueued if it does not say so, in milliseconds since 1970.
 */
export function readMessage(message: Pick<Message, "content" | "properties">, now: number): RabbitmqMessage {
  const { properties } = message;
  const headers: Bag = properties.headers ?? {};
  const enqueuedAt = wholeNumber(headers[enqueuedHeader]) ?? secondsOf(properties.timestamp) ?? now;
  return {
    ...envelopeOf(message),
    enqueuedAt,
    expiresAt: wholeNumber(headers[expiresHeader]) ?? Infinity,
    isForeign: headers[enqueuedHeader] === undefined,
    deliveryCount: wholeNumber(headers[countHeader]) ?? 0,
    deadLetter: markOf(headers[deadHeader], headers),
    death: deathOf(headers),
  };
}

function envelopeOf({
  content,
  properties,
}: Pick<Message, "content" | "properties">): Pick<RabbitmqMessage, "envelope" | "unreadable"> {
  // A copy: the receiver may write into it, and the driver's buffer holds much more than one message.
  const payload = new Uint8Array(content);
  const headers: Bag = properties.headers ?? {};
  try {
    const bodyKind = bodyKindOf(headers[bodyKindHeader]);
    return {
      envelope: checkEnvelope({ payload, bodyKind, ...propertiesOf(properties, headers) }),
      unreadable: undefined,
    };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { envelope: checkEnvelope({ payload }), unreadable: error };
  }
}

function propertiesOf(
  properties: Message["properties"],
  headers: Bag,
): { readonly brokerProperties: Bag; readonly applicationProperties: Bag } {
  const exact = exactOf(headers[exactHeader]);
  const application = emptyBag<unknown>();
  const broker = emptyBag<unknown>();
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (reservedHeader.test(name) || Object.hasOwn(exact.application, name)) continue;
    const property = headerProperties.get(name);
    const read = property === undefined ? undefined : readBroker(property, value);
    if (property !== undefined && read !== undefined) broker[property] = read;
    else application[name] = readValue(name, value);
  }
  for (const [property, basic] of basicNames) {
    const value: unknown = properties[basic];
    if (typeof value === "string") broker[property] = value;
  }
  broker["timeToLive"] = expirationIn(properties);
  return {
    brokerProperties: fitting({ ...broker, ...exact.broker }),
    applicationProperties: { ...application, ...exact.application },
  };
}

const expirationIn = ({ expiration }: Message["properties"]): number | undefined =>
  /^[1-9]\d{0,14}$/.test(String(expiration)) ? Number(expiration) : undefined;

const headerProperties: ReadonlyMap<string, string> = new Map(brokerHeaders.map(([name, header]) => [header, name]));

function readBroker(property: string, value: unknown): string | Date | undefined {
  if (typeof value !== "string") return undefined;
  if (property !== "scheduledEnqueueTimeUtc")
    return value.length <= maxIdLength || property === "to" ? value : undefined;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

const isLong = (id: unknown): boolean => typeof id === "string" && id.length > maxIdLength;

/** Ids of other clients may be longer than those of an envelope: they stay application properties. */
function fitting(broker: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { messageId, correlationId, ...rest } = broker;
  return {
    ...rest,
    messageId: isLong(messageId) ? undefined : messageId,
    correlationId: isLong(correlationId) ? undefined : correlationId,
  };
}

/** A header's value as an application property; tables and lists become JSON text. */
function readValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new SobreError(
      "UnsupportedValue",
      `The header ${JSON.stringify(name)} has a number beyond 2^53, which the driver has rounded. Send it as text.`,
      { path: `$.applicationProperties.${name}` },
    );
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if ("!" in value && "value" in value && value["!"] === "timestamp") return secondsDate(value.value);
  return JSON.stringify(value);
}

const secondsDate = (seconds: unknown): Date | undefined => {
  const time = secondsOf(seconds);
  return time === undefined ? undefined : new Date(time);
};

function secondsOf(seconds: unknown): number | undefined {
  const time = typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : NaN;
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}

const wholeNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

const bodyKindOf = (kind: unknown): BodyKind => (kind === "value" || kind === "sequence" ? kind : "data");

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === "object" && value !== null;
const bagOf = (value: unknown): Bag => (isBag(value) ? value : {});

/** Reads `sobre-exact`, where other clients may have written anything. */
function exactOf(header: unknown): { readonly broker: Bag; readonly application: Bag } {
  if (typeof header !== "string") return { broker: {}, application: {} };
  try {
    const exact = bagOf(valueFromJson(JSON.parse(header)));
    return { broker: bagOf(exact["broker"]), application: bagOf(exact["application"]) };
  } catch {
    return { broker: {}, application: {} };
  }
}

function markOf(header: unknown, headers: Bag): DeadLetterMark | undefined {
  if (typeof header !== "string") return undefined;
  try {
    const { reason, description, source } = bagOf(JSON.parse(header));
    const text = (given: unknown, name: string): string | undefined => stringIn(given === true ? headers[name] : given);
    return {
      reason: text(reason, deadLetterProperties.reason),
      description: text(description, deadLetterProperties.description),
      source: stringIn(source),
    };
  } catch {
    return undefined;
  }
}

const stringIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The reasons of RabbitMQ, with the words of Service Bus for those that it has too. */
const reasons: ReadonlyMap<unknown, readonly [reason: string, description: string]> = new Map([
  ["expired", ["TTLExpiredException", "The message expired and was dead lettered."]],
  [
    "delivery_limit",
    ["MaxDeliveryCountExceeded", "Message could not be consumed after the delivery limit of its queue."],
  ],
  ["rejected", ["Rejected", "A consumer rejected the message."]],
  ["maxlen", ["MaxLengthExceeded", "The queue had reached its maximum length."]],
]);

/** The latest death in the words of RabbitMQ's own header. */
function deathOf(headers: Bag): BrokerDeath | undefined {
  const deaths = headers["x-death"];
  const latest: unknown = Array.isArray(deaths) ? deaths[0] : undefined;
  if (!isBag(latest)) return undefined;
  const known = reasons.get(latest["reason"]);
  return known === undefined
    ? undefined
    : { reason: known[0], description: known[1], queue: stringIn(latest["queue"]) ?? "" };
}
