import { SobreError } from "../errors/sobre-error.ts";

/** A duration: milliseconds, or ISO 8601 such as `PT1M30S` where the official SDK uses that. */
export type DurationLike = number | string;

const iso = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * A {@link DurationLike} in milliseconds; days, hours, minutes and seconds are supported (ISO 8601 section 4.4.3.2).
 *
 * @throws SobreError `InvalidArgument` naming `name`, for anything else and for negative durations.
 */
export function toMilliseconds(duration: DurationLike, name: string): number {
  const milliseconds =
    typeof duration === "number" ? duration : typeof duration === "string" ? fromIso(duration) : undefined;
  if (milliseconds === undefined || !(milliseconds >= 0)) {
    throw new SobreError(
      "InvalidArgument",
      `${typeof name === "string" ? name : "duration"} must be a number of milliseconds from 0 up, or an ISO 8601 duration such as "PT1M30S".`,
    );
  }
  return milliseconds;
}

function fromIso(text: string): number | undefined {
  const parts = iso.exec(text);
  if (parts === null || text.endsWith("T") || text === "P") return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = parts;
  return Math.round(((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000);
}
