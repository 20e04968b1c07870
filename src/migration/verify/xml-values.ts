import {
  factsOf,
  decodeName,
  elementsIn,
  isBlank,
  isSerializers,
} from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { contentOf } from "../../../codecs/dotnet/data-contract/scalar.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import type { XmlElement, XmlScalar, XmlScalarType } from "../../../codecs/dotnet/xml/node.ts";
import type { SourceValue, SourceValues } from "./source-values.ts";
import { keysOfScalar, keysOfSingle, keysOfUntyped, sourceMeanings, type ValueKey } from "./value-keys.ts";

/** Fields by which .NET's collections keep themselves; their values are no values of the sender. */
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
]);

/** Fields that only collections of .NET have. */
const marks: ReadonlySet<string> = new Set(["_size", "HashSize", "Comparer", "Capacity"]);

/** Collects the texts of elements and attributes. */
export function collectXml(root: XmlElement, into: SourceValues): void {
  // Deep documents would overflow the stack of a recursion.
  const pending: { readonly element: XmlElement; readonly path: string; readonly live?: Live | undefined }[] = [
    { element: root, path: "$" },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { element, path, live } = next;
    for (const attribute of element.attributes) {
      if (isSerializers(attribute)) continue;
      const keys = keysOfContent(attribute.value, undefined);
      into.add({ name: undefined, keys, path: `${path}.@${attribute.local}` });
    }
    const { nil, ref } = factsOf(element);
    if (ref !== undefined) into.isShared = true;
    if (ref === undefined && nil && element.parent !== undefined) into.allow(decodeName(element.local), []);
    if (ref !== undefined || nil) continue;
    const elements = elementsIn(element);
    if (elements.length === 0) {
      collectText(element, { into, path });
      continue;
    }
    for (const child of element.children) {
      if (child.kind !== "text" || isBlank(child)) continue;
      into.add({ name: "#text", keys: keysOfContent(child.value, child.type), path });
    }
    if (collectStruct(element, elements, { into, path })) continue;
    const isCollection = elements.some(({ local }) => marks.has(local)) && elements.length <= 8;
    const size = isCollection ? liveOf(elements) : undefined;
    for (const [index, child] of elements.entries()) {
      if (live !== undefined && (index - live.head + elements.length) % elements.length >= live.size) continue;
      const inner = `${path}.${decodeName(child.local)}`;
      if (isCollection && child.local.endsWith("omparer")) continue;
      if (isCollection && bookkeeping.has(child.local) && elementsIn(child).length === 0) {
        const { value, type } = contentOf(child);
        into.addField(child.local, keysOfContent(value, type));
        continue;
      }
      pending.push({ element: child, path: inner, live: size });
    }
  }
}

interface Place {
  readonly into: SourceValues;
  readonly path: string;
}

/** How many items of an array count, and from where on: the rest is room for more. */
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

function collectText(element: XmlElement, { into, path }: Place): void {
  const name = element.parent === undefined ? undefined : decodeName(element.local);
  if (element.isEmpty || element.children.every(({ kind }) => kind === "comment")) {
    into.allow(name, ["s"]);
    into.allowAnywhere(["s"]);
    if (!element.attributes.some((attribute) => !isSerializers(attribute))) into.empties++;
    return;
  }
  const { value, type } = contentOf(element);
  const keys = keysOfContent(value, type);
  into.add({ name, keys, path });
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

/** A DateTimeOffset or a Version, which come again as one text. */
function collectStruct(element: XmlElement, elements: readonly XmlElement[], { into, path }: Place): boolean {
  const parts = new Map(elements.map((child) => [child.local, child]));
  const text = (name: string): string => {
    const part = parts.get(name);
    if (part === undefined || elementsIn(part).length > 0) return "";
    const { value, type } = contentOf(part);
    return lexical(value, type);
  };
  const values = (): readonly SourceValue[] =>
    elements.map((child) => ({ name: child.local, keys: keysOfUntyped(text(child.local)), path }));
  const name = decodeName(element.local);
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
