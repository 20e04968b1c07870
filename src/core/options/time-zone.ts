import type { OptionCheck } from "./is.ts";
import { offsetAt } from "../values/time-zone.ts";

/** An IANA time zone that this JavaScript engine knows. */
export const aTimeZone: OptionCheck = (value) => {
  try {
    if (typeof value === "string" && offsetAt(0n, value) !== undefined) return undefined;
  } catch {
    // Unknown to the engine.
  }
  return "must be an IANA time zone, e.g. Europe/Madrid";
};
