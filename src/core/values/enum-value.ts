import { SobreError } from "../errors/sobre-error.ts";
import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** A member of an enumeration: the name it travels by (several for flags), and its number where the format has it. */
export class EnumValue extends TaggedScalar {
  readonly name: string;
  readonly value: bigint | undefined;

  constructor(name: string, value?: bigint | number) {
    super();
    if (typeof name !== "string" || !(value === undefined || typeof value === "bigint" || Number.isInteger(value)))
      throw new SobreError("InvalidArgument", "An EnumValue needs a name and optionally a whole number.");
    this.name = name;
    this.value = value === undefined ? undefined : BigInt(value);
    Object.freeze(this);
  }

  override toString(): string {
    return this.name;
  }

  override toTagged(): JsonObject {
    return { $enum: this.name, ...(this.value === undefined ? {} : { value: `${this.value}` }) };
  }
}
