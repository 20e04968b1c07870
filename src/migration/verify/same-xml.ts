import { isBlank, memberNameOf } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { serialization, xmlns, xsi } from "../../../codecs/dotnet/xml/namespaces.ts";
import { isXmlList, type XmlElement, type XmlScalar, type XmlScalarType } from "../../../codecs/dotnet/xml/node.ts";
import { DateTime } from "../../core/values/date-time.ts";
import { millisecondsToTicks } from "../../core/values/ticks.ts";
import { foundWith } from "./found-members.ts";
import { toBase64 } from "../../core/values/base64.ts";
import { isPlainObject } from "../../core/values/plain-object.ts";
import { shortestSingle } from "../../core/values/single.ts";
import { scalarText } from "../target/lower-value.ts";
import { Typed } from "../../core/values/typed.ts";

/**
 * Whether a body equals a document element by element: each value in its place, in its plainest form, and nothing else.
 *
 * This is a fast path for most messages and allocates almost nothing; it returns `false` for whatever needs a closer comparison.
 */
export function isSameXml(root: XmlElement, body: unknown, texts: XmlTexts): boolean {
  return isSame(root, body, { level: 0, texts });
}

/** The values of text whose type the document does not name: the text itself, what it is guessed to be, or what a contract makes of it. */
export type XmlTexts = "plain" | "guessed" | "typed";

interface Comparing {
  level: number;
  readonly texts: XmlTexts;
}

/** Maximum depth of the recursion; deeper documents are compared without one. */
const maxLevels = 200;

function isSame(element: XmlElement, value: unknown, here: Comparing): boolean {
  const marks = marksOf(element);
  if (marks === "other") return false;
  if (marks === "nil") return value === null && element.isEmpty;
  if (element.isEmpty) return isEmptyValue(value);
  const only = element.onlyChild;
  if (only?.kind === "text") {
    const isOther = here.texts === "plain" && typeof only.value === "string" && value !== only.value;
    return !isOther && isSameScalar(only.value, only.type, value);
  }
  if (here.level === maxLevels) return false;
  here.level++;
  const isSameContainer = Array.isArray(value)
    ? areItems(element, value, here)
    : isPlainObject(value) && (areMembers(element, value, here) || areEntries(element, value, here));
  here.level--;
  return isSameContainer;
}

/** Classifies an element's attributes: those of a null, those of serializers, which carry no value, or others. */
function marksOf({ firstAttribute }: XmlElement): "nil" | "plain" | "other" {
  let marks: "nil" | "plain" = "plain";
  for (let one = firstAttribute; one !== undefined; one = one.next) {
    if (one.namespace === xsi) {
      if (one.local === "nil" && one.value !== "false") marks = "nil";
    } else if (one.namespace !== xmlns && (one.namespace !== serialization || one.local === "Ref")) return "other";
  }
  return marks;
}

function isEmptyValue(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === "";
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

/** Compares elements of one name, each of which is an item. */
function areItems(element: XmlElement, items: readonly unknown[], here: Comparing): boolean {
  let count = 0;
  let local: string | undefined;
  for (let at = 0; at < element.size; at++) {
    const child = element.at(at);
    if (child?.kind === "text" && isBlank(child)) continue;
    if (child?.kind === "array") {
      if (marksOf(child.item) !== "plain") return false;
      for (const value of child.values) if (!isSameScalar(value, child.type, items[count++])) return false;
    } else if (child?.kind !== "element" || !isSame(child, items[count++], here)) return false;
    const name = child.kind === "array" ? child.item.local : child.local;
    if (local !== undefined && name !== local) return false;
    local = name;
  }
  return count > 0 && count === items.length;
}

/** Compares elements of several names, each of which is a member, in any order. */
function areMembers(element: XmlElement, members: Readonly<Record<string, unknown>>, here: Comparing): boolean {
  const names = Object.keys(members);
  let count = 0;
  let found: number | undefined = 0;
  for (let at = 0; at < element.size; at++) {
    const child = element.at(at);
    if (child?.kind === "text" && isBlank(child)) continue;
    if (child?.kind !== "element") return false;
    const name = memberNameOf(child.local);
    // Protobuf sorts the members.
    found = foundWith(found, names[count] === name ? count : names.indexOf(name), count++);
    if (found === undefined || !isSame(child, members[name], here)) return false;
  }
  return count > 0 && count === names.length;
}

/** Compares the entries of a dictionary, each of which is a member named by its key. */
function areEntries(element: XmlElement, members: Readonly<Record<string, unknown>>, here: Comparing): boolean {
  const names = Object.keys(members);
  let count = 0;
  for (let at = 0; at < element.size; at++) {
    const entry = element.at(at);
    if (entry?.kind === "text" && isBlank(entry)) continue;
    if (entry?.kind !== "element" || entry.size !== 2 || marksOf(entry) !== "plain") return false;
    const key = entry.at(0);
    const value = entry.at(1);
    if (key?.kind !== "element" || value?.kind !== "element") return false;
    if (!/^key$/i.test(key.local) || !/^value$/i.test(value.local) || key.firstAttribute !== undefined) return false;
    const text = key.onlyChild;
    const name = names[count++];
    if (name === undefined || text?.kind !== "text" || text.value !== name) return false;
    if (!isSame(value, members[name], here)) return false;
  }
  return count > 0 && count === names.length;
}

function isPrintedAlike(value: unknown): value is number | boolean | bigint {
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
}

/** Whether a date is a time in UTC to its last tick. */
function isSameTime(scalar: object, date: Date): boolean {
  return scalar instanceof DateTime && scalar.kind === "utc" && scalar.ticks === millisecondsToTicks(date.getTime());
}

/** Whether a value has the scalar's type and value or, in text XML, exactly its text. */
function isSameScalar(
  scalar: XmlScalar | readonly XmlScalar[],
  type: XmlScalarType | undefined,
  value: unknown,
): boolean {
  switch (typeof scalar) {
    case "string":
      return value === scalar || (isPrintedAlike(value) && `${value}` === scalar && !Object.is(value, -0));
    case "number":
      // Protobuf reads integers as bigints.
      if (typeof value === "bigint")
        return Number.isSafeInteger(scalar) && `${value}` === `${scalar}` && !Object.is(scalar, -0);
      return Object.is(value, scalar) || (type === "Single" && Object.is(value, shortestSingle(scalar)));
    case "bigint":
      return value === scalar || (Number.isSafeInteger(value) && BigInt(Number(value)) === scalar);
    case "boolean":
      return value === scalar;
    default:
      if (value instanceof Date) return isSameTime(scalar, value);
      if (typeof value !== "string" || isXmlList(scalar)) return false;
      if (scalar instanceof Uint8Array) return value === toBase64(scalar);
      return value === (scalar instanceof Typed ? scalar.value : scalarText(scalar));
  }
}
