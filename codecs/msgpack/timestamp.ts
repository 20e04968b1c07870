import { Instant } from "../../src/core/values/instant.ts";

/** Extension type of timestamps (MessagePack specification, "Timestamp extension type"). */
export const timestampType = -1;

const nanosecondsPerSecond = 1_000_000_000;
const nanosecondsPerMillisecond = 1_000_000;
const latestDate = 8_640_000_000_000_000;

/**
 * Reads timestamp 32, 64 or 96: a `Date` for whole milliseconds, an `Instant` for anything finer or beyond `Date`.
 *
 * `undefined` for other lengths and for nanoseconds over 999,999,999, which the specification forbids.
 */
export function readTimestamp(view: DataView, at: number, length: number): Date | Instant | undefined {
  switch (length) {
    case 4:
      return new Date(view.getUint32(at) * 1000);
    case 8: {
      const high = view.getUint32(at);
      return fromParts((high % 4) * 2 ** 32 + view.getUint32(at + 4), Math.floor(high / 4));
    }
    case 12:
      return fromParts(view.getBigInt64(at + 4), view.getUint32(at));
    default:
      return undefined;
  }
}

function fromParts(seconds: number | bigint, nanoseconds: number): Date | Instant | undefined {
  if (nanoseconds >= nanosecondsPerSecond) return undefined;
  if (nanoseconds % nanosecondsPerMillisecond === 0) {
    const milliseconds = Number(seconds) * 1000 + nanoseconds / nanosecondsPerMillisecond;
    if (Math.abs(milliseconds) <= latestDate) return new Date(milliseconds);
  }
  return new Instant(BigInt(seconds) * BigInt(nanosecondsPerSecond) + BigInt(nanoseconds));
}

/** A point in time as whole seconds and the nanoseconds after them. */
export interface TimestampParts {
  readonly seconds: bigint;
  readonly nanoseconds: number;
}

/** The parts of a `Date` or `Instant`, or `undefined` for an invalid date and for seconds beyond 64 bits. */
export function timestampParts(time: Date | Instant): TimestampParts | undefined {
  if (time instanceof Date) {
    const milliseconds = time.getTime();
    if (Number.isNaN(milliseconds)) return undefined;
    const seconds = Math.floor(milliseconds / 1000);
    return { seconds: BigInt(seconds), nanoseconds: (milliseconds - seconds * 1000) * nanosecondsPerMillisecond };
  }
  const unit = BigInt(nanosecondsPerSecond);
  const nanoseconds = ((time.epochNanoseconds % unit) + unit) % unit;
  const seconds = (time.epochNanoseconds - nanoseconds) / unit;
  return BigInt.asIntN(64, seconds) === seconds ? { seconds, nanoseconds: Number(nanoseconds) } : undefined;
}
