/** A point in time finer than the milliseconds of a `Date`, as MessagePack timestamps are. */
export class Instant {
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly epochNanoseconds: bigint;

  constructor(epochNanoseconds: bigint) {
    this.epochNanoseconds = epochNanoseconds;
    Object.freeze(this);
  }

  /** The `Date` at or before it; the finer part is lost. */
  toDate(): Date {
    const milliseconds = this.epochNanoseconds / 1_000_000n;
    return new Date(Number(this.epochNanoseconds < milliseconds * 1_000_000n ? milliseconds - 1n : milliseconds));
  }

  /** ISO 8601 in UTC with nine decimals, e.g. `2018-01-02T03:04:05.678901234Z`. */
  toString(): string {
    const second = 1_000_000_000n;
    const fraction = ((this.epochNanoseconds % second) + second) % second;
    const whole = new Date(Number((this.epochNanoseconds - fraction) / 1_000_000n));
    const text = Number.isNaN(whole.getTime())
      ? `@${(this.epochNanoseconds - fraction) / second}`
      : whole.toISOString().slice(0, -5);
    return `${text}.${fraction.toString().padStart(9, "0")}Z`;
  }

  toJSON(): string {
    return this.toString();
  }
}
