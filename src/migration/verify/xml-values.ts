import {
  factsOf,
  memberNameOf,
  elementsIn,
  isBlank,
  isSerializers,
} from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { bclValue } from "../../../codecs/dotnet/data-contract/bcl-values.ts";
import { diffgramIn } from "../../../codecs/dotnet/data-set/data-set.ts";
import { contentOf } from "../../../codecs/dotnet/data-contract/scalar.ts";
import { arrays } from "../../../codecs/dotnet/xml/namespaces.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import type { XmlElement, XmlScalar, XmlScalarType } from "../../../codecs/dotnet/xml/node.ts";
import { collectDiffgram } from "./data-set-values.ts";
import { knownValue, sourceValue, type SourceValue, type SourceValues } from "./source-values.ts";
import { DateTime } from "../../values/date-time.ts";
import { Decimal } from "../../values/decimal.ts";
import {
  keysOfNumber,
  keysOfScalar,
  keysOfSingle,
  keysOfUntyped,
  sourceMeanings,
  type ValueKey,
} from "./value-keys.ts";

/** Internal fields of .NET's collections; their values are not the sender's. */
const bookkeeping: ReadonlySet<string> = new Set([
  "_size",
  "_version",
  "_head",
  "_tail",
  "_growFactor",
  "Version",
  "HashSize",
  "LoadFactor",
  "Capacity",
  "Count",
  "version",
  "count",
  "ReadOnly",
  "InitialCapacity",
]);

/** Fields that only .NET's collections have. */
const marks: ReadonlySet<string> = new Set([
  "_size",
  "HashSize",
  "Comparer",
  "Capacity",
  "InitialCapacity",
  "_monitor",
  "head",
]);

/** Collects the texts of elements and attributes. */
export function collectXml(root: XmlElement, into: SourceValues): void {
  // Deep documents would overflow the stack of a recursion.
  const pending: Open[] = [{ element: root, path: "$", live: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { element, path, name = nameOf(element) } = next;
    if (element.firstAttribute !== undefined && collectAttributes(element, { into, path })) continue;
    if (element.type?.local === "DBNull") {
      if (name !== null) into.allow(name, []);
      continue;
    }
    const only = element.onlyChild;
    if (only?.kind === "text" || element.isEmpty) collectText(element, name, { into, path });
    else collectElements(next, into, pending);
  }
}

interface Open {
  readonly element: XmlElement;
  /** The name of its value if it differs from the element's; `null` for an item, which has no name. */
  readonly name?: string | null | undefined;
  readonly path: string;
  readonly live: Live | undefined;
}

/** Collects the attributes that are not a serializer's; returns whether they say that the element has no contents. */
function collectAttributes(element: XmlElement, { into, path }: Place): boolean {
  for (let attribute = element.firstAttribute; attribute !== undefined; attribute = attribute.next) {
    if (isSerializers(attribute)) continue;
    const keys = keysOfContent(attribute.value, undefined);
    into.add(knownValue(undefined, `${path}.@${attribute.local}`, keys));
  }
  const { nil, ref } = factsOf(element);
  if (ref !== undefined) into.isShared = true;
  else if (nil && element.parent !== undefined) into.allow(memberNameOf(element.local), []);
  return ref !== undefined || nil;
}

function collectElements({ element, path, live }: Open, into: SourceValues, pending: Open[]): void {
  const elements = elementsIn(element);
  if (elements.length === 0) return collectText(element, nameOf(element), { into, path });
  for (const child of element.children) {
    if (child.kind !== "text" || isBlank(child)) continue;
    into.add(knownValue("#text", path, keysOfContent(child.value, child.type)));
  }
  const { length } = elements;
  const rows = diffgramIn(element);
  if (rows !== undefined) return collectDiffgram(rows.diffgram, path, into);
  const bcl = bclValue(element);
  if (bcl !== undefined) {
    for (const text of bcl.texts) into.add(knownValue(undefined, path, keysOfUntyped(text)));
    return;
  }
  if (collectEntry(elements, { into, path, pending })) return;
  if ((length === 2 || length === 4) && collectStruct(element, elements, { into, path })) return;
  const areItems = isListOf(element, elements);
  const isCollection = length <= 8 && elements.some(({ local }) => marks.has(local));
  const size = isCollection ? liveOf(elements) : undefined;
  for (let index = 0; index < length; index++) {
    const child = elements[index];
    if (child === undefined || (live !== undefined && (index - live.head + length) % length >= live.size)) continue;
    if (isCollection && /omparer$|^HashProvider$|^_monitor$/.test(child.local)) continue;
    if (isCollection && bookkeeping.has(child.local) && elementsIn(child).length === 0) {
      const { value, type } = contentOf(child);
      into.addField(child.local, keysOfContent(value, type));
    } else
      pending.push({ element: child, path: `${path}.${child.local}`, live: size, name: areItems ? null : undefined });
  }
}

interface Place {
  readonly into: SourceValues;
  readonly path: string;
}

/** How many items of an array count, and the index of the first; the rest is spare capacity. */
interface Live {
  readonly size: number;
  readonly head: number;
}

function liveOf(fields: readonly XmlElement[]): Live | undefined {
  const number = (name: string): number | undefined => {
    const field = fields.find(({ local }) => local === name);
    return field === undefined || elementsIn(field).length > 0 ? undefined : Number(contentOf(field).value);
  };
  const size = number("_size");
  return size === undefined ? undefined : { size, head: number("_head") ?? 0 };
}

function nameOf(element: XmlElement): string | null {
  return element.parent === undefined ? null : memberNameOf(element.local);
}

/** Whether elements are items, whose names are those of their type. */
function isListOf({ local, type }: XmlElement, elements: readonly XmlElement[]): boolean {
  const [first] = elements;
  if (first === undefined) return false;
  if ((type ?? { local }).local.startsWith("ArrayOf") || first.namespace === arrays) return true;
  return elements.length > 1 && elements.every((element) => element.local === first.local);
}

/** An entry of a dictionary: its key is the name of its value. */
function collectEntry(
  [key, value, ...more]: readonly XmlElement[],
  { into, path, pending }: Place & { readonly pending: Open[] },
): boolean {
  if (key === undefined || value === undefined || more.length > 0) return false;
  if (!/^key$/i.test(key.local) || !/^value$/i.test(value.local) || key.onlyChild?.kind !== "text") return false;
  const { value: text, type } = contentOf(key);
  if (typeof text !== "string" || key.firstAttribute !== undefined) return false;
  into.entryKeys.push(sourceValue(undefined, `${path}.${key.local}`, `s${text}`, () => keysOfContent(text, type)));
  pending.push({ element: value, path: `${path}.${value.local}`, live: undefined, name: text });
  return true;
}

function collectText(element: XmlElement, given: string | null, { into, path }: Place): void {
  const name = given ?? undefined;
  if (element.isEmpty || element.children.every(({ kind }) => kind === "comment")) {
    into.allow(name, ["s"]);
    into.allowAnywhere(["s"]);
    if (!element.attributes.some((attribute) => !isSerializers(attribute))) into.empties++;
    return;
  }
  const { value, type } = contentOf(element);
  into.add(sourceValue(name, path, keyOfContent(value, type), () => keysOfContent(value, type)));
}

/** The key of a text's most likely form in the target. */
function keyOfContent(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined): ValueKey {
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "number" && type !== "Single") return keysOfNumber(value)[0] ?? "";
  if (value instanceof Decimal) return `s${value.text}`;
  if (value instanceof DateTime) return `s${value.toISO()}`;
  return keysOfContent(value, type)[0] ?? "";
}

function keysOfContent(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined): readonly ValueKey[] {
  if (isList(value)) return keysOfUntyped(lexical(value, type));
  if (typeof value === "string") return keysOfUntyped(value);
  if (type === "Single" && typeof value === "number") return keysOfSingle(value);
  const keys = keysOfScalar(value);
  // Binary XML writes the texts "0" and "1" as numbers.
  if (value === 0 || value === 1) return [...keys, `s${value}`];
  return keys;
}

function isList(value: XmlScalar | readonly XmlScalar[]): value is readonly XmlScalar[] {
  return Array.isArray(value);
}

/** A DateTimeOffset or a Version, which reappears as one string. */
function collectStruct(element: XmlElement, elements: readonly XmlElement[], { into, path }: Place): boolean {
  const parts = new Map(elements.map((child) => [child.local, child]));
  const text = (name: string): string => {
    const part = parts.get(name);
    if (part === undefined || elementsIn(part).length > 0) return "";
    const { value, type } = contentOf(part);
    return lexical(value, type);
  };
  const values = (): readonly SourceValue[] =>
    elements.map((child) => knownValue(child.local, path, keysOfUntyped(text(child.local))));
  const name = memberNameOf(element.local);
  if (elements.length === 4 && parts.has("_Major") && parts.has("_Minor")) {
    const numbers = ["_Major", "_Minor", "_Build", "_Revision"].map(text).filter((part) => !part.startsWith("-"));
    into.addGroup(name, [`s${numbers.join(".")}`], values());
    return true;
  }
  if (elements.length === 2 && parts.has("DateTime") && parts.has("OffsetMinutes")) {
    const keys = sourceMeanings(text("DateTime"));
    into.addGroup(name, keys, values());
    return true;
  }
  return false;
}
