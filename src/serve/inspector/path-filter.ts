import type { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { type Json, parsedJson } from "../../core/values/json.ts";
import { isObject } from "../../core/values/plain-object.ts";

/** Whether a body has what a filter asks for. */
export type PathFilter = (body: Json | undefined) => boolean;

const form = /^\$((?:\.[^\s.[\]=!<>~]+|\[\d+\]|\["[^"]*"\])*)\s*(?:(=|!=|<=|>=|<|>|~)\s*(.+))?$/s;
const step = /\.([^\s.[\]=!<>~]+)|\[(\d+)\]|\["([^"]*)"\]/g;

/**
 * Parses a filter on a member of a body: `$.order.id = 7`, `$.lines[0].sku ~ "A-"`, or `$.error` for one that is there.
 *
 * Operators are `=`, `!=`, `<`, `<=`, `>`, `>=` and `~` (contains). Values are JSON; other text counts as a string.
 *
 * @throws SobreError `InvalidArgument` when the text is not a filter.
 */
export function parsePathFilter(text: string): PathFilter {
  const [, path, operator, operand] = form.exec(text.trim()) ?? [];
  if (path === undefined) throw notAFilter();
  const steps = Array.from(path.matchAll(step), ([, name, index, quoted]) => name ?? quoted ?? Number(index));
  if (operator === undefined) return (body) => at(body, steps) !== undefined;
  const wanted = valueOf(operand ?? "");
  return (body) => compares(at(body, steps), operator, wanted);
}

/** The member that a filter compares, without what it is compared with. @throws SobreError as {@link parsePathFilter} does. */
export function memberOf(text: string): string {
  const [, path] = form.exec(text.trim()) ?? [];
  if (path === undefined) throw notAFilter();
  return `$${path}`;
}

function valueOf(text: string): Json {
  const value = parsedJson(text);
  // Text keeps the digits that a number would lose.
  if (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)) return text;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null
    ? value
    : text;
}

function at(body: Json | undefined, steps: readonly (string | number)[]): Json | undefined {
  let value = body;
  for (const one of steps) {
    if (isList(value)) value = typeof one === "number" ? value[one] : undefined;
    else if (isObject(value) && Object.hasOwn(value, one)) value = value[one];
    else return undefined;
  }
  return plainJson(value);
}

/** Integers that JSON would round are compared by their digits. */
function plainJson(value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  const [[name, inner] = ["", null], ...more] = Object.entries(value);
  return more.length === 0 && /^\$(?:int64|bigint|decimal)$/.test(name) && inner !== undefined ? inner : value;
}

function compares(value: Json | undefined, operator: string, wanted: Json): boolean {
  if (operator === "!=") return value !== undefined && !isSame(value, wanted);
  if (value === undefined) return false;
  if (operator === "=") return isSame(value, wanted);
  if (operator === "~") return textOfJson(value).toLowerCase().includes(textOfJson(wanted).toLowerCase());
  const order = orderOf(value, wanted);
  if (order === undefined) return false;
  if (order === 0) return operator.length === 2;
  return operator.startsWith("<") ? order < 0 : order > 0;
}

const notAFilter = (): SobreError => invalidOption("path", "must be a filter such as $.customer.id = 7");

const isSame = (value: Json, wanted: Json): boolean => value === wanted || textOfJson(value) === textOfJson(wanted);

function orderOf(value: Json, wanted: Json): number | undefined {
  const [one, other] = [Number(textOfJson(value)), Number(textOfJson(wanted))];
  if (!Number.isNaN(one) && !Number.isNaN(other)) return one - other;
  if (typeof value !== "string" || typeof wanted !== "string") return undefined;
  return value < wanted ? -1 : Number(value > wanted);
}

const textOfJson = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
