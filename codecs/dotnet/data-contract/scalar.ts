import { broken } from "../xml/scope.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { EnumValue } from "../../../src/core/values/enum-value.ts";
import { QName } from "../../../src/core/values/q-name.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import type { ScalarKind } from "./scalar-kind.ts";
import { canonicalScalar, charOfCode, integerIn, longIn, scalarOfText } from "./scalar-text.ts";
import type { ContractEnumShape } from "./shape.ts";
import { lexical } from "../xml/lexical.ts";
import { shortestSingle } from "../../../src/core/values/single.ts";
import { xmlns } from "../xml/namespaces.ts";
import { isXmlList, type XmlElement, type XmlScalar, type XmlScalarType, type XmlText } from "../xml/node.ts";

/** The position of a scalar. */
export interface ScalarPlace {
  readonly element: XmlElement;
  /** The attribute that contains it, if not the element itself. */
  readonly attribute?: string;
}

/** The text of an element, with its type if it has one; `offset` is where it starts. */
export interface ScalarContent {
  readonly value: XmlScalar;
  readonly type: XmlScalarType | undefined;
  readonly offset: number;
}

/** The content of an element without child elements; `""` if there is no text. */
export function contentOf(element: XmlElement): ScalarContent {
  const only = element.onlyChild;
  // Returned directly, since most elements contain just one text.
  if (only?.kind === "text" && isScalarText(only)) return only;
  const { offset } = element;
  if (element.isEmpty) return { value: "", type: undefined, offset };
  const texts: ScalarContent[] = [];
  for (const child of element.children) {
    if (child.kind === "text") texts.push(scalarContent(child));
    else if (child.kind !== "comment") throw broken("has elements instead of a scalar", child.offset);
  }
  const [first] = texts;
  if (first === undefined) return { value: "", type: undefined, offset };
  if (texts.length === 1) return first;
  const chunks = texts.map(({ value }) => value).filter((value) => value instanceof Uint8Array);
  if (chunks.length === texts.length) return { value: concatenate(chunks), type: undefined, offset: first.offset };
  const text = texts.map(({ value, type }) => lexical(value, type)).join("");
  return { value: text, type: undefined, offset: first.offset };
}

function isScalarText(text: XmlText): text is XmlText & ScalarContent {
  return !isXmlList(text.value);
}

function scalarContent({ value, type, offset }: XmlText): ScalarContent {
  return { value: isXmlList(value) ? lexical(value, type) : value, type, offset };
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The value of a scalar of which only the record is known; text stays text, or is read by `canonicalScalar`. */
export function untypedScalar(value: XmlScalar, guess: boolean, type?: XmlScalarType): unknown {
  if (type === "Single" && typeof value === "number") return shortestSingle(value);
  if (typeof value === "bigint") {
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;
  }
  return guess && typeof value === "string" ? canonicalScalar(value) : value;
}

/**
 * The value of a scalar of known type.
 *
 * @throws SobreError `DecodeFailed` with offset and path for content that is invalid for the type.
 */
export function typedScalar(content: ScalarContent, kind: ScalarKind, element: XmlElement): unknown {
  const read = fittingScalar(content, kind, element);
  if (read === undefined) throw broken(`has content that is not a valid ${kind}`, content.offset);
  return read;
}

/** The value of a scalar of known type, or `undefined` for content that is invalid for the type. */
export function fittingScalar({ value, type }: ScalarContent, kind: ScalarKind, element: XmlElement): unknown {
  return typeof value === "string" ? ofText(value, kind, element) : ofRecord(value, type, kind, element);
}

function ofText(text: string, kind: ScalarKind, element: XmlElement): unknown {
  return kind === "qname" ? qNameOf(text.trim(), element) : scalarOfText(text, kind);
}

/** A scalar of binary XML: numbers are written in the smallest record that holds them. */
function ofRecord(
  value: Exclude<XmlScalar, string>,
  type: XmlScalarType | undefined,
  kind: ScalarKind,
  element: XmlElement,
): unknown {
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? value : ofText(lexical(value, type), kind, element);
    case "double":
    case "float":
      if (typeof value === "number") return kind === "float" ? shortestSingle(Math.fround(value)) : value;
      return typeof value === "bigint" ? Number(value) : undefined;
    case "long":
    case "ulong":
      if (typeof value === "bigint") return longIn(value, kind);
      return typeof value === "number" && Number.isInteger(value) ? longIn(BigInt(value), kind) : undefined;
    case "decimal":
      if (value instanceof Decimal) return value;
      return typeof value === "number" || typeof value === "bigint"
        ? ofText(lexical(value, type), kind, element)
        : undefined;
    case "dateTime":
      return value instanceof DateTime ? value : undefined;
    case "timespan":
      return value instanceof Duration ? value : undefined;
    case "guid":
      return value instanceof Typed ? value : undefined;
    case "bytes":
      return value instanceof Uint8Array ? value : undefined;
    case "char":
      return typeof value === "number" && integerIn(value, "ushort") !== undefined ? charOfCode(value) : undefined;
    case "string":
    case "uri":
    case "qname":
    case "version":
      return ofText(lexical(value, type), kind, element);
    case "any":
    case "dateTimeOffset":
      return undefined;
    default:
      // An unsigned int beyond 2^31 is written in the record of a long.
      return typeof value === "number" || typeof value === "bigint" ? integerIn(Number(value), kind) : undefined;
  }
}

/**
 * The qualified name in an element that declares a prefix only for its text, which only names need; or `undefined`.
 *
 * If the element has a type, the prefix may be that of the type.
 */
export function declaredQName({ value }: ScalarContent, element: XmlElement): QName | undefined {
  const { firstAttribute, type, prefix } = element;
  if (firstAttribute === undefined || type !== undefined || typeof value !== "string") return undefined;
  const [, own, local] = /^([^\s:]{1,64}):([^\s:]+)$/.exec(value) ?? [];
  if (own === undefined || local === undefined || own === prefix) return undefined;
  const declaration = element.attributes.find(
    (one) => one.namespace === xmlns && one.prefix === "xmlns" && one.local === own,
  );
  return declaration && new QName(lexical(declaration.value, undefined), local);
}

/** A qualified name, its prefix resolved in the scope of the element. */
function qNameOf(text: string, element: XmlElement): QName | undefined {
  const colon = text.indexOf(":");
  const prefix = colon === -1 ? "" : text.slice(0, colon);
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) {
    for (let one = at.firstAttribute; one !== undefined; one = one.next) {
      const { local, prefix: own, namespace, value } = one;
      if (namespace !== xmlns || (prefix === "" ? own !== "" : own !== "xmlns" || local !== prefix)) continue;
      return new QName(lexical(value, undefined), text.slice(colon + 1));
    }
  }
  return prefix === "" ? new QName("", text) : undefined;
}

/**
 * The value of an enumeration: its names and their number, or a number without a name; `undefined` for an undeclared
 * name.
 */
export function enumValue(
  { value, type }: ScalarContent,
  shape: ContractEnumShape,
  clrNames: boolean,
): EnumValue | undefined {
  const text = lexical(value, type).trim();
  if (/^-?\d+$/.test(text) && !shape.members.has(text)) return enumOfNumber(BigInt(text), shape);
  const numbers = clrNames ? new Map([...shape.members, ...shape.clrMembers]) : shape.members;
  const names = shape.flags ? text.split(/[\t\n\r ]+/).filter((name) => name !== "") : [text];
  let sum = 0n;
  for (const name of names) {
    const number = numbers.get(name);
    if (number === undefined) return undefined;
    sum |= number;
  }
  return new EnumValue(names.join(" "), sum);
}

/** The names of a number, as DataContractJsonSerializer writes enumerations. */
export function enumOfNumber(number: bigint, shape: ContractEnumShape): EnumValue {
  for (const [name, value] of shape.members) if (value === number) return new EnumValue(name, number);
  if (!shape.flags) return new EnumValue(`${number}`, number);
  const names = flagNames(number, shape.members);
  return new EnumValue(names === undefined ? `${number}` : names.join(" "), number);
}

/** The declared names whose bits make a number, the smallest first; `undefined` when some bits have none. */
export function flagNames(number: bigint, members: Iterable<readonly [string, bigint]>): readonly string[] | undefined {
  let left = number;
  const names: string[] = [];
  for (const [name, value] of [...members].toSorted(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))) {
    if (value === 0n || (left & value) !== value) continue;
    left &= ~value;
    names.unshift(name);
  }
  return left === 0n && names.length > 0 ? names : undefined;
}

/** A number with its type, where a plain number or bigint would be taken for another one. */
export function withType(value: unknown, kind: ScalarKind): unknown {
  if (typeof value === "bigint") return kind === "ulong" ? typed.ulong(value) : value;
  if (typeof value !== "number") return value;
  switch (kind) {
    case "double":
      return Number.isInteger(value) ? typed.double(value) : value;
    case "float":
      return typed.float(value);
    case "sbyte":
      return typed.byte(value);
    case "byte":
      return typed.ubyte(value);
    case "short":
      return typed.short(value);
    case "ushort":
      return typed.ushort(value);
    case "uint":
      return typed.uint(value);
    default:
      return value;
  }
}

/** A scalar as its record has it: text stays text. */
export function rawScalar({ value, type }: ScalarContent): unknown {
  return untypedScalar(value, false, type);
}
