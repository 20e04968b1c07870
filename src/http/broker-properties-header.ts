import { checkOptional, text as isText } from "../options/option-checks.ts";
import { isObject } from "../values/plain-object.ts";
import type { Delivery } from "../engine/delivery.ts";
import type { BrokerPropertiesInit } from "../envelope/broker-properties.ts";
import { Typed } from "../values/typed.ts";
import { SobreError } from "../errors/sobre-error.ts";

const texts = [
  ["MessageId", "messageId"],
  ["CorrelationId", "correlationId"],
  ["SessionId", "sessionId"],
  ["Label", "subject"],
  ["ReplyTo", "replyTo"],
  ["To", "to"],
  ["ReplyToSessionId", "replyToSessionId"],
  ["PartitionKey", "partitionKey"],
  ["ViaPartitionKey", "viaPartitionKey"],
] as const;

/** The readable members are one more than the written ones: the content type has a header of its own. */
const givenTexts = [...texts, ["ContentType", "contentType"]] as const;

/** Reads the value of a `BrokerProperties` header. @throws SobreError `InvalidArgument`. */
export function readBrokerProperties(header: string | undefined): Partial<BrokerPropertiesInit> {
  checkOptional("header", header, isText);
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
  if (!isObject(json)) throw new SobreError("InvalidArgument", "BrokerProperties is not an object.");
  const given: Readonly<Record<string, unknown>> = { ...json };
  const draft: Record<string, unknown> = {};
  for (const [name, property] of givenTexts) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string") throw wrong(name, "a string");
    draft[property] = value;
  }
  const { TimeToLive, TimeToLiveTimeSpan, ScheduledEnqueueTimeUtc } = given;
  const timeToLive = typeof TimeToLiveTimeSpan === "string" ? spanOf(TimeToLiveTimeSpan) : TimeToLive;
  if (timeToLive !== undefined && timeToLive !== null) {
    if (typeof timeToLive !== "number" || !(timeToLive > 0)) throw wrong("TimeToLive", "a number of seconds above 0");
    draft["timeToLive"] = Math.max(1, Math.round(timeToLive * 1000));
  }
  if (ScheduledEnqueueTimeUtc !== undefined && ScheduledEnqueueTimeUtc !== null) {
    const time = typeof ScheduledEnqueueTimeUtc === "string" ? Date.parse(ScheduledEnqueueTimeUtc) : Number.NaN;
    if (Number.isNaN(time)) throw wrong("ScheduledEnqueueTimeUtc", "a time");
    draft["scheduledEnqueueTimeUtc"] = new Date(time);
  }
  return draft;
}

/** Seconds of .NET's `days.hh:mm:ss`. */
function spanOf(text: string): number {
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] =
    /^(?:(\d+)\.)?(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** The value of the `BrokerProperties` header of a delivery, in ASCII. */
export function writeBrokerProperties(delivery: Delivery): string {
  const { brokerProperties: broker, bodyKind } = delivery.envelope;
  const properties: Record<string, unknown> = {};
  for (const [name, property] of texts) {
    const value: unknown = broker[property];
    if (value !== undefined) properties[name] = idOf(value);
  }
  if (bodyKind !== "data" && broker.contentType !== undefined) properties["ContentType"] = broker.contentType;
  if (broker.timeToLive !== undefined && broker.timeToLive !== Infinity)
    properties["TimeToLive"] = broker.timeToLive / 1000;
  if (broker.scheduledEnqueueTimeUtc !== undefined)
    properties["ScheduledEnqueueTimeUtc"] = broker.scheduledEnqueueTimeUtc.toUTCString();
  Object.assign(properties, {
    // Over HTTP the first delivery is number 1.
    DeliveryCount: delivery.deliveryCount + 1,
    EnqueuedSequenceNumber: Number(delivery.enqueuedSequenceNumber),
    EnqueuedTimeUtc: delivery.enqueuedTimeUtc.toUTCString(),
    LockToken: delivery.lockToken,
    LockedUntilUtc: delivery.lockedUntilUtc?.toUTCString(),
    SequenceNumber: Number(delivery.sequenceNumber),
    State: `${delivery.state.slice(0, 1).toUpperCase()}${delivery.state.slice(1)}`,
    DeadLetterSource: delivery.deadLetterSource,
  });
  return JSON.stringify(properties).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function idOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return String(value instanceof Typed ? value.value : value);
}

const wrong = (name: string, wanted: string): SobreError =>
  new SobreError("InvalidArgument", `${name} of BrokerProperties must be ${wanted}.`);
