const ticksPerMillisecond = 10_000n;
/** Ticks from 0001-01-01 to 1970-01-01. */
const epoch = 621_355_968_000_000_000n;

/**
 * A point in time as .NET's `DateTimeOffset` travels over AMQP: UTC ticks of 100 nanoseconds since 0001-01-01.
 *
 * The offset itself does not travel.
 */
export class DateTimeOffset {
  readonly utcTicks: bigint;

  constructor(utcTicks: bigint) {
    this.utcTicks = utcTicks;
    Object.freeze(this);
  }

  static fromDate(date: Date): DateTimeOffset {
    return new DateTimeOffset(BigInt(date.getTime()) * ticksPerMillisecond + epoch);
  }

  /** The `Date` at or before it; what is finer than a millisecond is lost. */
  toDate(): Date {
    const ticks = this.utcTicks - epoch;
    const finer = ((ticks % ticksPerMillisecond) + ticksPerMillisecond) % ticksPerMillisecond;
    return new Date(Number((ticks - finer) / ticksPerMillisecond));
  }

  /** ISO 8601, as `2024-01-01T00:00:00+00:00`, with up to seven decimals. */
  toString(): string {
    const date = this.toDate();
    if (Number.isNaN(date.getTime())) return `@${this.utcTicks}`;
    const finer = (((this.utcTicks - epoch) % 10_000_000n) + 10_000_000n) % 10_000_000n;
    const fraction = finer.toString().padStart(7, "0").replace(/0+$/, "");
    return `${date.toISOString().slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}+00:00`;
  }

  /** The `$dateTimeOffset` object of the JSON rendering. */
  toJSON(): { readonly $dateTimeOffset: string } {
    return { $dateTimeOffset: this.toString() };
  }
}
