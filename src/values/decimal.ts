import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

const form = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i;

/** A decimal number as text, so that no digit and no trailing zero is lost: `12.30`. */
export class Decimal extends TaggedScalar {
  readonly text: string;

  /** @throws SobreError `InvalidArgument` for text that is not a decimal number. */
  constructor(text: string) {
    super();
    if (!isDecimalText(text)) throw new SobreError("InvalidArgument", "A Decimal takes text, e.g. -12.30 or 1E+5.");
    this.text = text;
    Object.freeze(this);
  }

  /** The nearest number. */
  toNumber(): number {
    return Number(this.text);
  }

  override toString(): string {
    return this.text;
  }

  override toTagged(): JsonObject {
    return { $decimal: this.text };
  }
}

/** Whether text is a decimal number, with or without an exponent. */
export function isDecimalText(text: unknown): boolean {
  return typeof text === "string" && form.test(text);
}
