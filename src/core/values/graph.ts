import { setMember } from "./plain-object.ts";
import { annotateDictionary } from "./annotations.ts";

/** A container that is still empty, and what is to be put into it. */
export interface ContainerPlan<N> {
  /** The container, or a value that holds no other. */
  readonly value: unknown;
  /** The contents of the container, in order; `undefined` for other values. */
  readonly children?: readonly N[];
  /** Puts the value of the child at `index` into the container; it may be a container that is not filled yet. */
  put?(this: void, value: unknown, index: number): void;
}

/** The answer of {@link GraphRules.leaf} for a node that is not a leaf. */
export const notLeaf: unique symbol = Symbol("not a leaf");

/** How {@link buildGraph} treats the nodes of one format. */
export interface GraphRules<N> {
  /** The value of a node that holds no others and is cheap to recreate, or {@link notLeaf}. */
  leaf(this: void, node: N): unknown;
  /** The node that stands for this one: the target of a reference, the content of a wrapper, or the node itself. */
  resolve(this: void, node: N): N;
  /** Makes the value of a node that is not a leaf; called once for each. */
  plan(node: N): ContainerPlan<N>;
  /** Containers that may lie in one another. */
  readonly maxDepth: number;
  /** The error for a container that lies deeper. */
  tooDeep(node: N): Error;
}

interface OpenContainer<N> {
  readonly children: readonly N[];
  readonly put: (value: unknown, index: number) => void;
  next: number;
}

/** Builds the value of a graph: each node once, so that what is shared stays shared and what is cyclic ends; without recursion. */
export function buildGraph<N extends object>(root: N, rules: GraphRules<N>): unknown {
  const built = new Map<N, unknown>();
  const open: OpenContainer<N>[] = [];
  const valueOf = (node: N): unknown => {
    const target = rules.resolve(node);
    const leaf = rules.leaf(target);
    if (leaf !== notLeaf) return leaf;
    const known = built.get(target);
    if (known !== undefined) return known;
    const { value, children, put = ignore } = rules.plan(target);
    built.set(target, value);
    if (children === undefined) return value;
    // Empty containers count, too.
    if (open.length >= rules.maxDepth) throw rules.tooDeep(target);
    if (children.length > 0) open.push({ children, put, next: 0 });
    return value;
  };
  const value = valueOf(root);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { children, put } = top;
    const level = open.length;
    // Containers that a child opens are filled first.
    while (top.next < children.length && open.length === level) {
      const index = top.next++;
      const child = children[index];
      if (child !== undefined) put(valueOf(child), index);
    }
    if (open.length === level) open.pop();
  }
  return value;
}

function ignore(): void {}

/** Plans a list: leaves are in it at once, `repeats` of them where a node stands for several, containers come later. */
export function planOfList<N>(
  items: readonly N[],
  { leaf, resolve }: Pick<GraphRules<N>, "leaf" | "resolve">,
  repeats: (node: N) => number = once,
): ContainerPlan<N> & { readonly value: unknown[] } {
  const list: unknown[] = [];
  const children: N[] = [];
  const places: number[] = [];
  for (const item of items) {
    const target = resolve(item);
    const value = leaf(target);
    if (value === notLeaf) {
      places.push(list.length);
      children.push(target);
    }
    for (let left = repeats(item); left > 0; left--) list.push(value);
  }
  const put = (value: unknown, index: number): void => {
    const place = places[index];
    if (place !== undefined) list[place] = value;
  };
  return { value: list, children, put };
}

/** Plans a map of keys and values in turn: an object marked as a dictionary when `named`, otherwise a Map. */
export function planOfEntries<N>(items: readonly N[], named: boolean): ContainerPlan<N> {
  let key: unknown;
  const members: Record<string, unknown> = {};
  const entries = new Map<unknown, unknown>();
  const put = (value: unknown, index: number): void => {
    if (index % 2 === 0) key = value;
    else if (named) setMember(members, String(key), value);
    else entries.set(key, value);
  };
  return { value: named ? annotateDictionary(members) : entries, children: items, put };
}

function once(): number {
  return 1;
}
