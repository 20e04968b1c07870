import {
  decodeName,
  factsOf,
  memberNameOf,
  elementsIn,
  isBlank,
  isSerializers,
  namesItsType,
} from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { bclValue } from "../../../codecs/dotnet/data-contract/bcl-values.ts";
import { mayBeFields, netCollection } from "../../../codecs/dotnet/data-contract/net-collections.ts";
import { diffgramIn } from "../../../codecs/dotnet/data-set/data-set.ts";
import { scalarOfLocal } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { contentOf } from "../../../codecs/dotnet/data-contract/scalar.ts";
import { arrays, serialization, system } from "../../../codecs/dotnet/xml/namespaces.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import { isXmlList, type XmlElement, type XmlScalar, type XmlScalarType } from "../../../codecs/dotnet/xml/node.ts";
import { collectDiffgram } from "./data-set-values.ts";
import { knownValue, type SourceValue, type SourceValues } from "./source-values.ts";
import type { XmlTexts } from "./same-xml.ts";
import {
  keysOfNumber,
  keysOfScalar,
  keysOfSingle,
  keysOfGuessed,
  keysOfUntyped,
  keysWithOffset,
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
export function collectXml(root: XmlElement, into: SourceValues, texts: XmlTexts): void {
  // Deep documents would overflow the stack of a recursion.
  const pending: OpenElement[] = [{ element: root, path: "$", live: undefined }];
  const keysOf = texts === "plain" ? keysOfText : texts === "guessed" ? keysOfGuessed : keysOfUntyped;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { element, path, name = nameOf(element) } = next;
    if (element.firstAttribute !== undefined && collectAttributes(element, { into, path })) continue;
    if (element.type?.local === "DBNull") {
      if (name !== null) into.allow(name, []);
      continue;
    }
    const only = element.onlyChild;
    if (only?.kind === "text" || element.isEmpty) collectText(element, name, { into, path, keysOf });
    else collectElements(next, { into, path, keysOf, pending });
  }
}

interface OpenElement {
  readonly element: XmlElement;
  /** The name of its value if it differs from the element's; `null` for an item, which has no name. */
  readonly name?: string | null | undefined;
  readonly path: string;
  readonly live: Live | undefined;
  /** Whether it is a field of a collection, such as the set of a sorted dictionary. */
  readonly isPart?: boolean;
}

/** Collects the attributes that are not a serializer's; returns whether they say that the element has no contents. */
function collectAttributes(element: XmlElement, { into, path }: Pick<XmlValuePlace, "into" | "path">): boolean {
  for (let attribute = element.firstAttribute; attribute !== undefined; attribute = attribute.next) {
    if (isSerializers(attribute)) continue;
    const keys = keysOfContent(attribute.value, undefined);
    into.addMember(decodeName(attribute.local));
    into.add(knownValue(undefined, `${path}.@${attribute.local}`, keys));
  }
  const { nil, ref } = factsOf(element);
  if (ref !== undefined) into.isShared = true;
  else if (nil && element.parent !== undefined) into.allow(memberNameOf(element.local), []);
  return ref !== undefined || nil;
}

function collectElements({ element, live, isPart }: OpenElement, place: XmlValuePlace & PendingElement): void {
  const { into, path, pending } = place;
  const elements = elementsIn(element);
  if (elements.length === 0) return collectText(element, nameOf(element), place);
  for (const child of element.children) {
    if (child.kind !== "text" || isBlank(child)) continue;
    into.add(knownValue("#text", path, keysOfContent(child.value, child.type)));
  }
  const { length } = elements;
  const rows = diffgramIn(element);
  if (rows !== undefined) return collectDiffgram(rows.diffgram, path, into);
  const bcl = bclValue(element);
  if (bcl !== undefined) {
    const areBits = Array.isArray(bcl.value);
    for (const text of bcl.texts) into.add(knownValue(undefined, path, areBits ? [`b${text}`] : keysOfUntyped(text)));
    return;
  }
  if (collectEntry(elements, place)) return;
  if ((length === 2 || length === 4) && collectStruct(element, elements, place)) return;
  const areItems = isListOf(element, elements);
  const isCollection = length <= 8 && mayBeFields(elements) && elements.some(({ local }) => marks.has(local));
  // Fields of a collection that is not read as one are members.
  const areFields = isCollection && (isPart === true || netCollection(element) !== undefined);
  const size = areFields ? liveOf(elements) : undefined;
  for (let index = 0; index < length; index++) {
    const child = elements[index];
    if (child === undefined || (live !== undefined && (index - live.head + length) % length >= live.size)) continue;
    if (areFields && /omparer$|^HashProvider$|^_monitor$/.test(child.local)) continue;
    if (size !== undefined && child.local === "_items" && child.onlyChild?.kind === "text") {
      // A list of bytes.
      const { value, type } = contentOf(child);
      for (const byte of Buffer.from(lexical(value, type), "base64").subarray(0, size.size))
        into.add(knownValue(undefined, `${path}[]`, keysOfNumber(byte)));
    } else if (!areFields || !bookkeeping.has(child.local) || elementsIn(child).length > 0) {
      if (!areItems) into.addMember(memberNameOf(child.local));
      pending.push({
        element: child,
        path: `${path}.${child.local}`,
        live: size,
        name: areItems ? null : undefined,
        isPart: areFields,
      });
    }
  }
}

interface XmlValuePlace {
  readonly into: SourceValues;
  readonly path: string;
  /** The keys of text whose type the document does not name. */
  readonly keysOf: (text: string) => readonly ValueKey[];
}

interface PendingElement {
  readonly pending: OpenElement[];
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
  { into, path, pending }: XmlValuePlace & PendingElement,
): boolean {
  if (key === undefined || value === undefined || more.length > 0) return false;
  if (!/^key$/i.test(key.local) || !/^value$/i.test(value.local) || key.onlyChild?.kind !== "text") return false;
  const { value: text, type } = contentOf(key);
  if (typeof text !== "string" || key.firstAttribute !== undefined) return false;
  into.entryKeys.push(knownValue(undefined, `${path}.${key.local}`, keysOfContent(text, type)));
  pending.push({ element: value, path: `${path}.${value.local}`, live: undefined, name: text });
  return true;
}

function collectText(element: XmlElement, given: string | null, { into, path, keysOf }: XmlValuePlace): void {
  const hasOwn = element.attributes.some((attribute) => !isSerializers(attribute));
  const name = hasOwn ? "#text" : (given ?? undefined);
  if (element.isEmpty || element.children.every(({ kind }) => kind === "comment")) {
    into.allow(name, ["s"]);
    if (!hasOwn) into.empties++;
    return;
  }
  const { value, type } = contentOf(element);
  const named = scalarNameOf(element);
  const isOther = typeof value !== "string" || (named !== undefined && named !== "string");
  const keys = isOther ? keysOfContent(value, type) : (named === undefined ? keysOf : keysOfText)(value);
  into.add(knownValue(name, path, keys));
}

function keysOfContent(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined): readonly ValueKey[] {
  if (isXmlList(value)) return keysOfUntyped(lexical(value, type));
  if (typeof value === "string") return keysOfUntyped(value);
  if (type === "Single" && typeof value === "number") return keysOfSingle(value);
  const keys = keysOfScalar(value);
  // Binary XML writes the texts "0" and "1" as numbers.
  if (value === 0 || value === 1) return [...keys, `s${value}`];
  return keys;
}

/** The keys of text that cannot be a number. */
function keysOfText(text: string): readonly ValueKey[] {
  return [`s${text}`, ...sourceMeanings(text)];
}

/** The local name of the type that an element or its namespace names, if any. */
function scalarNameOf(element: XmlElement): string | undefined {
  const { namespace, local, type } = element;
  if (type !== undefined) return type.local;
  // XmlSerializer names items and roots after their type.
  if (namespace === "") return scalarOfLocal(local);
  const isNamed = namesItsType(element) || namespace.startsWith(system);
  return namespace.startsWith(serialization) ? local : isNamed ? "any" : undefined;
}

/** A DateTimeOffset or a Version, which reappears as one string. */
function collectStruct(element: XmlElement, elements: readonly XmlElement[], { into, path }: XmlValuePlace): boolean {
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
    into.addGroup(name, keysWithOffset(text("DateTime"), Number(text("OffsetMinutes"))), values());
    return true;
  }
  return false;
}
