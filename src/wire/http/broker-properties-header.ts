import { checkOptional, checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { isObject } from "../../core/values/plain-object.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { BrokerProperties, BrokerPropertiesInit } from "../../core/envelope/broker-properties.ts";
import { settableRows } from "../../core/envelope/broker-property-table.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { readTimeSpan } from "../../core/time/duration.ts";
import { Typed } from "../../core/values/typed.ts";
import { inAscii } from "./ascii-json.ts";
import { isHeaderText } from "./header-text.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The texts of the header by their names; the content type has its own header, if that can hold it. */
const givenTexts: readonly (readonly [name: string, property: keyof BrokerProperties])[] = settableRows.flatMap(
  ({ property, type, http }) => (http === undefined || type === "span" || type === "time" ? [] : [[http, property]]),
);
const texts = givenTexts.filter(([, property]) => property !== "contentType");

/** Reads the value of a `BrokerProperties` header. @throws SobreError `InvalidArgument`. */
export function readBrokerProperties(header: string | undefined): Partial<BrokerPropertiesInit> {
  checkOptional("header", header, is.text);
  if (header === undefined || header.trim() === "") return {};
  let json: unknown;
  try {
    json = JSON.parse(header);
  } catch {
    throw new SobreError("InvalidArgument", "The header BrokerProperties is not JSON.");
  }
  return brokerPropertiesFrom(json);
}

/** Reads broker properties from their JSON. @throws SobreError `InvalidArgument`. */
export function brokerPropertiesFrom(json: unknown): Partial<BrokerPropertiesInit> {
  if (!isObject(json)) throw new SobreError("InvalidArgument", "BrokerProperties must be a JSON object.");
  const given: Readonly<Record<string, unknown>> = { ...json };
  const draft: Record<string, unknown> = {};
  for (const [name, property] of givenTexts) {
    // The newer name of the label.
    const value = property === "subject" ? (given[name] ?? given["Subject"]) : given[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string") throw invalidBrokerProperty(name, "a string");
    draft[property] = value;
  }
  const { TimeToLive, TimeToLiveTimeSpan, ScheduledEnqueueTimeUtc } = given;
  const timeToLive =
    typeof TimeToLiveTimeSpan === "string" ? (readTimeSpan(TimeToLiveTimeSpan) ?? 0) / 1000 : plainNumber(TimeToLive);
  if (timeToLive !== undefined && timeToLive !== null) {
    if (typeof timeToLive !== "number" || !(timeToLive > 0))
      throw invalidBrokerProperty("TimeToLive", "a number of seconds above 0");
    draft["timeToLive"] = Math.max(1, Math.round(timeToLive * 1000));
  }
  if (ScheduledEnqueueTimeUtc !== undefined && ScheduledEnqueueTimeUtc !== null) {
    const time = typeof ScheduledEnqueueTimeUtc === "string" ? Date.parse(ScheduledEnqueueTimeUtc) : Number.NaN;
    if (Number.isNaN(time)) throw invalidBrokerProperty("ScheduledEnqueueTimeUtc", "a time");
    draft["scheduledEnqueueTimeUtc"] = new Date(time);
  }
  return draft;
}

/** Batches are read with all digits of their numbers. */
const plainNumber = (value: unknown): unknown =>
  typeof value === "bigint" ? Number(value) : value instanceof Typed ? value.value : value;

/** Seconds of .NET's `days.hh:mm:ss`. */
/** The members that a sender has set, as the `BrokerProperties` header has them. */
export function settableMembers({ brokerProperties: broker, bodyKind }: Envelope): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, property] of texts) {
    const value: unknown = broker[property];
    if (value !== undefined) members[name] = idOf(value);
  }
  if (broker.subject !== undefined) members["Subject"] = broker.subject;
  const { contentType } = broker;
  if (contentType !== undefined && (bodyKind !== "data" || !isHeaderText(contentType)))
    members["ContentType"] = contentType;
  if (broker.timeToLive !== undefined && broker.timeToLive !== Infinity)
    members["TimeToLive"] = broker.timeToLive / 1000;
  if (broker.scheduledEnqueueTimeUtc !== undefined)
    members["ScheduledEnqueueTimeUtc"] = broker.scheduledEnqueueTimeUtc.toUTCString();
  return members;
}

const aDelivery = is.having("a delivery", {
  envelope: is.envelope,
  enqueuedTimeUtc: is.date,
  expiresAtUtc: is.maybe(is.date),
  lockedUntilUtc: is.maybe(is.date),
  deliveryCount: is.number,
  state: is.text,
});

/** The value of the `BrokerProperties` header of a delivery, in ASCII; 64-bit numbers have all of their digits. */
export function writeBrokerProperties(delivery: Delivery): string {
  checkOption("delivery", delivery, aDelivery);
  const { enqueuedTimeUtc, expiresAtUtc } = delivery;
  const timeToLive =
    expiresAtUtc === undefined ? undefined : (expiresAtUtc.getTime() - enqueuedTimeUtc.getTime()) / 1000;
  return writeMembers({
    ...settableMembers(delivery.envelope),
    ...(timeToLive === undefined ? {} : { TimeToLive: timeToLive }),
    // Over HTTP the first delivery is number 1.
    DeliveryCount: delivery.deliveryCount + 1,
    EnqueuedSequenceNumber: delivery.enqueuedSequenceNumber,
    EnqueuedTimeUtc: enqueuedTimeUtc.toUTCString(),
    ExpiresAtUtc: expiresAtUtc?.toUTCString(),
    LockToken: delivery.lockToken,
    LockedUntilUtc: delivery.lockedUntilUtc?.toUTCString(),
    SequenceNumber: delivery.sequenceNumber,
    State: `${delivery.state.slice(0, 1).toUpperCase()}${delivery.state.slice(1)}`,
    DeadLetterSource: delivery.deadLetterSource,
  });
}

/** A JSON object in ASCII, with bigints as numbers of all their digits. */
export function writeMembers(members: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${typeof value === "bigint" ? value : JSON.stringify(value)}`],
  );
  return inAscii(`{${parts.join(",")}}`);
}

function idOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return String(value instanceof Typed ? value.value : value);
}

const invalidBrokerProperty = (name: string, wanted: string): SobreError =>
  new SobreError("InvalidArgument", `${name} of BrokerProperties must be ${wanted}.`);
