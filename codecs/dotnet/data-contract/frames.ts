import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { annotate, annotateDictionary, annotateRepeated } from "../../../src/core/values/annotations.ts";
import type { XmlElement, XmlNode } from "../xml/node.ts";
import { hasText } from "./element-facts.ts";
import type { ElementPlan } from "./plan.ts";
import { type ListShape, type ObjectShape, resolved, type ResolvedShape, type ContractShape } from "./shape.ts";

/** An object whose members are being read. */
export interface ObjectFrame {
  readonly kind: "object";
  /** Its members are inside. */
  element: XmlElement;
  bag: Record<string, unknown>;
  shape: ObjectShape | undefined;
  /** Names that have occurred more than once, and so are lists. */
  repeated: Set<string> | undefined;
  index: number;
}

/** A list whose items are being read. */
export interface ListFrame {
  readonly kind: "list";
  readonly children: readonly XmlNode[];
  readonly list: unknown[];
  readonly count: number;
  readonly shape: ContractShape | undefined;
  index: number;
}

/** A dictionary whose entries are being read. */
export interface EntriesFrame {
  readonly kind: "entries";
  readonly plan: Extract<ElementPlan, { readonly kind: "entries" }>;
  readonly target: Map<unknown, unknown> | Record<string, unknown>;
  /** The key whose value comes next; set after its own contents are read. */
  key: { readonly value: unknown } | undefined;
  index: number;
}

/** A container that is being filled. */
export type ContainerFrame = ObjectFrame | ListFrame | EntriesFrame;

/** The frame that fills a container, which {@link containerOf} returns; `spare` may be reused for it, since there are very many. */
export function openedFrame(
  plan: Exclude<ElementPlan, { readonly kind: "scalar" }>,
  shape: ResolvedShape | undefined,
  element: XmlElement,
  spare: ContainerFrame | undefined,
): ContainerFrame {
  switch (plan.kind) {
    case "object": {
      const members = shape?.kind === "object" ? shape : undefined;
      if (spare?.kind !== "object") {
        return { kind: "object", element, bag: emptyBag(), shape: members, repeated: undefined, index: 0 };
      }
      spare.element = element;
      spare.bag = emptyBag();
      spare.shape = members;
      spare.repeated = undefined;
      spare.index = 0;
      return spare;
    }
    case "list":
      return { kind: "list", children: plan.items, list: listOf(plan), count: plan.count, shape: plan.shape, index: 0 };
    default: {
      const target = plan.named ? annotateDictionary(emptyBag<unknown>()) : new Map<unknown, unknown>();
      return { kind: "entries", plan, target, key: undefined, index: 0 };
    }
  }
}

function listOf({ itemName }: Extract<ElementPlan, { readonly kind: "list" }>): unknown[] {
  return itemName === undefined ? [] : annotate([], { itemName });
}

/** The container that a frame fills. */
export function containerOf(frame: ContainerFrame): object {
  switch (frame.kind) {
    case "object":
      return frame.bag;
    case "list":
      return frame.list;
    default:
      return frame.target;
  }
}

/** Adds the members that XmlSerializer omits because they are null. */
export function fillNulls(bag: Record<string, unknown>, { xmlMembers }: ObjectShape): void {
  for (const { clrName, nullable } of xmlMembers) if (nullable && !(clrName in bag)) bag[clrName] = null;
}

/** Puts a member into its object; members of the same name become a list. Returns whether it is not the first of its name. */
export function place(frame: ObjectFrame, name: string, value: unknown): boolean {
  const { bag } = frame;
  if (!(name in bag)) {
    bag[name] = value;
    return false;
  }
  frame.repeated ??= new Set();
  const before = bag[name];
  if (frame.repeated.has(name) && Array.isArray(before)) before.push(value);
  else bag[name] = annotateRepeated([before, value]);
  frame.repeated.add(name);
  return true;
}

/**
 * Puts a member into its object; an earlier one of the same name is from a base class and becomes `+name`, or `2+name` if
 * that is taken, as in BinaryFormatter payloads.
 */
export function placeDerived({ bag }: ObjectFrame, name: string, value: unknown): void {
  if (name in bag) {
    let hidden = `+${name}`;
    for (let count = 2; hidden in bag; count++) hidden = `${count}+${name}`;
    bag[hidden] = bag[name];
  }
  bag[name] = value;
}

/** Whether the current element directly follows another one of the same name. */
export function followsAlike({ element, index }: ObjectFrame, { local, namespace }: XmlElement): boolean {
  for (let at = index - 2; at >= 0; at--) {
    const before = element.at(at);
    if (before?.kind === "element") return before.local === local && before.namespace === namespace;
    if (before?.kind === "array") return before.item.local === local;
  }
  return false;
}

/** Appends an item to a member that is a list. */
export function append({ bag }: ObjectFrame, name: string, value: unknown): void {
  const list = bag[name];
  if (Array.isArray(list)) list.push(value);
  else bag[name] = [value];
}

/** Whether an element is itself an item of a list, as XmlSerializer writes members that are marked as elements. */
export function isFlattened(element: XmlElement, { items }: ListShape): boolean {
  const shape = resolved(items);
  if (shape.kind !== "object") return hasText(element);
  const { clrName, byClrName } = shape;
  const itemName = clrName.slice(clrName.lastIndexOf(".") + 1);
  return element.children.some(
    (child) => child.kind === "element" && child.local !== itemName && byClrName.has(child.local),
  );
}
