import { DateTimeOffset } from "../values/date-time-offset.ts";
import { Duration } from "../values/duration.ts";
import { Uri } from "../values/named-text.ts";
import type { AmqpExtension } from "./extension.ts";

/** `com.microsoft:timespan`: a long of 100-nanosecond ticks, read into a `Duration`. */
export const timespanExtension: AmqpExtension = {
  descriptor: "com.microsoft:timespan",
  read: (value) => (typeof value === "bigint" ? Duration.fromTicks(value) : undefined),
  write: (value) => (value instanceof Duration ? long(value.ticks ?? Duration.parse(value.iso)?.ticks) : undefined),
};

/**
 * `com.microsoft:datetime-offset`: a long of UTC ticks since 0001-01-01, read into a `DateTimeOffset`.
 *
 * The offset does not travel: one that is not 0 is refused when written.
 */
export const dateTimeOffsetExtension: AmqpExtension = {
  descriptor: "com.microsoft:datetime-offset",
  read: (value) => (typeof value === "bigint" ? new DateTimeOffset(value) : undefined),
  write: (value) => (value instanceof DateTimeOffset && value.offsetMinutes === 0 ? long(value.utcTicks) : undefined),
};

/** `com.microsoft:uri`: a string, read into a `Uri`; a `URL` is written too. */
export const uriExtension: AmqpExtension = {
  descriptor: "com.microsoft:uri",
  read: (value) => (typeof value === "string" ? new Uri(value) : undefined),
  write: (value) => (value instanceof Uri ? value.text : value instanceof URL ? value.href : undefined),
};

/** The described types of the official .NET and Java clients. */
export const microsoftExtensions: readonly AmqpExtension[] = [timespanExtension, dateTimeOffsetExtension, uriExtension];

/** The ticks, if they fit into a long: more would be written as ulong, which no client reads. */
function long(ticks: bigint | undefined): bigint | undefined {
  return ticks !== undefined && BigInt.asIntN(64, ticks) === ticks ? ticks : undefined;
}
