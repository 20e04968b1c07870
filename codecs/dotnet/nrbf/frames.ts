import { type ArrayNode, type ClassDescription, type ClassNode, type MemberNode, elementCount } from "./nodes.ts";

/** A class or array whose members are being read. */
export interface OpenNode {
  readonly node: ClassNode | ArrayNode;
  readonly members: MemberNode[];
  /** Members still to come; a run of nulls counts as many as it stands for. */
  left: number;
}

/** Begins a class. */
export function openClass(
  offset: number,
  id: number,
  description: ClassDescription,
): OpenNode & { readonly node: ClassNode } {
  const members: MemberNode[] = [];
  const node = { kind: "class", offset, id, description, members } as const;
  return { node, members, left: description.memberNames.length };
}

/** Begins an array. */
export function openArray(node: Omit<ArrayNode, "elements">): OpenNode & { readonly node: ArrayNode } {
  const members: MemberNode[] = [];
  return { node: { ...node, elements: members }, members, left: elementCount(node.shape) };
}
