import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** A date without a time, e.g. `2024-12-31`. */
export class LocalDate extends TaggedScalar {
  readonly text: string;

  /** @throws SobreError `InvalidArgument` for text that is not an ISO 8601 date. */
  constructor(text: string) {
    super();
    if (typeof text !== "string" || !/^[+-]?\d{4,}-\d\d-\d\d$/.test(text)) {
      throw new SobreError("InvalidArgument", "A LocalDate takes text, e.g. 2024-12-31.");
    }
    this.text = text;
    Object.freeze(this);
  }

  override toString(): string {
    return this.text;
  }

  override toTagged(): JsonObject {
    return { $date: this.text };
  }
}

/** A time of day without a date, e.g. `23:59:59.000000001`. */
export class LocalTime extends TaggedScalar {
  readonly text: string;

  /** @throws SobreError `InvalidArgument` for text that is not an ISO 8601 time. */
  constructor(text: string) {
    super();
    if (typeof text !== "string" || !/^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text)) {
      throw new SobreError("InvalidArgument", "A LocalTime takes text, e.g. 23:59:59.5.");
    }
    this.text = text;
    Object.freeze(this);
  }

  override toString(): string {
    return this.text;
  }

  override toTagged(): JsonObject {
    return { $time: this.text };
  }
}
