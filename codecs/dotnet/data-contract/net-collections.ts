import { factsOf, elementsIn } from "./element-facts.ts";
import { arrays, system } from "../xml/namespaces.ts";
import { XmlArray, XmlElement, type XmlNode } from "../xml/node.ts";
import { contentOf, typedScalar } from "./scalar.ts";

/** A collection that was written as the private fields of its class. */
export type NetCollection =
  | { readonly kind: "list"; readonly items: readonly XmlNode[]; readonly count: number }
  | { readonly kind: "entries"; readonly pairs: readonly (readonly [XmlElement, XmlElement])[] };

/**
 * The collection behind the fields of a BCL class, as NetDataContractSerializer writes them, or `undefined`.
 *
 * It is recognized by the names of its fields, since members have no type: List and ArrayList (`_items`, `_size`), Stack
 * (`_array`), Queue (`_head`), HashSet (`Elements`), LinkedList (`Data`), Dictionary (`KeyValuePairs`), Hashtable
 * (`Keys`, `Values`), SortedList (`keys`, `values`), SortedDictionary (`_set`), Collection (`items`), OrderedDictionary
 * (`ArrayList`), NameValueCollection (`Keys`, `Values`, `HashProvider`), ListDictionary (`head`), ReadOnlyCollection (`list`),
 * ReadOnlyDictionary (`m_dictionary`), StringDictionary (`contents`).
 */
export function netCollection(element: XmlElement): NetCollection | undefined {
  const elements = elementsIn(element);
  const fields = new Map(elements.map((field) => [field.local, field]));
  const has = (...names: readonly string[]): boolean => names.every((name) => fields.has(name));
  const field = (name: string): XmlElement | undefined => fields.get(name);
  const namespace = elements[0]?.namespace ?? "";
  if (fields.size === 3 && has("_items", "_size", "_version")) return list(field("_items"), integer(field("_size")));
  if (namespace === "") {
    // Collections that implement ISerializable.
    if (has("Comparer", "HashSize", "Version") && fields.size === (has("KeyValuePairs") ? 4 : 3))
      return dictionary(field("KeyValuePairs"));
    if (has("Comparer", "Capacity", "Version") && fields.size === (has("Elements") ? 4 : 3))
      return list(field("Elements"));
    if (has("LoadFactor", "HashSize", "Keys", "Values")) return columns(field("Keys"), field("Values"));
    if (has("KeyComparer", "ReadOnly", "InitialCapacity", "ArrayList"))
      return dictionary(field("ArrayList"), "_key", "_value");
    if (has("ReadOnly", "HashProvider", "Count", "Keys", "Values")) return nameValues(field("Keys"), field("Values"));
    // An empty set has no items; a class with other fields besides these is something else, e.g. NameValueCollection.
    if (has("Count", "Comparer", "Version") && fields.size === (has("Items") ? 4 : 3)) return list(field("Items"));
    if (has("Count", "Version") && fields.size === (has("Data") ? 3 : 2)) return list(field("Data"));
  } else if (namespace === arrays || namespace.startsWith(collections)) {
    if (has("_array", "_head", "_tail", "_size"))
      return queue(field("_array"), integer(field("_head")), integer(field("_size")));
    if (has("_array", "_size", "_version")) return stack(field("_array"), integer(field("_size")));
    if (has("_size", "keys", "values")) return columns(field("keys"), field("values"), integer(field("_size")));
    if (has("count", "head", "version")) return linked(field("head"));
    const set = field("_set");
    if (set !== undefined && fields.size <= 3) return dictionary(elementsIn(set).find(named("Items")));
    const data = field("data");
    if (data !== undefined && fields.size === 1) return netCollection(data);
    const around = fields.size === 1 ? aroundAnother(elements[0]) : undefined;
    if (around !== undefined) return around;
  }
  const inner = field("items") ?? field("list");
  const isAround = fields.size === 1 || (fields.size === 2 && has("_monitor"));
  return inner !== undefined && isAround ? wrapped(inner) : undefined;
}

/** The collection in the only field of a read-only one, or of a StringDictionary. */
function aroundAnother(inner: XmlElement | undefined): NetCollection | undefined {
  if (inner === undefined || factsOf(inner).nil) return undefined;
  if (inner.namespace === `${collections}.ObjectModel`) {
    if (inner.local === "list") return list(inner);
    if (inner.local === "m_dictionary" || inner.local === "_dictionary") return dictionary(inner, "Key", "Value");
  }
  const isOfStrings = inner.namespace === `${collections}.Specialized` && inner.local === "contents";
  return isOfStrings ? dictionary(inner, "Key", "Value") : undefined;
}

/** The collection in a field that is declared as an interface, so that its class is named. */
function wrapped(inner: XmlElement): NetCollection | undefined {
  const { clrType, size } = factsOf(inner);
  if (inner.type?.local.startsWith("ArrayOf") === true || (clrType !== undefined && size !== undefined))
    return list(inner);
  return clrType?.startsWith("System.") === true ? netCollection(inner) : undefined;
}

/** The prefix of the namespaces of .NET's collections. */
export const collections: string = `${system}.Collections`;

/** Whether elements may be fields of a collection: in no namespace, in one of collections, or the three of a list. */
export function mayBeFields(elements: readonly XmlElement[]): boolean {
  if (elements.length === 3 && elements[0]?.local === "_items" && elements[2]?.local === "_version") return true;
  return elements.every(
    ({ namespace }) => namespace === "" || namespace === arrays || namespace.startsWith(collections),
  );
}

const named =
  (name: string) =>
  ({ local }: XmlElement): boolean =>
    local === name;

function list(items: XmlElement | undefined, count: number = Infinity): NetCollection {
  if (items?.onlyChild?.kind !== "text") return { kind: "list", items: items?.children ?? [], count };
  // A list of bytes keeps them in base64.
  const bytes = typedScalar(contentOf(items), "bytes", items);
  const values = bytes instanceof Uint8Array ? [...bytes.subarray(0, count)] : [];
  const item = new XmlElement(items.tag, items, items.offset);
  return { kind: "list", items: [new XmlArray(item, values, undefined, items.offset)], count };
}

function stack(array: XmlElement | undefined, size: number): NetCollection {
  // The top of a stack, which enumerates first, is last in its array.
  return { kind: "list", items: array === undefined ? [] : elementsIn(array).slice(0, size).toReversed(), count: size };
}

function queue(array: XmlElement | undefined, head: number, size: number): NetCollection {
  const items = array === undefined ? [] : elementsIn(array);
  return { kind: "list", items: [...items.slice(head), ...items.slice(0, head)].slice(0, size), count: size };
}

/** Names with their values; a name with a single value has just that, as in a query string. */
function nameValues(keys: XmlElement | undefined, values: XmlElement | undefined): NetCollection | undefined {
  const columned = columns(keys, values);
  if (columned?.kind !== "entries") return undefined;
  const pairs = columned.pairs.map(([key, value]): readonly [XmlElement, XmlElement] => {
    const inner = netCollection(value);
    const [only, ...more] = inner?.kind === "list" ? inner.items.slice(0, inner.count) : [];
    return only?.kind === "element" && more.length === 0 ? [key, only] : [key, value];
  });
  return { kind: "entries", pairs };
}

/** Nodes of a linked list, each nested in the previous one. */
function linked(head: XmlElement | undefined): NetCollection | undefined {
  const pairs: (readonly [XmlElement, XmlElement])[] = [];
  let node = head;
  while (node !== undefined && elementsIn(node).length > 0) {
    const parts = new Map(elementsIn(node).map((part) => [part.local, part]));
    const key = parts.get("key");
    const value = parts.get("value");
    if (key === undefined || value === undefined) return undefined;
    pairs.push([key, value]);
    node = parts.get("next");
  }
  return { kind: "entries", pairs };
}

function dictionary(
  pairs: XmlElement | undefined,
  keyName: string = "key",
  valueName: string = "value",
): NetCollection | undefined {
  if (pairs === undefined) return { kind: "entries", pairs: [] };
  const entries = elementsIn(pairs).map((entry) => pairOf(entry, keyName, valueName));
  return entries.includes(undefined)
    ? undefined
    : { kind: "entries", pairs: entries.filter((entry) => entry !== undefined) };
}

function columns(
  keys: XmlElement | undefined,
  values: XmlElement | undefined,
  size: number = Infinity,
): NetCollection | undefined {
  if (keys === undefined || values === undefined) return undefined;
  const right = elementsIn(values);
  const left = elementsIn(keys).slice(0, size);
  const pairs = left.flatMap((key, index): (readonly [XmlElement, XmlElement])[] => {
    const value = right[index];
    return value === undefined ? [] : [[key, value]];
  });
  return pairs.length === left.length ? { kind: "entries", pairs } : undefined;
}

function integer(element: XmlElement | undefined): number {
  const { value } = element === undefined ? { value: 0 } : contentOf(element);
  return typeof value === "number" ? value : Number(value);
}

/** The key and value of an entry, or `undefined` for anything else. */
export function pairOf(
  entry: XmlElement,
  keyName: string,
  valueName: string,
): readonly [XmlElement, XmlElement] | undefined {
  const [first, second, third] = elementsIn(entry);
  if (first === undefined || second === undefined || third !== undefined) return undefined;
  if (first.local === keyName && second.local === valueName) return [first, second];
  return first.local === valueName && second.local === keyName ? [second, first] : undefined;
}
