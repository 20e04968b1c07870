import { isPlainPrototype } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";

const noMembers: object = Object.freeze(Object.create(null));

/**
 * An empty object without inherited members, so that `constructor` and `__proto__` are ordinary names in it.
 *
 * It has a prototype (an empty one) because engines keep objects with none in slow dictionary mode.
 */
export function emptyBag<V>(): Record<string, V> {
  return Object.create(noMembers);
}

/** The member `name` of an object of which nothing is known. */
export function memberOf(object: object, name: string): unknown {
  return isRecord(object) ? object[name] : undefined;
}

/** Whether a value is an object, of which nothing else is known. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * `value` when it is an object without a class of its own, of any realm: what others hold is not in their members.
 *
 * @throws SobreError `InvalidArgument` with the path when it is none.
 */
export function checkBag(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) {
    if (isPlainPrototype(Object.getPrototypeOf(value))) return value;
  }
  throw invalid(path, "must be a plain object");
}

/** Whether a value is text that UTF-8 can hold: every surrogate is one of a pair. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

/** Whether a value is a valid Date. */
export function isTime(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/** Whether a name is the object's own; engines leave the question out in a `for (… in …)` over the same object. */
export function isOwn(object: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(object, name);
}

/** The error of an invalid value at a path, e.g. `$.brokerProperties.to`. */
export function invalid(path: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${path} ${what}.`, { path });
}
