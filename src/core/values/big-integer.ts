import type { JsonObject } from "./json.ts";
import { TaggedScalar } from "./tagged-value.ts";

/** An integer of any size, as Java's and .NET's `BigInteger`; a plain bigint stands for 64 bits. */
export class BigInteger extends TaggedScalar {
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
    Object.freeze(this);
  }

  override toString(): string {
    return `${this.value}`;
  }

  /** The bigint, so that comparison works. */
  override valueOf(): bigint {
    return this.value;
  }

  override toTagged(): JsonObject {
    return { $bigint: `${this.value}` };
  }
}
