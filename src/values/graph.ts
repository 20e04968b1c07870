/** What a node of a graph becomes. */
export interface Plan<N> {
  /** The value; of a container, empty still. */
  readonly value: unknown;
  /** What the container holds, in order. */
  readonly children?: readonly N[];
  /** Puts the value of the child at `index` into the container; it may be a container that is not filled yet. */
  put?(this: void, value: unknown, index: number): void;
}

/** How {@link buildGraph} treats the nodes of one format. */
export interface GraphRules<N> {
  /** The node that stands for this one: the target of a reference, the content of a wrapper, or the node itself. */
  resolve(node: N): N;
  /** Makes the value of a node; called once for each node. */
  plan(node: N): Plan<N>;
  /** Containers that may lie in one another. */
  readonly maxDepth: number;
  /** The error for a container that lies deeper. */
  tooDeep(node: N): Error;
}

interface Open<N> {
  readonly plan: Plan<N>;
  readonly children: readonly N[];
  next: number;
}

/** Builds the value of a graph: each node once, so that what is shared stays shared and what is cyclic ends; without recursion. */
export function buildGraph<N extends object>(root: N, rules: GraphRules<N>): unknown {
  const built = new Map<N, unknown>();
  const open: Open<N>[] = [];
  const valueOf = (node: N): unknown => {
    const target = rules.resolve(node);
    if (built.has(target)) return built.get(target);
    const plan = rules.plan(target);
    built.set(target, plan.value);
    if (plan.children !== undefined && plan.children.length > 0) {
      if (open.length >= rules.maxDepth) throw rules.tooDeep(target);
      open.push({ plan, children: plan.children, next: 0 });
    }
    return plan.value;
  };
  const value = valueOf(root);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const index = top.next++;
    const child = top.children[index];
    if (child === undefined) open.pop();
    else top.plan.put?.(valueOf(child), index);
  }
  return value;
}

/** Sets an own member, whatever its name. */
export function setMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
