import type { JsonObject } from "./json.ts";
import { type RenderInner, TaggedValue } from "./tagged-value.ts";

/** An array of several dimensions: their lengths, and the values with the last index running fastest. */
export class MultiArray extends TaggedValue {
  readonly lengths: readonly number[];
  readonly values: readonly unknown[];

  constructor(lengths: readonly number[], values: readonly unknown[]) {
    super();
    this.lengths = lengths;
    this.values = values;
    Object.freeze(this);
  }

  override toTagged(inner: RenderInner): JsonObject {
    return { $array: { lengths: this.lengths, values: this.values.map(inner) } };
  }
}

/** Several top-level values in one payload, as a Java stream may hold. */
export class ContentStream extends TaggedValue {
  readonly contents: readonly unknown[];

  constructor(contents: readonly unknown[]) {
    super();
    this.contents = contents;
    Object.freeze(this);
  }

  override toTagged(inner: RenderInner): JsonObject {
    return { $stream: this.contents.map(inner) };
  }
}
