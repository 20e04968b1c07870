import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";
import { ticksPerDay, ticksPerSecond } from "./ticks.ts";

const form = /^-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$/;

/** A span of time in ISO 8601; of .NET's `TimeSpan` also its ticks of 100 nanoseconds. */
export class Duration extends TaggedScalar {
  /** ISO 8601, e.g. `P1DT2H3M4.005S` or `-PT1.5S`. */
  readonly iso: string;
  readonly ticks: bigint | undefined;

  /** @throws SobreError `InvalidArgument` for text that is not an ISO 8601 duration. */
  constructor(iso: string, ticks?: bigint) {
    super();
    if (typeof iso !== "string" || !form.test(iso))
      throw new SobreError("InvalidArgument", "A Duration needs a string, e.g. PT1H30M.");
    this.iso = iso;
    this.ticks = ticks;
    Object.freeze(this);
  }

  static fromTicks(ticks: bigint): Duration {
    if (typeof ticks !== "bigint")
      throw new SobreError("InvalidArgument", "ticks must be a bigint.", { path: "$.ticks" });
    return new Duration(ticksToIso(ticks), ticks);
  }

  /**
   * A `TimeSpan` of its XML text, which .NET writes in days, hours, minutes and seconds, or `undefined`.
   *
   * Years, months and what is finer than a tick are not read: no `TimeSpan` writes them.
   */
  static parse(text: string): Duration | undefined {
    const match = typeof text === "string" ? form.exec(text) : null;
    if (match === null || /[YW]|M.*T|M$/.test(text.replace(/T.*/, "T"))) return undefined;
    const [, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
    if (fraction.length > 7) return undefined;
    const whole = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
    const ticks = whole * ticksPerSecond + BigInt(fraction.padEnd(7, "0"));
    const signed = text.startsWith("-") ? -ticks : ticks;
    return signed < -(2n ** 63n) || signed >= 2n ** 63n ? undefined : Duration.fromTicks(signed);
  }

  override toString(): string {
    return this.iso;
  }

  override toTagged(): JsonObject {
    return { $duration: this.iso, ...(this.ticks === undefined ? {} : { ticks: `${this.ticks}` }) };
  }
}

function ticksToIso(ticks: bigint): string {
  const size = ticks < 0n ? -ticks : ticks;
  const seconds = (size % ticksPerDay) / ticksPerSecond;
  const fraction = (size % ticksPerSecond).toString().padStart(7, "0").replace(/0+$/, "");
  const days = size / ticksPerDay;
  const clock = [
    [seconds / 3600n, "H"],
    [(seconds / 60n) % 60n, "M"],
  ] as const;
  const whole = clock.map(([count, unit]) => (count === 0n ? "" : `${count}${unit}`)).join("");
  const rest =
    seconds % 60n === 0n && fraction === "" ? "" : `${seconds % 60n}${fraction === "" ? "" : `.${fraction}`}S`;
  const time = `${whole}${rest}`;
  const day = days === 0n ? "" : `${days}D`;
  return `${ticks < 0n ? "-" : ""}P${day}${time === "" ? (day === "" ? "T0S" : "") : `T${time}`}`;
}
