import { memo } from "../../src/core/values/memo.ts";
import { setMember } from "../../src/core/values/plain-object.ts";
import { ItemBudget } from "../../src/core/codec/binary/cursor.ts";
import { share } from "../../src/core/codec/binary/fixed-layout.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { annotate, annotateDouble, SharedMark } from "../../src/core/values/annotations.ts";
import { EnumValue } from "../../src/core/values/enum-value.ts";
import { buildGraph, notLeaf, type ContainerPlan, planOfEntries, planOfList } from "../../src/core/values/graph.ts";
import { ContentStream } from "../../src/core/values/multi-array.ts";
import { ClassName } from "../../src/core/values/named-text.ts";
import { joinBlocks } from "./block-reader.ts";
import { collectedOf, isOrdinary, unwrapped } from "./collections.ts";
import type {
  BlockDataNode,
  ClassDescriptionNode,
  ContentNode,
  ObjectNode,
  ObjectPart,
  PrimitiveArrayNode,
} from "./nodes.ts";
import { type FieldNode, spelledOut, targetOf } from "./object-view.ts";
import { type JavaPlainLayout, PlainObject } from "./plain-object.ts";
import type { JavaStream } from "./read-stream.ts";
import { charOf, isScalarClass, type JavaSettings, primitivesOf, scalarOf } from "./scalars.ts";

/** All top-level contents of a stream, as one node. */
interface StreamNode {
  readonly kind: "stream";
  readonly offset: number;
  readonly contents: readonly ContentNode[];
}

type JavaValueNode = FieldNode | StreamNode;

/** The value of a stream: that of its only object, or a `ContentStream` for several contents or block data. */
export function valueOfStream(
  { contents }: JavaStream,
  limits: DecodeLimits,
  { timeZone, warnings }: Pick<JavaSettings, "timeZone" | "warnings">,
): unknown {
  const kept = joined(spelledOut(withoutResets(contents)));
  const [only] = kept;
  const single = contents.length === 1 && kept.length === 1 && only !== undefined && only.kind !== "block-data";
  const root: JavaValueNode = single ? only : { kind: "stream", offset: 0, contents: kept };
  const planner = new JavaPlanner({ budget: new ItemBudget(limits), timeZone, warnings });
  return buildGraph<JavaValueNode>(root, {
    ...planner.nodes,
    plan: (node) => planner.plan(node),
    // The stream itself does not count as a level.
    maxDepth: limits.maxDepth + (single ? 0 : 1),
    tooDeep: ({ offset }) => limitExceeded("maxDepth", limits, { offset }),
  });
}

const typeMark = (description: ClassDescriptionNode): SharedMark => {
  const doubles = doublesOf(description);
  return new SharedMark({ typeName: description.name, ...(doubles.size > 0 ? { doubles } : {}) });
};

/** The names and mark shared by all objects of a layout. */
interface LayoutNames {
  readonly names: readonly string[];
  readonly mark: SharedMark;
}

function leafOf(node: JavaValueNode): unknown {
  switch (node.kind) {
    case "null":
    case "reset":
      return null;
    case "primitive":
      return node.code === "C" ? charOf(String(node.value)) : node.value;
    case "string":
      return node.value;
    default:
      return notLeaf;
  }
}

class JavaPlanner {
  readonly #settings: JavaSettings;
  readonly #budget: ItemBudget;
  readonly #places = new Map<ClassDescriptionNode, readonly FieldPlace[]>();
  readonly #marks = new Map<ClassDescriptionNode, SharedMark>();
  readonly #classes = new Map<JavaPlainLayout, LayoutNames | undefined>();

  constructor(settings: JavaSettings) {
    this.#settings = settings;
    this.#budget = settings.budget;
  }

  readonly nodes = {
    leaf: (node: JavaValueNode): unknown =>
      node instanceof PlainObject && !node.isShared ? this.#plain(node) : leafOf(node),
    resolve: (node: JavaValueNode): JavaValueNode =>
      (node.kind === "object" && !(node instanceof PlainObject)) || node.kind === "reference" ? unwrapped(node) : node,
  };

  plan(node: JavaValueNode): ContainerPlan<JavaValueNode> {
    switch (node.kind) {
      case "block-data":
        return { value: node.bytes };
      case "class":
        return { value: new ClassName(node.description.name) };
      case "class-description":
        return { value: new ClassName(node.name) };
      case "enum":
        return { value: new EnumValue(node.constant) };
      case "primitive-array":
        return { value: doublesIn(node) };
      case "array":
        return planOfList<JavaValueNode>(node.elements, this.nodes, (item) => (item.kind === "null" ? item.count : 1));
      case "stream": {
        // Allocates all of it at once: growing takes three times as much memory.
        const contents: unknown[] = node.contents.slice();
        const put = (value: unknown, index: number): void => {
          contents[index] = value;
        };
        return { value: new ContentStream(contents), children: node.contents, put };
      }
      case "object":
        return this.#object(node);
      default:
        return { value: leafOf(node) };
    }
  }

  /** The value of an object with primitive fields to which nothing else refers, so that it need not be remembered. */
  #plain(node: PlainObject): unknown {
    const { layout, start } = node;
    let plain = this.#classes.get(layout);
    if (plain === undefined) {
      if (!this.#classes.has(layout)) this.#classes.set(layout, this.#classOf(node));
      plain = this.#classes.get(layout);
    }
    if (plain === undefined) return scalarOf(node, this.#settings) ?? notLeaf;
    const { names, mark } = plain;
    const value: Record<string, unknown> = mark.on({});
    const { types, places, cursor } = layout;
    for (let index = 0; index < types.length; index++) {
      const code = types[index];
      if (code === undefined) continue;
      const inner = cursor.valueAt(code, start + (places[index] ?? 0));
      setMember(value, names[index] ?? "", code === "C" ? charOf(String(inner)) : inner);
    }
    return value;
  }

  /** The names and mark of an object without annotations. */
  #classOf(node: PlainObject): LayoutNames | undefined {
    const names = namesOf(node);
    return names && { names, mark: this.#markOf(node.description) };
  }

  #object(node: ObjectNode): ContainerPlan<JavaValueNode> {
    const scalar = scalarOf(node, this.#settings);
    if (scalar !== undefined) return { value: scalar };
    const collected = collectedOf(node, this.#budget);
    if (collected === undefined) return this.#members(node);
    // Many collections can share the array that holds their items, and the items themselves.
    for (const item of collected.items) share(item);
    this.#budget.count(collected.items.length, node.offset);
    return collected.kind === "list" ? planOfList<JavaValueNode>(collected.items, this.nodes) : mapOf(collected.items);
  }

  /** An object with its fields as members; hidden fields and data appended by `writeObject` become annotations. */
  #members(node: ObjectNode): ContainerPlan<JavaValueNode> {
    const value: Record<string, unknown> = {};
    const hidden: Record<string, unknown> = {};
    const data: unknown[] = [];
    if (node.description.interfaces !== undefined) {
      this.#budget.count(node.description.interfaces.length, node.offset);
      const interfaces = node.description.interfaces.map((name) => new ClassName(name));
      setMember(value, "interfaces", interfaces);
    }
    const places = this.#placesOf(node);
    const [first] = node.parts;
    const fields =
      node.parts.length === 1 && first ? fieldsOf(first, node) : node.parts.flatMap((part) => fieldsOf(part, node));
    const annotated = node.parts.some(({ annotations }) => annotations.length > 0);
    if (!annotated && !places.some(({ hiddenBy }) => hiddenBy !== undefined)) {
      this.#markOf(node.description).on(value);
      return { value, children: fields, put: (inner, index) => setMember(value, places[index]?.name ?? "", inner) };
    }
    const appended = annotated ? node.parts.flatMap(({ annotations }) => joined(spelledOut(annotations))) : [];
    const hiding = new Map<string, Record<string, unknown>>();
    for (const { hiddenBy } of places) if (hiddenBy !== undefined) hiding.set(hiddenBy, {});
    for (const [className, members] of hiding) setMember(hidden, className, members);
    annotate(value, {
      typeName: node.description.name,
      ...(annotated ? { data } : {}),
      ...(hiding.size > 0 ? { superMembers: hidden } : {}),
    });
    const put = (inner: unknown, index: number): void => {
      const place = places[index];
      if (place === undefined) data.push(inner);
      else setMember(hiding.get(place.hiddenBy ?? "") ?? value, place.name, inner);
    };
    return { value, children: annotated ? [...fields, ...appended] : fields, put };
  }

  #markOf(description: ClassDescriptionNode): SharedMark {
    return memo(this.#marks, description, typeMark);
  }

  #placesOf(node: ObjectNode): readonly FieldPlace[] {
    // If writeObject left out fields, the places of this object differ from those of its class.
    if (node.parts.some(({ description, values }) => values.length < description.fields.length)) {
      return placesOf({ ...node, parts: node.parts.filter(({ values }) => values.length > 0) });
    }
    return memo(this.#places, node.description, () => placesOf(node));
  }
}

/** The values of an array of primitives, marked if they are floating-point numbers. */
function doublesIn(node: PrimitiveArrayNode): unknown {
  const values = primitivesOf(node);
  return node.code === "D" || node.code === "F" ? annotateDouble(values) : values;
}

/** The fields of a class and its base classes that are floating-point numbers. */
function doublesOf(description: ClassDescriptionNode): Set<unknown> {
  const names = new Set<unknown>();
  const seen = new Set<ClassDescriptionNode>();
  for (let at: ClassDescriptionNode | undefined = description; at !== undefined && !seen.has(at); at = at.superClass) {
    seen.add(at);
    for (const { name, code } of at.fields) if (code === "D" || code === "F") names.add(name);
  }
  return names;
}

/** The names of an object's members, if it has no annotations. */
function namesOf(node: PlainObject): readonly string[] | undefined {
  const { chain, description } = node.layout;
  if (isScalarClass(description.name) || !chain.every(({ name }) => isOrdinary(name))) return undefined;
  const places = placesOf(node);
  return places.every(({ hiddenBy }) => hiddenBy === undefined) ? places.map(({ name }) => name) : undefined;
}

/** The fields of a class; a `Throwable` without a cause refers to itself as its cause. */
function fieldsOf({ description, values }: ObjectPart, node: ObjectNode): readonly FieldNode[] {
  if (description.name !== "java.lang.Throwable") return values;
  return values.map((value) => (targetOf(value) === node ? { kind: "null", offset: value.offset, count: 1 } : value));
}

function mapOf(items: readonly FieldNode[]): ContainerPlan<JavaValueNode> {
  const named = items.every((item, index) => index % 2 === 1 || targetOf(item)?.kind === "string");
  return planOfEntries<JavaValueNode>(items, named);
}

function withoutResets(contents: readonly ContentNode[]): readonly ContentNode[] {
  return contents.some(({ kind }) => kind === "reset") ? contents.filter(({ kind }) => kind !== "reset") : contents;
}

/** Contents in which adjacent block data is merged. */
function joined(contents: readonly ContentNode[]): readonly ContentNode[] {
  if (!contents.some(({ kind }) => kind === "block-data")) return contents;
  const result: ContentNode[] = [];
  let blocks: BlockDataNode[] = [];
  const flush = (): void => {
    const [first] = blocks;
    if (first !== undefined && blocks.length > 1) {
      const bytes = joinBlocks(blocks);
      result.push({ kind: "block-data", offset: first.offset, length: bytes.length, bytes });
    } else if (first !== undefined) result.push(first);
    blocks = [];
  };
  for (const content of contents) {
    if (content.kind === "block-data") blocks.push(content);
    else {
      flush();
      result.push(content);
    }
  }
  flush();
  return result;
}

/** The destination of a field's value. */
interface FieldPlace {
  readonly name: string;
  /** The class that declares it, when a derived class has a field of the same name; `undefined` for visible fields. */
  readonly hiddenBy: string | undefined;
}

/** The destinations of an object's field values, in the order of its parts; the same for all objects of a class. */
function placesOf({ parts }: ObjectNode): readonly FieldPlace[] {
  const owners = new Map<string, ClassDescriptionNode>();
  for (const { description } of parts) for (const { name } of description.fields) owners.set(name, description);
  return parts.flatMap(({ description }) =>
    description.fields.map(({ name }) => ({
      name,
      hiddenBy: owners.get(name) === description ? undefined : description.name,
    })),
  );
}
