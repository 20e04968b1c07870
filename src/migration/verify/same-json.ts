import { jsonKind, type JsonTape } from "../../../codecs/dotnet/json/json-tape.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { foundWith } from "./found-members.ts";
import { keysOfJsonDate } from "./json-values.ts";
import { meaningsOf } from "./value-keys.ts";

/** Whether a body equals a JSON text value by value; false for .NET's JSON dictionaries. */
export function isSameJson(tape: JsonTape, body: unknown): boolean {
  return isSame(tape, 0, body, 0);
}

/** Maximum depth of the recursion; deeper texts are compared without one. */
const maxLevels = 200;

function isSame(tape: JsonTape, at: number, value: unknown, level: number): boolean {
  switch (tape.kind(at)) {
    case jsonKind.list:
      return level < maxLevels && Array.isArray(value) && areItems(tape, at, value, level);
    case jsonKind.object:
      return level < maxLevels && isObject(value) && areMembers(tape, at, value, level);
    case jsonKind.plain:
      return value === tape.string(at);
    case jsonKind.escaped:
      return isSameText(tape.string(at), value);
    case jsonKind.integer:
    case jsonKind.number:
      return isSameNumber(tape.written(at), value);
    case jsonKind.true:
      return value === true;
    case jsonKind.false:
      return value === false;
    default:
      return value === null;
  }
}

/** .NET writes the slashes of its dates with escapes. */
function isSameText(text: string, value: unknown): boolean {
  if (value === text) return true;
  if (!text.startsWith("/Date(")) return false;
  const [, milliseconds = ""] = dateInText.exec(text) ?? [];
  if (value instanceof Date) return milliseconds !== "" && value.getTime() === Number(milliseconds);
  if (typeof value !== "string") return false;
  // Most dates are whole seconds in UTC.
  if (milliseconds.endsWith("000") && value.length === wholeSeconds)
    return value === `${new Date(Number(milliseconds)).toISOString().slice(0, -5)}Z`;
  const [time] = keysOfJsonDate(text);
  return time !== undefined && meaningsOf(value).includes(time);
}

const dateInText = /^\/Date\((-?\d{1,15})\)\/$/;
const wholeSeconds = "2000-01-01T00:00:00Z".length;

function areItems(tape: JsonTape, list: number, items: readonly unknown[], level: number): boolean {
  let count = 0;
  for (let item = list + 1; item < tape.end(list); item = tape.next(item))
    if (!isSame(tape, item, items[count++], level + 1)) return false;
  return count === items.length;
}

function areMembers(
  tape: JsonTape,
  object: number,
  members: Readonly<Record<string, unknown>>,
  level: number,
): boolean {
  const names = Object.keys(members);
  let count = 0;
  let found: number | undefined = 0;
  for (let at = object + 1; at < tape.end(object); at = tape.next(at + 1)) {
    const next = names[count];
    // Protobuf sorts the members.
    const place =
      next !== undefined && tape.isNamed(at, next) ? count : names.findIndex((name) => tape.isNamed(at, name));
    const name = names[place];
    found = foundWith(found, place, count++);
    if (found === undefined || name === undefined || !isSame(tape, at + 1, members[name], level + 1)) return false;
  }
  return count === names.length;
}

/** A double of at least 2^-1022 represents 15 digits exactly; other numbers are compared elsewhere. */
const maxDigits = 15;

function isSameNumber(text: string, value: unknown): boolean {
  if (typeof value === "bigint") return `${value}` === text;
  if (text.length > maxDigits || !Object.is(Number(text), value)) return false;
  return Math.abs(Number(text)) >= 2 ** -1022 || /^[-0.]+(?:e|$)/i.test(text);
}
