// The kinds of options, imported as a whole: `import * as is from …`, so that a table of checks reads as one of kinds,
// e.g. `{ clock: is.clock, queues: is.listOf("names", is.name) }`. Bundlers leave out the kinds that nothing uses, since their
// makers are marked as free of side effects.
import { isObject } from "../values/plain-object.ts";

/** Says how a value is wrong, e.g. `must be a function`; `undefined` accepts it. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Accepts everything: the value is checked elsewhere. */
export const anything: OptionCheck = () => undefined;

/** A whole number from `least` up, or to `most`. */
// @__NO_SIDE_EFFECTS__
export function countFrom(least: number, most: number = Number.MAX_SAFE_INTEGER): OptionCheck {
  const wanted = `must be a whole number from ${least} ${most === Number.MAX_SAFE_INTEGER ? "up" : `to ${most}`}`;
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? undefined : wanted;
}

/** A number from `least` up, `Infinity` included. */
// @__NO_SIDE_EFFECTS__
export function numberFrom(least: number): OptionCheck {
  const wanted = `must be a number from ${least} up`;
  return (value) => (typeof value === "number" && value >= least ? undefined : wanted);
}

/** One of the given values. */
// @__NO_SIDE_EFFECTS__
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

export const date: OptionCheck = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : "must be a valid Date";

export const number: OptionCheck = (value) => (typeof value === "number" ? undefined : "must be a number");

export const sequenceNumber: OptionCheck = (value) => (typeof value === "bigint" ? undefined : "must be a bigint");

/** An object with these methods. */
// @__NO_SIDE_EFFECTS__
export function methods(what: string, ...names: readonly string[]): OptionCheck {
  return (value) => (names.every((method) => hasMethod(value, method)) ? undefined : `must be ${what}`);
}

/** An `AbortSignal`, the platform's or a polyfill. */
export const abortSignal: OptionCheck = (value) =>
  hasMethod(value, "addEventListener") && typeof Reflect.get(value, "aborted") === "boolean"
    ? undefined
    : "must be an AbortSignal";

/** A list of entries that pass the check. */
// @__NO_SIDE_EFFECTS__
export function listOf(what: string, check: OptionCheck): OptionCheck {
  return (value) =>
    Array.isArray(value) && value.every((entry) => check(entry) === undefined)
      ? undefined
      : `must be a list of ${what}`;
}

/** An object of which these members pass their checks; other members are not looked at. */
// @__NO_SIDE_EFFECTS__
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
// @__NO_SIDE_EFFECTS__
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

export const envelope: OptionCheck = (value) =>
  isEnvelope(value) ? undefined : "must be an envelope made by createEnvelope or a serializer";

export const clock: OptionCheck = methods("a clock, e.g. a ManualClock", "now", "setTimer");

export const engine: OptionCheck = methods(
  "an engine, e.g. memoryEngine(), not a client",
  "connect",
  "openSender",
  "openReceiver",
  "settle",
  "peek",
);

export const codec: OptionCheck = methods("a codec, e.g. json()", "encode", "decode");

export const serializer: OptionCheck = methods("a serializer made by createSerializer", "serialize", "deserialize");

export const messageType: OptionCheck = methods(
  "a message type made by defineMessage",
  "message",
  "schemaOf",
  "read",
  "write",
);

export const messageTypes: OptionCheck = listOf("message types made by defineMessage", messageType);

/** A port to listen on; 0 is any free one. */
export const port: OptionCheck = countFrom(0, 65_535);

export const object: OptionCheck = (value) => (isObject(value) ? undefined : "must be an object");

/** Whether a value is an object with this method. */
export function hasMethod(value: unknown, method: string): value is object {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function";
}
