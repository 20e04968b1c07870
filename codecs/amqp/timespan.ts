const ticksPerMillisecond = 10_000n;
const ticksPerSecond = 10_000_000n;

/** A span of time as .NET's `TimeSpan` counts it, in ticks of 100 nanoseconds. */
export class Timespan {
  readonly ticks: bigint;

  constructor(ticks: bigint) {
    this.ticks = ticks;
    Object.freeze(this);
  }

  static fromMilliseconds(milliseconds: number): Timespan {
    return new Timespan(BigInt(Math.round(milliseconds * Number(ticksPerMillisecond))));
  }

  /** Milliseconds, with the finer part as a fraction. */
  toMilliseconds(): number {
    return Number(this.ticks) / Number(ticksPerMillisecond);
  }

  /** ISO 8601, as `PT1M30.5S` or `-PT1H`. */
  toString(): string {
    const ticks = this.ticks < 0n ? -this.ticks : this.ticks;
    const seconds = ticks / ticksPerSecond;
    const fraction = (ticks % ticksPerSecond).toString().padStart(7, "0").replace(/0+$/, "");
    const parts = [
      [seconds / 3600n, "H"],
      [(seconds / 60n) % 60n, "M"],
    ] as const;
    const whole = parts.map(([count, unit]) => (count === 0n ? "" : `${count}${unit}`)).join("");
    const rest = `${seconds % 60n}${fraction === "" ? "" : `.${fraction}`}`;
    const tail = rest === "0" && whole !== "" ? "" : `${rest}S`;
    return `${this.ticks < 0n ? "-" : ""}PT${whole}${tail}`;
  }

  /** The `$duration` object of the JSON rendering. */
  toJSON(): { readonly $duration: string; readonly ticks: string } {
    return { $duration: this.toString(), ticks: `${this.ticks}` };
  }
}
