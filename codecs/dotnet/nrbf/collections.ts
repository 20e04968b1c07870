import type { ClassView } from "./class-view.ts";
import type { NrbfArrayNode, MemberNode, NrbfPrimitiveArrayNode } from "./nodes.ts";

/** A node for part of an array that is stored in another form. */
interface PrimitiveElements {
  readonly kind: "elements";
  readonly offset: number;
  readonly array: NrbfPrimitiveArrayNode;
  readonly index: number;
}

/** An item of a collection. */
export type ItemNode = MemberNode | PrimitiveElements;

/** The contents of a collection: a list's items, a map's keys and values in turn, or the first items of an array. */
export type NrbfCollection =
  | { readonly kind: "list" | "map"; readonly items: readonly ItemNode[] }
  | { readonly kind: "primitives"; readonly array: NrbfPrimitiveArrayNode; readonly count: number };

type Collector = (view: ClassView) => NrbfCollection | undefined;

/** The elements of an array, with runs of nulls written out. */
function elementsOf(array: NrbfArrayNode | NrbfPrimitiveArrayNode): readonly ItemNode[] {
  if (array.kind === "array") {
    if (!array.elements.some((element) => element.kind === "null" && element.count > 1)) return array.elements;
    const items: ItemNode[] = [];
    for (const element of array.elements) {
      for (let left = element.kind === "null" ? element.count : 1; left > 0; left--) items.push(element);
    }
    return items;
  }
  const { offset } = array;
  return Array.from(array.values, (_, index) => ({ kind: "elements", offset, array, index }));
}

/** The elements of a member that is an array; empty if it is null or absent. */
function arrayMember(view: ClassView, name: string): readonly ItemNode[] | undefined {
  const member = view.member(name);
  if (member === undefined || member.kind === "null") return [];
  return member.kind === "array" || member.kind === "primitive-array" ? elementsOf(member) : undefined;
}

function cut(view: ClassView, items: readonly ItemNode[], size: number | undefined): readonly ItemNode[] {
  if (size === undefined || size < 0 || size > items.length) throw view.malformed();
  return items.slice(0, size);
}

const list = (items: readonly ItemNode[]): NrbfCollection & { readonly items: readonly ItemNode[] } => ({
  kind: "list",
  items,
});

function pairs(view: ClassView, keys: readonly ItemNode[], values: readonly ItemNode[]): NrbfCollection {
  if (keys.length !== values.length) throw view.malformed();
  return { kind: "map", items: keys.flatMap((key, index) => [key, ...values.slice(index, index + 1)]) };
}

/** The first items of an array, whose number is in another member. */
const sized =
  (items: string, size: string): Collector =>
  (view) => {
    const member = view.member(items);
    const count = view.int(size);
    if (member?.kind !== "primitive-array") return member && counted(view, items, count);
    if (count === undefined || count < 0 || count > member.values.length) throw view.malformed();
    return { kind: "primitives", array: member, count };
  };

function counted(
  view: ClassView,
  items: string,
  count: number | undefined,
): (NrbfCollection & { readonly items: readonly ItemNode[] }) | undefined {
  const elements = arrayMember(view, items);
  return elements && list(cut(view, elements, count));
}

/** The first items of an array, in reverse order. */
const stacked =
  (items: string, size: string): Collector =>
  (view) => {
    const collected = view.names.includes(items) ? counted(view, items, view.int(size)) : undefined;
    return collected && list(collected.items.toReversed());
  };

/** Items in a ring buffer. */
function queue(view: ClassView): NrbfCollection | undefined {
  const elements = view.names.includes("_array") ? arrayMember(view, "_array") : undefined;
  const head = view.int("_head");
  if (elements === undefined || head === undefined) return undefined;
  if (head < 0 || head > elements.length) throw view.malformed();
  return list(cut(view, [...elements.slice(head), ...elements.slice(0, head)], view.int("_size")));
}

/** All elements of an array, which is absent if there are none. */
const whole =
  (items: string, count?: string): Collector =>
  (view) => {
    const elements = arrayMember(view, items);
    const size = count === undefined ? undefined : view.int(count);
    if (elements !== undefined && size !== undefined && size !== elements.length) throw view.malformed();
    return elements && list(elements);
  };

function dictionary(view: ClassView): NrbfCollection | undefined {
  return entries(view, arrayMember(view, "KeyValuePairs"));
}

/** Entries of an array of `KeyValuePair`. */
function entries(view: ClassView, items: readonly ItemNode[] | undefined): NrbfCollection | undefined {
  if (items === undefined) return undefined;
  const flat = items.map((item) => {
    const pair = item.kind === "elements" ? undefined : view.of(item);
    const key = pair?.member("key");
    const value = pair?.member("value");
    if (key === undefined || value === undefined) throw view.malformed();
    return [key, value];
  });
  return { kind: "map", items: flat.flat() };
}

function concurrentDictionary(view: ClassView): NrbfCollection | undefined {
  const name = view.names.find((member) => member.endsWith("_serializationArray"));
  return name === undefined ? undefined : entries(view, arrayMember(view, name));
}

function concurrentItems(view: ClassView): NrbfCollection | undefined {
  const name = view.names.find((member) => member.endsWith("serializationArray"));
  return name === undefined ? undefined : whole(name)(view);
}

function hashtable(view: ClassView): NrbfCollection | undefined {
  const keys = arrayMember(view, "Keys");
  const values = arrayMember(view, "Values");
  return keys && values && pairs(view, keys, values);
}

function sortedList(view: ClassView): NrbfCollection | undefined {
  const keys = arrayMember(view, "keys");
  const values = arrayMember(view, "values");
  const size = view.int("_size");
  if (keys === undefined || values === undefined || size === undefined) return undefined;
  return pairs(view, cut(view, keys, size), cut(view, values, size));
}

/** A sorted dictionary stores a set of pairs. */
function sortedDictionary(view: ClassView): NrbfCollection | undefined {
  const set = view.inner("_set");
  return set && entries(set, arrayMember(set, "Items"));
}

/** A list of nodes, each with a key and a value. */
function listDictionary(view: ClassView): NrbfCollection | undefined {
  const count = view.int("count");
  const items: ItemNode[] = [];
  for (let node = view.inner("head"); node !== undefined; node = node.inner("next")) {
    const key = node.member("key");
    const value = node.member("value");
    // Also ends a cyclic list.
    if (key === undefined || value === undefined || count === undefined || items.length >= count * 2) {
      throw view.malformed();
    }
    items.push(key, value);
  }
  if (items.length !== (count ?? 0) * 2) throw view.malformed();
  return { kind: "map", items };
}

/** The entries of an array of `DictionaryEntry`. */
function orderedDictionary(view: ClassView): NrbfCollection | undefined {
  const written = view.names.includes("ArrayList") ? arrayMember(view, "ArrayList") : undefined;
  return (
    written && {
      kind: "map",
      items: written.flatMap((item): readonly ItemNode[] => {
        const entry = item.kind === "elements" ? undefined : view.of(item);
        const key = entry?.member("_key");
        const value = entry?.member("_value");
        if (key === undefined || value === undefined) throw view.malformed();
        return [key, value];
      }),
    }
  );
}

/** Names with their values; a name with a single value has just that, as in a query string. */
function nameValues(view: ClassView): NrbfCollection | undefined {
  const keys = arrayMember(view, "Keys");
  const values = arrayMember(view, "Values");
  if (keys === undefined || values === undefined) return undefined;
  const single = values.map((item): ItemNode => {
    const own = item.kind === "elements" ? undefined : view.of(item);
    const items = own?.int("_size") === 1 ? arrayMember(own, "_items") : undefined;
    return items?.[0] ?? item;
  });
  return pairs(view, keys, single);
}

/** The contents of a class derived from a collection, if it adds no fields of its own. */
function derived(view: ClassView): NrbfCollection | undefined {
  const shape = derivedShapes.find(
    ({ names, optional }) =>
      names.every((name) => view.names.includes(name)) &&
      view.names.every((name) => names.includes(name) || optional.includes(name)),
  );
  return shape?.collect(view);
}

const collections = "System.Collections.";
const generic = "System.Collections.Generic.";

/** Collections by their class without type arguments, with their fields in .NET Framework. */
const collectors: ReadonlyMap<string, Collector> = new Map<string, Collector>([
  [`${generic}List\`1`, sized("_items", "_size")],
  [`${collections}ArrayList`, sized("_items", "_size")],
  [`${generic}Stack\`1`, stacked("_array", "_size")],
  [`${collections}Stack`, stacked("_array", "_size")],
  [`${generic}Queue\`1`, queue],
  [`${collections}Queue`, queue],
  [`${generic}HashSet\`1`, whole("Elements")],
  [`${generic}SortedSet\`1`, whole("Items", "Count")],
  [`${generic}LinkedList\`1`, whole("Data")],
  [`${generic}Dictionary\`2`, dictionary],
  [`${generic}SortedDictionary\`2`, sortedDictionary],
  [`${generic}SortedList\`2`, sortedList],
  [`${collections}SortedList`, sortedList],
  [`${collections}Hashtable`, hashtable],
  [`${collections}Specialized.ListDictionary`, listDictionary],
  [`${collections}ListDictionaryInternal`, listDictionary],
  [`${collections}Specialized.OrderedDictionary`, orderedDictionary],
  [`${collections}Specialized.NameValueCollection`, nameValues],
  [`${collections}Concurrent.ConcurrentDictionary\`2`, concurrentDictionary],
  ...["Queue", "Stack", "Bag"].map((name): [string, Collector] => [
    `${collections}Concurrent.Concurrent${name}\`1`,
    concurrentItems,
  ]),
]);

interface DerivedShape {
  readonly names: readonly string[];
  readonly optional: readonly string[];
  readonly collect: Collector;
}

/** The members of classes that are derived from a collection: private fields of a base class carry its name. */
const derivedShapes: readonly DerivedShape[] = [
  {
    names: ["List`1+_items", "List`1+_size", "List`1+_version"],
    optional: [],
    collect: sized("List`1+_items", "List`1+_size"),
  },
  { names: ["Version", "Comparer", "HashSize"], optional: ["KeyValuePairs"], collect: dictionary },
  {
    names: ["LoadFactor", "Version", "Comparer", "HashCodeProvider", "HashSize", "Keys", "Values"],
    optional: [],
    collect: hashtable,
  },
];

/** The contents of a collection, or `undefined` for any other object. */
export function collectedOf(view: ClassView): NrbfCollection | undefined {
  const collector = collectors.get(view.plainName);
  return collector === undefined ? derived(view) : collector(view);
}

/** Whether a class is neither a collection nor a wrapper of another object. */
export function isOrdinary(plainName: string, names: readonly string[]): boolean {
  const own = !collectors.has(plainName) && wrappedNames(plainName, names).length === 0;
  return own && !derivedShapes.some((shape) => shape.names.every((name) => names.includes(name)));
}

/** Classes that only wrap another object, with the member that contains it. */
const wrappers: ReadonlyMap<string, readonly string[]> = new Map([
  ["System.Collections.ObjectModel.Collection`1", ["items"]],
  ["System.Collections.ObjectModel.ReadOnlyCollection`1", ["list"]],
  ["System.Collections.ObjectModel.ObservableCollection`1", ["Collection`1+items"]],
  ["System.Collections.Specialized.StringCollection", ["data"]],
  ["System.Collections.Specialized.HybridDictionary", ["list", "hashtable"]],
  ["System.Collections.ObjectModel.ReadOnlyObservableCollection`1", ["ReadOnlyCollection`1+list"]],
  ["System.Collections.ObjectModel.ReadOnlyDictionary`2", ["m_dictionary", "_dictionary"]],
  ["System.Collections.Specialized.StringDictionary", ["contents"]],
  ["System.ComponentModel.BindingList`1", ["Collection`1+items"]],
  ["System.Nullable`1", ["value"]],
]);

/** The only members of classes that are derived from a collection which wraps another one, and add none. */
const derivedWrappers: ReadonlySet<string> = new Set([
  "Collection`1+items",
  "ReadOnlyCollection`1+list",
  "CollectionBase+list",
  "ReadOnlyCollectionBase+list",
  "DictionaryBase+hashtable",
]);

const wrappedNames = (plainName: string, names: readonly string[]): readonly string[] => {
  const known = wrappers.get(plainName);
  if (known !== undefined) return known;
  return names.length === 1 && derivedWrappers.has(names[0] ?? "") ? names : [];
};

/** The member that holds the wrapped object, or `undefined`. */
export function wrappedIn(view: ClassView): MemberNode | undefined {
  const names = wrappedNames(view.plainName, view.names);
  const members = names.map((name) => view.member(name));
  return members.find((member) => member !== undefined && member.kind !== "null" && member.kind !== "reference");
}
