import { DateTimeOffset } from "./date-time-offset.ts";
import type { AmqpExtension } from "./extension.ts";
import { Timespan } from "./timespan.ts";

/** `com.microsoft:timespan`: a long of 100-nanosecond ticks, as {@link Timespan}. */
export const timespanExtension: AmqpExtension = {
  descriptor: "com.microsoft:timespan",
  read: (value) => (typeof value === "bigint" ? new Timespan(value) : undefined),
  write: (value) => (value instanceof Timespan ? value.ticks : undefined),
};

/** `com.microsoft:datetime-offset`: a long of UTC ticks since 0001-01-01, as {@link DateTimeOffset}. */
export const dateTimeOffsetExtension: AmqpExtension = {
  descriptor: "com.microsoft:datetime-offset",
  read: (value) => (typeof value === "bigint" ? new DateTimeOffset(value) : undefined),
  write: (value) => (value instanceof DateTimeOffset ? value.utcTicks : undefined),
};

/** `com.microsoft:uri`: a string, as a `URL` when it is one that `URL` writes the same; other URIs stay described. */
export const uriExtension: AmqpExtension = {
  descriptor: "com.microsoft:uri",
  read: (value) => (typeof value === "string" && URL.canParse(value) ? exactUrl(value) : undefined),
  write: (value) => (value instanceof URL ? value.href : undefined),
};

/** The described types of the official .NET and Java clients. */
export const microsoftExtensions: readonly AmqpExtension[] = [timespanExtension, dateTimeOffsetExtension, uriExtension];

/** A `URL` normalises; one that changed the text would not be the value that was sent. */
function exactUrl(text: string): URL | undefined {
  const url = new URL(text);
  return url.href === text ? url : undefined;
}
