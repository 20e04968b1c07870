import { SobreError } from "../errors/sobre-error.ts";
import { checkOptionNames, type OptionOwner } from "./option-names.ts";

/** What a value must be, as in `must be a function`, or `undefined` when it is. */
export type OptionCheck = (value: unknown) => string | undefined;

/** A check for every option there is. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/**
 * Checks options by their table: those that are given, and those that are needed.
 *
 * @param prefix What stands before their names, as `retryOptions.`.
 * @throws SobreError `InvalidArgument` naming the option, also one that there is none of.
 */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  { needed = [], ...owner }: OptionOwner & { readonly needed?: readonly string[] } = {},
): void {
  const { prefix = "" } = owner;
  checkOptionNames(options, checks, owner);
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined || needed.includes(name)) checkOption(`${prefix}${name}`, value, check);
  }
}

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkOption(option: string, value: unknown, check: OptionCheck): void {
  const wanted = check(value);
  if (wanted !== undefined) throw invalidOption(option, wanted);
}

/** Checks what may be left out. @throws SobreError `InvalidArgument` naming the option. */
export function checkOptional(option: string, value: unknown, check: OptionCheck): void {
  if (value !== undefined) checkOption(option, value, check);
}

/** What is checked elsewhere. */
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

/** One of a few values. */
export function oneOf(...allowed: readonly (string | boolean)[]): OptionCheck {
  const wanted = `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`;
  return (value) => (allowed.some((one) => one === value) ? undefined : wanted);
}

export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && value >= 0 ? undefined : "must be a number of milliseconds from 0 up";

export const flag: OptionCheck = oneOf(true, false);

export const text: OptionCheck = (value) => (typeof value === "string" ? undefined : "must be text");

/** Text that is not empty. */
export const name: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be text that is not empty";

/** Text that names an entity. */
export const entityName: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : 'must name an entity, as in "orders"';

export const aFunction: OptionCheck = (value) => (typeof value === "function" ? undefined : "must be a function");

export const isDate: OptionCheck = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : "must be a valid Date";

/** The sequence number of a message. */
export const sequenceNumber: OptionCheck = (value) => (typeof value === "bigint" ? undefined : "must be a bigint");

/** An object with these methods. */
export function methods(what: string, ...names: readonly string[]): OptionCheck {
  return (value) => (names.every((method) => hasMethod(value, method)) ? undefined : `must be ${what}`);
}

/** An `AbortSignal`, of whichever library. */
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

/** What `createEnvelope` makes, told without reading its parts: one that was received may be sent on unread. */
export const isEnvelope = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "payload" in value && "brokerProperties" in value;

/** {@link isEnvelope} as a check. */
export const anEnvelope: OptionCheck = (value) =>
  isEnvelope(value) ? undefined : "must be an envelope, as createEnvelope and a serializer make them";

/** What `defineMessage` makes. */
export const messageTypes: OptionCheck = listOf(
  "message types, as defineMessage makes them",
  methods("a message type", "message", "read", "write"),
);

/** Whether a value is an object with this method. */
export function hasMethod(value: unknown, method: string): value is object {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
}

/** The error of an option that has a wrong value. */
export function invalidOption(option: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${option} ${what}.`, { path: `$.${option}` });
}
