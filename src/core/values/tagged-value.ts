import type { Json, JsonObject } from "./json.ts";

/** Renders a value inside another, under its index. */
export type RenderInner = (inner: unknown, index: number) => Json;

/**
 * A value that JavaScript lacks and that JSON shows as an object with one `$` key, e.g. `{"$decimal":"12.30"}`.
 *
 * `valueToJson` renders it and `valueFromJson` reads it back.
 */
export abstract class TaggedValue {
  /** The `$` object; `inner` renders the values that it holds. */
  abstract toTagged(inner: RenderInner): JsonObject;
}

/** A value whose `$` object holds no other values, so that `JSON.stringify` gives it too. */
export abstract class TaggedScalar extends TaggedValue {
  abstract override toTagged(): JsonObject;

  toJSON(): JsonObject {
    return this.toTagged();
  }
}
