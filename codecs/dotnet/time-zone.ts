import { SobreError } from "../../src/errors/sobre-error.ts";
import { offsetAt } from "../../src/values/time-zone.ts";

/** @throws SobreError `InvalidArgument` for a time zone that this JavaScript engine does not know. */
export function checkTimeZone(codec: string, timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    offsetAt(0n, timeZone);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${codec}: timeZone is no IANA zone, as Europe/Madrid.`, { cause: error });
  }
}
