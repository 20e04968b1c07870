import type { ScalarKind } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";

/** A part of a contract. */
export type ContractNode = Readonly<Record<string, unknown>>;

/** The keywords of JSON Schema for scalars that it has. */
const plainTypes: Readonly<Partial<Record<ScalarKind, string>>> = {
  boolean: "boolean",
  double: "number",
  int: "integer",
  string: "string",
};

/** The node of a scalar. */
export function scalarNode(scalar: ScalarKind): ContractNode {
  const type = plainTypes[scalar];
  return type === undefined ? { "x-dotnet": scalar } : { type };
}

/** A node whose values may be null. */
export function nullableNode(node: ContractNode): ContractNode {
  const { type } = node;
  return { ...node, type: typeof type === "string" ? [type, "null"] : ["null"] };
}

/** A node with more hints; those without a value are left out. */
export function withHints(node: ContractNode, hints: Readonly<Record<string, unknown>>): ContractNode {
  const given = Object.entries(hints).filter(([, value]) => value !== undefined && value !== false);
  if (given.length === 0) return node;
  const own = node["x-dotnet"];
  const before = typeof own === "string" ? { type: own } : (own ?? {});
  return { ...node, "x-dotnet": { ...before, ...Object.fromEntries(given) } };
}

/** The root of a contract with its types; the most frequent namespace is that of types without one. */
export function wholeContract(root: ContractNode, definitions: ReadonlyMap<string, ContractNode>): ContractNode {
  const counts = new Map<string, number>();
  for (const node of definitions.values()) {
    const namespace = namespaceOf(node);
    if (namespace !== undefined) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  const [frequent] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const types = Array.from(definitions, ([name, node]) => [
    name,
    frequent === undefined ? node : without(node, frequent),
  ]);
  const head = withHints(root, { defaultNamespace: frequent });
  return definitions.size === 0 ? head : { ...head, $defs: Object.fromEntries(types) };
}

function namespaceOf(node: ContractNode): string | undefined {
  const hint = node["x-dotnet"];
  if (typeof hint !== "object" || hint === null || !("namespace" in hint)) return undefined;
  // Lists and dictionaries have a namespace of their own without one.
  if ("type" in hint && hint.type !== "enum") return undefined;
  return typeof hint.namespace === "string" ? hint.namespace : undefined;
}

function without(node: ContractNode, namespace: string): ContractNode {
  if (namespaceOf(node) !== namespace) return node;
  const hint = node["x-dotnet"];
  const rest = Object.entries(typeof hint === "object" && hint !== null ? hint : {}).filter(
    ([name]) => name !== "namespace",
  );
  if (rest.length > 0) return { ...node, "x-dotnet": Object.fromEntries(rest) };
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== "x-dotnet"));
}
