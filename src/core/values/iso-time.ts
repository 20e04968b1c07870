import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** The time zone of an {@link IsoTime}: UTC, unspecified, or an offset. */
export type IsoTimeKind = "utc" | "unspecified" | "offset";

const dateAndTime = String.raw`[+-]?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?`;
const kindPatterns: Readonly<Record<IsoTimeKind, RegExp>> = {
  utc: new RegExp(`^${dateAndTime}Z$`),
  unspecified: new RegExp(`^${dateAndTime}$`),
  offset: new RegExp(String.raw`^${dateAndTime}(?:Z|[+-]\d\d:\d\d(?::\d\d)?)(?:\[[^[\]]+\])?$`),
};

/** A time as ISO 8601 text, to the nanosecond and in any year, as in Java. */
export class IsoTime extends TaggedScalar {
  /** E.g. `2024-02-29T12:34:56.789Z`, `2024-01-01T08:30:00-03:30`, `…+01:00[Europe/Madrid]`, or a time without an offset. */
  readonly text: string;
  readonly kind: IsoTimeKind;

  /** @throws SobreError `InvalidArgument` for text that is not a time of the kind. */
  constructor(text: string, kind: IsoTimeKind) {
    super();
    if (
      typeof text !== "string" ||
      typeof kind !== "string" ||
      !Object.hasOwn(kindPatterns, kind) ||
      !kindPatterns[kind].test(text) ||
      !isOnCalendar(text)
    ) {
      throw new SobreError("InvalidArgument", "An IsoTime needs a string and its kind, e.g. 2024-02-29T12:34:56.789Z.");
    }
    this.text = text;
    this.kind = kind;
    Object.freeze(this);
  }

  /** The `Date` at or before it; one without an offset counts as UTC, and what is finer than a millisecond is lost. */
  toDate(): Date {
    const text = this.text.replace(/\[.*\]$/, "").replace(/(\.\d{3})\d+/, "$1");
    return new Date(this.kind === "unspecified" ? `${text}Z` : text);
  }

  override toString(): string {
    return this.text;
  }

  override toTagged(): JsonObject {
    return this.kind === "offset" ? { $dateTimeOffset: this.text } : { $dateTime: this.text, kind: this.kind };
  }
}

/** Whether a text of the right form names a day and a time of day that exist. */
function isOnCalendar(text: string): boolean {
  const [, year = "", month, day, ...time] = /^([+-]?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/.exec(text) ?? [];
  const [hour, minute, second] = time.map(Number);
  // Four centuries have the same days, whatever their years.
  const date = new Date(Date.UTC(2000 + Number(BigInt(year) % 400n), Number(month), 0));
  const days = date.getUTCMonth() === Number(month) - 1 ? date.getUTCDate() : 0;
  const inDay = (hour ?? 24) < 24 && (minute ?? 60) < 60 && (second ?? 60) < 60;
  return Number(day) >= 1 && Number(day) <= days && inDay;
}
