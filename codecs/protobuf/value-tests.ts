import { isPlainPrototype } from "../../src/core/values/plain-object.ts";

/** ECMAScript 2024; costs nothing for strings that need one byte a character. */
export const isWellFormed: (this: string) => boolean = Reflect.get(String.prototype, "isWellFormed");

/** Whether a value is a plain object: a literal, one without prototype, or one of another realm. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && isPlainPrototype(Object.getPrototypeOf(value));
}
