import { isPlainPrototype } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";

const noMembers: object = Object.freeze(Object.create(null));

/**
 * An empty object without inherited members, so that `constructor` and `__proto__` are ordinary names in it.
 *
 * It has an (empty) prototype, because JavaScript engines keep objects without one in slow dictionary mode.
 */
export function emptyBag<V>(): Record<string, V> {
  return Object.create(noMembers);
}

/** Whether an object was made by {@link emptyBag}, whose members are all under names. */
export const isBag = (object: object): boolean => Object.getPrototypeOf(object) === noMembers;

/** The member `name` of an object of unknown type. */
export function memberOf(object: object, name: string): unknown {
  return isRecord(object) ? object[name] : undefined;
}

/** Whether a value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * Returns `value` if it is a plain object of any realm; other objects may hold data outside their members.
 *
 * @throws SobreError `InvalidArgument` with the path if it is not.
 */
export function checkBag(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isRecord(value) && isPlainPrototype(Object.getPrototypeOf(value))) return value;
  throw invalid(path, "must be a plain object");
}

/** Whether a value is a string that UTF-8 can represent, without lone surrogates. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

/** Whether a value is a valid Date. */
export function isTime(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/**
 * Whether a name is the object's own; JavaScript engines optimize this check away in a `for … in` over the same object.
 */
export function isOwn(object: object, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(object, name);
}

/** The error of an invalid value at a path, e.g. `$.brokerProperties.to`. */
export function invalid(path: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${path} ${what}.`, { path });
}
