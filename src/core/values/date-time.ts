import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";
import { clockText, millisecondsToTicks, offsetText, ticksPerMinute, ticksToMilliseconds } from "./ticks.ts";

/** The time zone of a {@link DateTime}: UTC, the sender's local time, or unspecified. */
export type DateTimeKind = "utc" | "local" | "unspecified";

/** A point in time as .NET's `DateTime`: ticks of 100 nanoseconds since 0001-01-01 of its own clock, and its kind. */
export class DateTime extends TaggedScalar {
  /** Ticks of the value's own clock. */
  readonly ticks: bigint;
  readonly kind: DateTimeKind;
  /** Minutes east of UTC; `undefined` where they are not known. */
  readonly offsetMinutes: number | undefined;
  /** Its text, which a migration asks for several times. */
  #iso: string | undefined;

  constructor(ticks: bigint, kind: DateTimeKind, offsetMinutes?: number) {
    super();
    this.ticks = ticks;
    this.kind = kind;
    this.offsetMinutes = kind === "utc" ? 0 : kind === "local" ? offsetMinutes : undefined;
    Object.freeze(this);
  }

  /** @throws SobreError `InvalidArgument` for what is not a valid Date. */
  static fromDate(date: Date): DateTime {
    checkOption("date", date, is.date);
    return new DateTime(millisecondsToTicks(date.getTime()), "utc");
  }

  /** The `Date` at or before it; a time of unknown offset counts as UTC, and what is finer is lost. */
  toDate(): Date {
    return new Date(ticksToMilliseconds(this.ticks - BigInt(this.offsetMinutes ?? 0) * ticksPerMinute));
  }

  /** ISO 8601 with up to seven decimals: with `Z`, with the offset, or bare, as the kind has it. */
  toISO(): string {
    return (this.#iso ??= `${clockText(this.ticks)}${this.#suffix()}`);
  }

  #suffix(): string {
    if (this.kind === "utc") return "Z";
    return this.offsetMinutes === undefined ? "" : offsetText(this.offsetMinutes);
  }

  override toString(): string {
    return this.toISO();
  }

  override toTagged(): JsonObject {
    return { $dateTime: this.toISO(), kind: this.kind, ticks: `${this.ticks}` };
  }
}
