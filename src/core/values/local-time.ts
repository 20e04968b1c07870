import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { NamedText } from "./named-text.ts";

/** A date without a time, e.g. `2024-12-31`. */
export class LocalDate extends NamedText {
  /** @throws SobreError `InvalidArgument` for text that is not an ISO 8601 date. */
  constructor(text: string) {
    super(text);
    if (typeof text === "string" && /^[+-]?\d{4,}-\d\d-\d\d$/.test(text)) return;
    throw new SobreError("InvalidArgument", "A LocalDate needs a string, e.g. 2024-12-31.");
  }

  override toTagged(): JsonObject {
    return { $date: this.text };
  }
}

/** A time of day without a date, e.g. `23:59:59.000000001`. */
export class LocalTime extends NamedText {
  /** @throws SobreError `InvalidArgument` for text that is not an ISO 8601 time. */
  constructor(text: string) {
    super(text);
    if (typeof text === "string" && /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text)) return;
    throw new SobreError("InvalidArgument", "A LocalTime needs a string, e.g. 23:59:59.5.");
  }

  override toTagged(): JsonObject {
    return { $time: this.text };
  }
}
