import { propertyName } from "../data-contract/element-facts.ts";
import { memo } from "../../../src/core/values/memo.ts";
import { setMember } from "../../../src/core/values/plain-object.ts";
import { ItemBudget } from "../../../src/core/codec/binary/cursor.ts";
import { share } from "../../../src/core/codec/binary/fixed-layout.ts";
import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import { buildGraph, notLeaf, type ContainerPlan, planOfEntries, planOfList } from "../../../src/core/values/graph.ts";
import { annotateDouble, SharedMark } from "../../../src/core/values/annotations.ts";
import { MultiArray } from "../../../src/core/values/multi-array.ts";
import { ClassView, plainNameOf, targetOf } from "./class-view.ts";
import { collectedOf, isOrdinary, type ItemNode, wrappedIn } from "./collections.ts";
import type {
  NrbfArrayNode,
  ClassDescription,
  NrbfClassNode,
  NrbfDocument,
  NrbfPrimitiveArrayNode,
  PrimitiveType,
} from "./nodes.ts";
import { NrbfPlainClass, type NrbfPlainLayout } from "./plain-class.ts";
import { isScalarClass, primitiveOf, scalarOf } from "./scalars.ts";
import type { ValueSettings } from "./value-settings.ts";

/** Options of the reader that apply to all payloads. */
export type DeclaredSettings = Omit<ValueSettings, "budget" | "limits" | "warnings">;

/** The value of a payload. @throws SobreError for collections with inconsistent fields, and beyond the limits. */
export function valueOfDocument(
  document: NrbfDocument,
  declared: DeclaredSettings,
  limits: DecodeLimits,
): { readonly body: unknown; readonly warnings: readonly string[] } {
  const settings: ValueSettings = { ...declared, limits, budget: new ItemBudget(limits), warnings: new Set() };
  const planner = new NrbfPlanner(document, settings);
  const body = buildGraph<ItemNode>(document.root, {
    leaf: planner.leaf,
    resolve: planner.resolve,
    plan: (node) => planner.plan(node),
    maxDepth: limits.maxDepth,
    tooDeep: ({ offset }) => limitExceeded("maxDepth", limits, { offset }),
  });
  return { body, warnings: [...settings.warnings] };
}

/** Maximum number of nested wrappers: real senders use fewer, and long chains would be traversed repeatedly. */
const maxWrappers = 16;

class NrbfPlanner {
  readonly #document: NrbfDocument;
  readonly #settings: ValueSettings;
  readonly #shown = new Map<ClassDescription, readonly string[]>();
  readonly #classes = new Map<NrbfPlainLayout, ShownClass | undefined>();
  readonly #marks = new Map<ClassDescription, SharedMark>();

  constructor(document: NrbfDocument, settings: ValueSettings) {
    this.#document = document;
    this.#settings = settings;
  }

  /** The object behind all references and wrappers; for cyclic wrappers, one of them. */
  readonly resolve = (node: ItemNode): ItemNode => {
    if (node.kind !== "class" && node.kind !== "reference") return node;
    if (node instanceof NrbfPlainClass && this.#classOf(node.layout) !== undefined) return node;
    let at: ItemNode = targetOf(node, this.#document);
    for (let passed = 0; at.kind === "class" && passed < maxWrappers; passed++) {
      const inner = wrappedIn(new ClassView(at, this.#document));
      if (inner === undefined) break;
      share(inner);
      at = inner;
    }
    return at;
  };

  readonly leaf = (node: ItemNode): unknown => {
    switch (node.kind) {
      case "null":
      // A dangling reference has already been refused.
      case "reference":
        return null;
      case "string":
        return node.value;
      case "primitive":
        return primitiveOf(node.type, node.value, this.#settings);
      case "elements":
        return this.#element(node.array, node.index);
      case "class":
        return node instanceof NrbfPlainClass && !node.isShared ? this.#plain(node) : notLeaf;
      default:
        return notLeaf;
    }
  };

  /** The value of an object with primitive members to which nothing refers, so that it need not be remembered. */
  #plain(node: NrbfPlainClass): unknown {
    const { layout, start } = node;
    const shown = this.#classOf(layout);
    if (shown === undefined) return scalarOf(new ClassView(node, this.#document), this.#settings) ?? notLeaf;
    const { names, mark } = shown;
    const value: Record<string, unknown> = mark.on({});
    const { types, places, cursor } = layout;
    for (let index = 0; index < types.length; index++) {
      const type = types[index];
      if (type === undefined) continue;
      const inner = cursor.fixedAt(type, start + (places[index] ?? 0));
      setMember(value, names[index] ?? "", primitiveOf(type, inner, this.#settings));
    }
    return value;
  }

  /** The names and mark of the objects of a layout, if they have no annotations. */
  #classOf(layout: NrbfPlainLayout): ShownClass | undefined {
    const known = this.#classes.get(layout);
    if (known !== undefined || this.#classes.has(layout)) return known;
    const { description } = layout;
    const { memberNames } = description;
    const plainName = plainNameOf(description);
    const ordinary = !isScalarClass(plainName, memberNames) && isOrdinary(plainName, memberNames);
    const shown = ordinary ? { names: this.#memberNames(description), mark: this.#markOf(description) } : undefined;
    this.#classes.set(layout, shown);
    return shown;
  }

  plan(node: ItemNode): ContainerPlan<ItemNode> {
    switch (node.kind) {
      case "primitive-array":
        return { value: shaped(node, this.#primitives(node)) };
      case "array": {
        const list = planOfList<ItemNode>(node.elements, this, (item) => (item.kind === "null" ? item.count : 1));
        return { ...list, value: shaped(node, list.value) };
      }
      case "class":
        return this.#class(node);
      default:
        return { value: this.leaf(node) };
    }
  }

  #class(node: NrbfClassNode): ContainerPlan<ItemNode> {
    const settings = this.#settings;
    const view = new ClassView(node, this.#document);
    const scalar = scalarOf(view, settings);
    if (scalar !== undefined) return { value: scalar };
    const collected = collectedOf(view);
    if (collected?.kind === "primitives") {
      const { array, count } = collected;
      settings.budget.count(count, node.offset);
      const items = Array.from({ length: count }, (_, index) => this.#element(array, index));
      return { value: isDouble(array.type) ? annotateDouble(items) : items };
    }
    if (collected !== undefined) {
      // Many collections can share the array that holds their items, and the items themselves.
      for (const item of collected.items) share(item);
      settings.budget.count(collected.items.length, node.offset);
      return collected.kind === "map" ? this.#map(collected.items) : planOfList<ItemNode>(collected.items, this);
    }
    const { description } = node;
    const value: Record<string, unknown> = this.#markOf(description).on({});
    const names = this.#memberNames(description);
    return { value, children: node.members, put: (member, index) => setMember(value, names[index] ?? "", member) };
  }

  /** The names of an object's members in its value. */
  #memberNames(description: ClassDescription): readonly string[] {
    return memo(this.#shown, description, ({ memberNames }) =>
      distinct(this.#settings.memberNames === "property" ? propertyNames(memberNames) : memberNames),
    );
  }

  #markOf(description: ClassDescription): SharedMark {
    return memo(this.#marks, description, () => typeMark(description, this.#memberNames(description)));
  }

  #map(items: readonly ItemNode[]): ContainerPlan<ItemNode> {
    return planOfEntries(
      items,
      items.every((item, index) => index % 2 === 1 || this.resolve(item).kind === "string"),
    );
  }

  #primitives({ type, values }: NrbfPrimitiveArrayNode): unknown {
    if (values instanceof Uint8Array) return values;
    const items = values.map((value) => primitiveOf(type, value, this.#settings));
    return isDouble(type) ? annotateDouble(items) : items;
  }

  #element({ type, values }: NrbfPrimitiveArrayNode, index: number): unknown {
    const value = values[index];
    return value === undefined ? null : primitiveOf(type, value, this.#settings);
  }
}

/** The names and mark shared by all objects of a class. */
interface ShownClass {
  readonly names: readonly string[];
  readonly mark: SharedMark;
}

function typeMark({ typeName, memberTypes = [] }: ClassDescription, names: readonly string[]): SharedMark {
  const doubles = new Set<unknown>(
    memberTypes.flatMap((type, index) => (type.kind === "primitive" && isDouble(type.primitive) ? [names[index]] : [])),
  );
  return new SharedMark({ typeName, ...(doubles.size > 0 ? { doubles } : {}) });
}

function isDouble(type: PrimitiveType): boolean {
  return type === "Double" || type === "Single";
}

/** A multidimensional array as such; a one-dimensional one as its values, whatever its lower bound. */
function shaped({ shape }: NrbfArrayNode | NrbfPrimitiveArrayNode, values: unknown): unknown {
  if (shape.lengths.length === 1) return values;
  const list = values instanceof Uint8Array ? [...values] : Array.isArray(values) ? values : [];
  return new MultiArray(shape.lengths, list);
}

/** Names with `<Name>k__BackingField` as `Name`, unless that would hide another. */
function propertyNames(names: readonly string[]): readonly string[] {
  const short = names.map(propertyName);
  return new Set(short).size === names.length ? short : names;
}

/**
 * The names, those that came already as `+name`, then `2+name`: a public field that a class hides with `new` is written
 * after the one that hides it, as private fields of base classes are as `Base+name`.
 */
function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  if (taken.size === names.length) return names;
  const counts = new Map<string, number>();
  return names.map((name) => {
    let count = counts.get(name) ?? 0;
    const numbered = (): string => (count === 0 ? name : `${count === 1 ? "" : count}+${name}`);
    while (count > 0 && taken.has(numbered())) count++;
    counts.set(name, count + 1);
    return numbered();
  });
}
