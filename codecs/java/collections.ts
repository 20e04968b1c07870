import type { ItemBudget } from "../../src/core/codec/binary/cursor.ts";
import { share } from "../../src/core/codec/binary/fixed-layout.ts";
import { malformed } from "./block-reader.ts";
import type { ContentNode, ObjectNode } from "./nodes.ts";
import { type FieldNode, ObjectView, targetOf } from "./object-view.ts";

/** The contents of a collection: a list's items, or a map's keys and values in turn. */
export interface JavaCollection {
  readonly kind: "list" | "map";
  readonly items: readonly FieldNode[];
}

type Collector = (view: ObjectView, budget: ItemBudget) => JavaCollection | undefined;

const list = (items: readonly FieldNode[] | undefined): JavaCollection | undefined => items && { kind: "list", items };
const map = (items: readonly FieldNode[] | undefined): JavaCollection | undefined => items && { kind: "map", items };

/** The objects that a class wrote; their number must match the count that it wrote. */
function counted(view: ObjectView, className: string, count: number | undefined, skipped = 0): readonly ContentNode[] {
  const items = view.written(className).slice(skipped);
  if (items.length !== count) throw malformed(className, view.node.offset);
  return items;
}

/** Items after their count, which is at offset `at` of the block data; `before` objects precede them. */
const blockList =
  (className: string, at: number, before = 0): Collector =>
  (view) =>
    list(counted(view, className, view.writtenInt(className, at), before));

const blockMap =
  (className: string, at: number): Collector =>
  (view) =>
    map(counted(view, className, (view.writtenInt(className, at) ?? Number.NaN) * 2));

/** Items terminated by a `null`. */
const endedList =
  (className: string): Collector =>
  (view) => {
    const items = view.written(className);
    const end = items.findIndex(({ kind }) => kind === "null");
    return list(items.slice(0, end === -1 ? items.length : end));
  };

/** Keys and values terminated by a `null` key. */
const endedMap =
  (className: string): Collector =>
  (view) => {
    const items = view.written(className);
    let end = 0;
    while (end + 1 < items.length && items[end]?.kind !== "null") end += 2;
    return map(items.slice(0, end));
  };

function vector(view: ObjectView): JavaCollection | undefined {
  const count = view.int("elementCount");
  const elements = view.elements("elementData");
  if (count === undefined || elements === undefined) return undefined;
  if (count < 0 || count > elements.length) throw malformed("java.util.Vector", view.node.offset);
  return list(elements.slice(0, count));
}

/** Items in a ring buffer. */
function arrayBlockingQueue(view: ObjectView): JavaCollection | undefined {
  const elements = view.elements("items");
  const count = view.int("count");
  const first = view.int("takeIndex");
  if (elements === undefined || count === undefined || first === undefined) return undefined;
  if (count < 0 || count > elements.length || first < 0 || first >= Math.max(elements.length, 1)) {
    throw malformed("java.util.concurrent.ArrayBlockingQueue", view.node.offset);
  }
  return list([...elements.slice(first), ...elements.slice(0, first)].slice(0, count));
}

function copies(view: ObjectView, budget: ItemBudget): JavaCollection | undefined {
  const count = view.int("n");
  const element = view.field("element");
  if (count === undefined || element === undefined) return undefined;
  if (count < 0) throw malformed("java.util.Collections$CopiesList", view.node.offset);
  // Counted before they are created. Items that take no bytes count four times: three times here, and once like those of any collection.
  budget.count(count * 3, view.node.offset);
  return list(Array.from({ length: count }, () => element));
}

/** The serial proxy of `List.of`, `Set.of` and `Map.of`. */
function immutable(view: ObjectView): JavaCollection | undefined {
  const name = "java.util.CollSer";
  const items = counted(view, name, view.writtenInt(name, 0));
  const tag = (view.int("tag") ?? 0) & 0xff;
  if (tag === 3 && items.length % 2 === 1) throw malformed(name, view.node.offset);
  return tag === 3 ? map(items) : tag >= 1 && tag <= 4 ? list(items) : undefined;
}

const present = (...items: readonly (FieldNode | undefined)[]): readonly FieldNode[] | undefined => {
  const found = items.filter((item) => item !== undefined);
  return found.length === items.length ? found : undefined;
};

const util = "java.util.";
const concurrent = "java.util.concurrent.";
const hashMap = blockMap(`${util}HashMap`, 4);
const hashtable = blockMap(`${util}Hashtable`, 4);
const hashSet = blockList(`${util}HashSet`, 8);
const ended = [
  "ConcurrentLinkedQueue",
  "ConcurrentLinkedDeque",
  "LinkedBlockingQueue",
  "LinkedBlockingDeque",
  "LinkedTransferQueue",
];

/** Collections by their class, each in the serialized form of its documentation. */
const collectors: ReadonlyMap<string, Collector> = new Map<string, Collector>([
  [`${util}ArrayList`, (view) => list(counted(view, `${util}ArrayList`, view.int("size")))],
  [`${util}LinkedList`, blockList(`${util}LinkedList`, 0)],
  [`${util}ArrayDeque`, blockList(`${util}ArrayDeque`, 0)],
  [`${util}PriorityQueue`, (view) => list(counted(view, `${util}PriorityQueue`, view.int("size")))],
  [`${util}Vector`, vector],
  [`${util}Stack`, vector],
  [`${util}Arrays$ArrayList`, (view) => list(view.elements("a"))],
  [`${util}HashSet`, hashSet],
  [`${util}LinkedHashSet`, hashSet],
  [`${util}TreeSet`, blockList(`${util}TreeSet`, 0, 1)],
  [`${util}EnumSet$SerializationProxy`, (view) => list(view.elements("elements"))],
  [`${util}CollSer`, immutable],
  [`${util}Collections$EmptyList`, () => list([])],
  [`${util}Collections$EmptySet`, () => list([])],
  [`${util}Collections$EmptyMap`, () => map([])],
  [`${util}Collections$SingletonList`, (view) => list(present(view.field("element")))],
  [`${util}Collections$SingletonSet`, (view) => list(present(view.field("element")))],
  [`${util}Collections$SingletonMap`, (view) => map(present(view.field("k"), view.field("v")))],
  [`${util}Collections$CopiesList`, copies],
  [`${concurrent}CopyOnWriteArrayList`, blockList(`${concurrent}CopyOnWriteArrayList`, 0)],
  [`${concurrent}ArrayBlockingQueue`, arrayBlockingQueue],
  ...ended.map((name): [string, Collector] => [`${concurrent}${name}`, endedList(`${concurrent}${name}`)]),
  [`${util}HashMap`, hashMap],
  [`${util}LinkedHashMap`, hashMap],
  [`${util}Hashtable`, hashtable],
  // With defaults, it is more than its own entries, so it stays an object.
  [
    `${util}Properties`,
    (view, budget) => (view.field("defaults")?.kind === "object" ? undefined : hashtable(view, budget)),
  ],
  [`${util}TreeMap`, blockMap(`${util}TreeMap`, 0)],
  [`${util}EnumMap`, blockMap(`${util}EnumMap`, 0)],
  [`${util}IdentityHashMap`, blockMap(`${util}IdentityHashMap`, 0)],
  [`${concurrent}ConcurrentHashMap`, endedMap(`${concurrent}ConcurrentHashMap`)],
  [`${concurrent}ConcurrentSkipListMap`, endedMap(`${concurrent}ConcurrentSkipListMap`)],
]);

/** The contents of a collection, or `undefined` for any other object. */
export function collectedOf(node: ObjectNode, budget: ItemBudget): JavaCollection | undefined {
  const set = keySets.get(node.description.name);
  if (set !== undefined) {
    const inner = new ObjectView(node).field(set);
    const entries = inner?.kind === "object" ? plainlyCollected(inner, budget) : undefined;
    return entries?.kind === "map" ? list(entries.items.filter((_, index) => index % 2 === 0)) : undefined;
  }
  return plainlyCollected(node, budget);
}

function plainlyCollected(node: ObjectNode, budget: ItemBudget): JavaCollection | undefined {
  const name = collectionClass(node);
  return name === undefined ? undefined : collectors.get(name)?.(new ObjectView(node), budget);
}

/** The collection class of an object: its own class, or a base class to which derived classes add nothing. */
function collectionClass({ parts }: ObjectNode): string | undefined {
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at];
    if (part === undefined) return undefined;
    if (collectors.has(part.description.name)) return part.description.name;
    if (part.values.length > 0 || part.annotations.length > 0) return undefined;
  }
  return undefined;
}

/** Whether a class is neither a collection nor a wrapper of one. */
export function isOrdinary(name: string): boolean {
  return !collectors.has(name) && !keySets.has(name) && !wrappers.has(name);
}

/** Sets that store their elements as the keys of a map in this field. */
const keySets: ReadonlyMap<string, string> = new Map([
  [`${concurrent}ConcurrentSkipListSet`, "m"],
  [`${concurrent}ConcurrentHashMap$KeySetView`, "map"],
  [`${util}Collections$SetFromMap`, "m"],
]);

/** Classes that only wrap a collection, with the field that contains it. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ...["Unmodifiable", "Synchronized", "Checked"].flatMap((kind) =>
    [
      ["Collection", "c"],
      ["Set", "c"],
      ["SortedSet", "c"],
      ["NavigableSet", "c"],
      ["Queue", "c"],
      ["List", "c"],
      ["RandomAccessList", "c"],
      ["Map", "m"],
      ["SortedMap", "m"],
      ["NavigableMap", "m"],
    ].map(([what, field]): [string, string] => [`${util}Collections$${kind}${what}`, `${field}`]),
  ),
  [`${util}Collections$CheckedQueue`, "queue"],
  [`${concurrent}CopyOnWriteArraySet`, "al"],
  [`${concurrent}PriorityBlockingQueue`, "q"],
]);

/** Maximum number of nested wrappers: real senders use fewer, and long chains would be traversed repeatedly. */
const maxWrappers = 16;

/** The collection inside all wrappers; for cyclic wrappers, one of them. */
export function unwrapped(node: FieldNode): FieldNode {
  let at = targetOf(node) ?? node;
  for (let passed = 0; at.kind === "object" && passed < maxWrappers; passed++) {
    const field = wrappers.get(at.description.name);
    const inner = field === undefined ? undefined : new ObjectView(at).field(field);
    if (inner?.kind !== "object" || inner === at) break;
    share(inner);
    at = inner;
  }
  return at;
}
