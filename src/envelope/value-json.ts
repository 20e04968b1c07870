import { SobreError } from "../errors/index.ts";
import { AmqpMap } from "./amqp-map.ts";
import { Instant } from "./instant.ts";
import { readTagged } from "./tagged-json.ts";
import { Typed } from "./typed.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Deeper values are refused, since JSON.stringify would overflow the stack. */
const maxDepth = 1000;

/**
 * Renders a value as JSON for people and files; what JSON lacks becomes an object with one `$` key, as `{"$int64":"9"}`.
 *
 * `undefined` members are left out. Objects of which a key begins with `$` are wrapped: `{"$object":{…}}`.
 * {@link valueFromJson} is the inverse.
 *
 * @throws SobreError `UnsupportedValue` with the path, for functions, symbols, unknown classes, and more than 1,000 levels.
 */
export function valueToJson(value: unknown): Json {
  return render(value, "$", 0);
}

function render(value: unknown, path: string, depth: number): Json {
  if (depth > maxDepth) throw unsupported(path, `nests deeper than ${maxDepth} levels or contains itself`);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { $double: doubleText(value) };
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 64n ? { $int64: `${value}` } : { $bigint: `${value}` };
    case "object":
      return value === null ? null : renderObject(value, path, depth);
    default:
      throw unsupported(path, `is ${typeof value === "undefined" ? "undefined" : `a ${typeof value}`}`);
  }
}

function renderObject(value: object, path: string, depth: number): Json {
  if (Array.isArray(value)) return Array.from(value, (item, index) => render(item, `${path}[${index}]`, depth + 1));
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (value instanceof Date) return renderDate(value, path);
  if (value instanceof Instant) return { $dateTime: value.toString(), kind: "utc" };
  if (value instanceof Typed) return renderTyped(value, path, depth);
  if (value instanceof Map || value instanceof AmqpMap) {
    const entries = Array.from<readonly [unknown, unknown]>(value);
    return {
      $map: entries.map(([key, item], index) => [
        render(key, `${path}[${index}]`, depth + 1),
        render(item, `${path}[${index}]`, depth + 1),
      ]),
    };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw unsupported(path, "is an instance of a class that JSON cannot show");
  }
  return renderMembers(value, path, depth);
}

function renderMembers(value: object, path: string, depth: number): Json {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = Object.fromEntries(
    entries.map(([key, member]) => [key, render(member, `${path}.${key}`, depth + 1)]),
  );
  return entries.some(([key]) => key.startsWith("$")) ? { $object: members } : members;
}

function renderDate(value: Date, path: string): Json {
  if (Number.isNaN(value.getTime())) throw unsupported(path, "is an invalid Date");
  return { $dateTime: value.toISOString(), kind: "utc", ticks: `${BigInt(value.getTime()) * 10_000n + ticksTo1970}` };
}

/** 100-nanosecond ticks from 0001-01-01 to 1970-01-01, as .NET counts them. */
const ticksTo1970 = 621_355_968_000_000_000n;

function renderTyped({ type, value }: Typed, path: string, depth: number): Json {
  if (typeof value === "bigint") return { [`$${type === "long" ? "int64" : type}`]: `${value}` };
  if (typeof value === "number") {
    if (type === "double") return { $double: doubleText(value) };
    return { [`$${type}`]: Number.isFinite(value) && !Object.is(value, -0) ? value : doubleText(value) };
  }
  if (typeof value === "string") return { [type === "uuid" ? "$guid" : `$${type}`]: value };
  if (value instanceof Uint8Array) return { [`$${type}`]: toBase64(value) };
  if ("values" in value) {
    const items = value.values.map((item, index) => render(item, `${path}[${index}]`, depth + 1));
    const descriptor = value.descriptor === undefined ? {} : { descriptor: render(value.descriptor, path, depth + 1) };
    return { $amqpArray: { of: value.elementType, ...descriptor, values: items } };
  }
  return { $described: [render(value.descriptor, path, depth + 1), render(value.value, path, depth + 1)] };
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? String(value) : value > 0 ? "INF" : "-INF";
}

/**
 * Reads a value from the rendering of {@link valueToJson}.
 *
 * AMQP values come back plain where a plain value names their type: a typed long as bigint, a typed double of 1.5 as
 * a number, an `AmqpMap` as a `Map`.
 *
 * @throws SobreError `InvalidArgument` with the path, for a `$` object that is unknown or malformed.
 */
export function valueFromJson(json: unknown): unknown {
  return read(json, "$", 0);
}

/** {@link valueFromJson} of a part that stands at `path`, so that errors name the whole path. */
export function valueFromJsonAt(json: unknown, path: string): unknown {
  return read(json, path, 0);
}

function read(json: unknown, path: string, depth: number): unknown {
  if (depth > maxDepth) throw malformed(path, `nests deeper than ${maxDepth} levels`);
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item, index) => read(item, `${path}[${index}]`, depth + 1));
  const tag = Object.keys(json).find((key) => key.startsWith("$"));
  if (tag === undefined) return readMembers(json, path, depth);
  const { [tag]: content, ...rest }: Partial<Record<string, unknown>> = { ...json };
  if (tag !== "$object") return readTagged({ tag, content, rest }, path, (item) => read(item, path, depth + 1));
  if (typeof content !== "object" || content === null || Array.isArray(content) || Object.keys(rest).length > 0)
    throw malformed(path, "must hold one object under its only key $object");
  return readMembers(content, path, depth);
}

function readMembers(members: object, path: string, depth: number): object {
  const entries: readonly [string, unknown][] = Object.entries(members);
  // fromEntries makes own members even of "__proto__".
  return Object.fromEntries(entries.map(([key, member]) => [key, read(member, `${path}.${key}`, depth + 1)]));
}

function malformed(path: string, why: string): SobreError {
  return new SobreError("InvalidArgument", `The value at ${path} ${why}.`, { path });
}

function unsupported(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why} and has no JSON form.`, { path });
}

/** The arguments that one call of String.fromCharCode surely takes. */
const chunk = 8192;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
