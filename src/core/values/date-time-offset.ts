import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";
import { clockText, millisecondsToTicks, offsetText, ticksPerMinute, ticksToMilliseconds } from "./ticks.ts";

/** A point in time with the offset of its clock, as .NET's and Java's: UTC ticks of 100 nanoseconds since 0001-01-01. */
export class DateTimeOffset extends TaggedScalar {
  readonly utcTicks: bigint;
  /** Minutes east of UTC. */
  readonly offsetMinutes: number;

  constructor(utcTicks: bigint, offsetMinutes: number = 0) {
    super();
    this.utcTicks = utcTicks;
    this.offsetMinutes = offsetMinutes;
    Object.freeze(this);
  }

  /** @throws SobreError `InvalidArgument` for what is not a valid Date. */
  static fromDate(date: Date): DateTimeOffset {
    checkOption("date", date, is.date);
    return new DateTimeOffset(millisecondsToTicks(date.getTime()));
  }

  /** The `Date` at or before it; what is finer than a millisecond is lost. */
  toDate(): Date {
    return new Date(ticksToMilliseconds(this.utcTicks));
  }

  /** ISO 8601, e.g. `2024-01-01T00:00:00+02:00`, with up to seven decimals. */
  override toString(): string {
    return `${clockText(this.utcTicks + BigInt(this.offsetMinutes) * ticksPerMinute)}${offsetText(this.offsetMinutes)}`;
  }

  override toTagged(): JsonObject {
    return { $dateTimeOffset: this.toString() };
  }
}
