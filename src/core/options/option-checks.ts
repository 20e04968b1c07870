import { isObject } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** Says how a value is wrong, e.g. `must be a function`; `undefined` accepts it. */
export type OptionCheck = (value: unknown) => string | undefined;

/** The options of a function: a check for each of them. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Whose options are checked, for error messages. */
export interface OptionOwner {
  /** Put first, e.g. `encryption: `. Default: nothing. */
  readonly owner?: string | undefined;
  /** Put before the names of options, e.g. `retryOptions.`. Default: nothing. */
  readonly prefix?: string | undefined;
}

/**
 * Checks options against their table: every given one and every needed one. Unknown options are rejected;
 * an option that is `undefined` counts as not given.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  { needed = [], ...owner }: OptionOwner & { readonly needed?: readonly string[] } = {},
): asserts options is object {
  checkNames(options, checks, owner);
  const { prefix = "" } = owner;
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined || needed.includes(name)) checkOption(`${prefix}${name}`, value, check);
  }
}

/**
 * Checks that options are an object with known names only, so that a misspelt option is not ignored.
 *
 * @param known An object that has the known names as its keys.
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function checkNames(
  options: unknown,
  known: object,
  { owner = "", prefix = "" }: OptionOwner = {},
): asserts options is object {
  if (!isObject(options)) {
    const name = prefix.slice(0, -1) || "options";
    throw new SobreError("InvalidArgument", `${owner}${name} must be an object.`, { path: `$.${name}` });
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name) || Reflect.get(options, name) === undefined) continue;
    const names = Object.keys(known).join(", ");
    const expected = names === "" ? "There are no options" : `Expected one of: ${names}`;
    const option = `${prefix}${name}`;
    throw new SobreError("InvalidArgument", `${owner}Unknown option \`${option}\`. ${expected}.`, {
      path: `$.${option}`,
    });
  }
}

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkOption(option: string, value: unknown, check: OptionCheck): void {
  const wanted = check(value);
  if (wanted !== undefined) throw invalidOption(option, wanted);
}

/** Checks an optional value. @throws SobreError `InvalidArgument` naming the option. */
export function checkOptional(option: string, value: unknown, check: OptionCheck): void {
  if (value !== undefined) checkOption(option, value, check);
}

/** Accepts everything: the value is checked elsewhere. */
export const anything: OptionCheck = () => undefined;

/** A whole number from `least` up. */
export function countFrom(least: number): OptionCheck {
  const wanted = `must be a whole number from ${least} up`;
  return (value) => (typeof value === "number" && Number.isSafeInteger(value) && value >= least ? undefined : wanted);
}

/** A number from `least` up, `Infinity` included. */
export function numberFrom(least: number): OptionCheck {
  const wanted = `must be a number from ${least} up`;
  return (value) => (typeof value === "number" && value >= least ? undefined : wanted);
}

/** One of the given values. */
export function oneOf(...allowed: readonly (string | boolean)[]): OptionCheck {
  const wanted = `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`;
  return (value) => (allowed.some((one) => one === value) ? undefined : wanted);
}

export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && value >= 0 ? undefined : "must be a number of milliseconds from 0 up";

export const flag: OptionCheck = oneOf(true, false);

export const text: OptionCheck = (value) => (typeof value === "string" ? undefined : "must be a string");

export const bytes: OptionCheck = (value) => (value instanceof Uint8Array ? undefined : "must be a Uint8Array");

export const name: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a non-empty string";

export const entityName: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : 'must be the path of an entity, e.g. "orders"';

export const aFunction: OptionCheck = (value) => (typeof value === "function" ? undefined : "must be a function");

export const isDate: OptionCheck = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : "must be a valid Date";

export const number: OptionCheck = (value) => (typeof value === "number" ? undefined : "must be a number");

export const sequenceNumber: OptionCheck = (value) => (typeof value === "bigint" ? undefined : "must be a bigint");

/** An object with these methods. */
export function methods(what: string, ...names: readonly string[]): OptionCheck {
  return (value) => (names.every((method) => hasMethod(value, method)) ? undefined : `must be ${what}`);
}

/** An `AbortSignal`, the platform's or a polyfill. */
export const signal: OptionCheck = (value) =>
  hasMethod(value, "addEventListener") && typeof Reflect.get(value, "aborted") === "boolean"
    ? undefined
    : "must be an AbortSignal";

/** A list of entries that pass the check. */
export function listOf(what: string, check: OptionCheck): OptionCheck {
  return (value) =>
    Array.isArray(value) && value.every((entry) => check(entry) === undefined)
      ? undefined
      : `must be a list of ${what}`;
}

/** An object of which these members pass their checks; other members are not looked at. */
export function having(what: string, members: Readonly<Record<string, OptionCheck>>): OptionCheck {
  const checks = Object.entries(members);
  return (value) => {
    if (!isObject(value)) return `must be ${what}`;
    for (const [member, check] of checks) {
      const wanted = check(value[member]);
      if (wanted !== undefined) return `must be ${what}, whose member ${member} ${wanted}`;
    }
    return undefined;
  };
}

/** An optional member. */
export function maybe(check: OptionCheck): OptionCheck {
  return (value) => (value === undefined ? undefined : check(value));
}

/** Whether a value is an envelope. Does not read the parts that are decoded when they are: it may be forwarded unread. */
export function isEnvelope(value: unknown): boolean {
  if (!isObject(value) || !("payload" in value && "brokerProperties" in value)) return false;
  if (!Object.hasOwn(value, "payload")) return true;
  const { payload, bodyKind, brokerProperties, applicationProperties } = value;
  const hasKind = bodyKind === "data" || bodyKind === "value" || bodyKind === "sequence";
  return payload instanceof Uint8Array && hasKind && isObject(brokerProperties) && isObject(applicationProperties);
}

export const anEnvelope: OptionCheck = (value) =>
  isEnvelope(value) ? undefined : "must be an envelope made by createEnvelope or a serializer";

export const messageTypes: OptionCheck = listOf(
  "message types made by defineMessage",
  methods("a message type", "message", "read", "write"),
);

export const anObject: OptionCheck = (value) => (isObject(value) ? undefined : "must be an object");

/** Whether a value is an object with this method. */
export function hasMethod(value: unknown, method: string): value is object {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
}

/** The error of an invalid option. */
export function invalidOption(option: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${option} ${what}.`, { path: `$.${option}` });
}
