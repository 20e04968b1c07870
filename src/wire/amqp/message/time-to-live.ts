import type { Typed } from "../../../core/values/typed.ts";
import type { MessageProperties } from "./message-properties.ts";

/** The longest time to live that a header can have, in milliseconds: 49.7 days. */
const maxInHeaderLength = 0xffff_ffff;

/** The end of the year 9999, after which official clients have no time. */
const lastTime = Date.UTC(10_000, 0, 1) - 1;

/** Whether a time to live needs more than the header: a creation time, and an expiry so much later. */
export const isLong = (timeToLive: number | undefined): timeToLive is number =>
  timeToLive !== undefined && timeToLive > maxInHeaderLength && timeToLive !== Infinity;

/** The time to live for the header, which has no room for longer ones; `undefined` for a message that never expires. */
export const headerTimeToLive = (timeToLive: number | undefined = Infinity): number | undefined =>
  timeToLive === Infinity ? undefined : Math.min(timeToLive, maxInHeaderLength);

/**
 * The time to live of a received message: that of the header or, if this is the maximum, the time between creation and
 * expiry if it is longer. This is how the clients for .NET and Java send it.
 */
export function receivedTimeToLive(
  ttl: number | undefined,
  properties: Pick<MessageProperties, "absoluteExpiryTime" | "creationTime"> | undefined,
): number | undefined {
  // A time to live is above 0 in an envelope; the header that says 0 stays as it is while nobody sets another.
  if (ttl === undefined || ttl === 0) return undefined;
  if (ttl < maxInHeaderLength) return ttl;
  const span = timeOf(properties?.absoluteExpiryTime) - timeOf(properties?.creationTime);
  return span > ttl ? span : ttl;
}

const timeOf = (time: Date | Typed<"timestamp"> | undefined): number => (time instanceof Date ? time.getTime() : NaN);

/** Whether a time to live needs other times than those of the message that it was received with. */
export const needsTimes = (timeToLive: number | undefined, received: number | undefined): boolean =>
  timeToLive !== received && (timeToLive ?? 0) >= maxInHeaderLength && (isLong(timeToLive) || isLong(received));

/** The properties with a creation time and an expiry that say the time to live, for those that {@link needsTimes}. */
export function withTimes(
  properties: MessageProperties,
  timeToLive: number | undefined,
  creation: Date,
): MessageProperties {
  if (!isLong(timeToLive)) return { ...properties, absoluteExpiryTime: undefined };
  const expiry = new Date(Math.min(creation.getTime() + timeToLive, lastTime));
  return { ...properties, creationTime: creation, absoluteExpiryTime: expiry };
}
