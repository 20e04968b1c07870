import { type DecodeLimits, limitExceeded } from "../../src/codec/limits.ts";
import { annotate, ClassName, ContentStream, EnumValue } from "../../src/values/index.ts";
import { buildGraph, type Plan, setMember } from "../../src/values/graph.ts";
import { joinBlocks } from "./block-reader.ts";
import { collectedOf, unwrapped } from "./collections.ts";
import { primitiveSizes } from "./cursor.ts";
import type { BlockDataNode, ContentNode, ObjectNode, PrimitiveArrayNode } from "./nodes.ts";
import { type FieldNode, targetOf } from "./object-view.ts";
import type { JavaStream } from "./read-stream.ts";
import { charOf, scalarOf } from "./scalars.ts";

/** All top-level contents of a stream, as one node. */
interface StreamNode {
  readonly kind: "stream";
  readonly offset: number;
  readonly contents: readonly ContentNode[];
}

type ValueNode = FieldNode | StreamNode;

/** The value of a stream: of its one object, or a `ContentStream` of several contents or of block data. */
export function valueOfStream({ contents }: JavaStream, limits: DecodeLimits): unknown {
  const kept = joined(contents.filter(({ kind }) => kind !== "reset"));
  const [only] = kept;
  const single = kept.length === 1 && only !== undefined && only.kind !== "block-data" && contents.length === 1;
  const root: ValueNode = single ? only : { kind: "stream", offset: 0, contents: kept };
  let items = 0;
  const spend = (more: number, offset: number): void => {
    items += more;
    if (items > limits.maxItems) throw limitExceeded("maxItems", limits, { offset });
  };
  return buildGraph<ValueNode>(root, {
    resolve: (node) => (node.kind === "stream" ? node : unwrapped(node)),
    plan: (node) => planOf(node, spend),
    // The stream itself is no level.
    maxDepth: limits.maxDepth + (single ? 0 : 1),
    tooDeep: ({ offset }) => limitExceeded("maxDepth", limits, { offset }),
  });
}

type Spend = (items: number, offset: number) => void;

function planOf(node: ValueNode, spend: Spend): Plan<ValueNode> {
  switch (node.kind) {
    case "null":
    case "reset":
      return { value: null };
    case "primitive":
      return { value: node.code === "C" ? charOf(`${node.value}`) : node.value };
    case "string":
      return { value: node.value };
    case "block-data":
      return { value: node.bytes };
    case "class":
      return { value: new ClassName(node.description.name) };
    case "class-description":
      return { value: new ClassName(node.name) };
    case "enum":
      return { value: new EnumValue(node.constant) };
    case "primitive-array":
      return { value: primitives(node) };
    case "array":
      return listOf(node.elements);
    case "stream": {
      const contents: unknown[] = [];
      return {
        value: new ContentStream(contents),
        children: node.contents,
        put: (value) => void contents.push(value),
      };
    }
    case "object":
      return planOfObject(node, spend);
    case "reference":
      return { value: null };
    default:
      return node satisfies never;
  }
}

function listOf(items: readonly FieldNode[]): Plan<ValueNode> {
  const list: unknown[] = [];
  return { value: list, children: items, put: (value) => void list.push(value) };
}

function mapOf(items: readonly FieldNode[]): Plan<ValueNode> {
  const named = items.every((item, index) => index % 2 === 1 || targetOf(item)?.kind === "string");
  let key: unknown;
  if (named) {
    const members = {};
    const put = (value: unknown, index: number): void => {
      if (index % 2 === 0) key = value;
      else setMember(members, String(key), value);
    };
    return { value: members, children: items, put };
  }
  const entries = new Map<unknown, unknown>();
  const put = (value: unknown, index: number): void => {
    if (index % 2 === 0) key = value;
    else entries.set(key, value);
  };
  return { value: entries, children: items, put };
}

function planOfObject(node: ObjectNode, spend: Spend): Plan<ValueNode> {
  const scalar = scalarOf(node, spend);
  if (scalar !== undefined) return { value: scalar };
  const collected = collectedOf(node, spend);
  if (collected === undefined) return planOfMembers(node);
  return collected.kind === "list" ? listOf(collected.items) : mapOf(collected.items);
}

/** An object by its fields: what a derived class hides and what `writeObject` appended go to its annotations. */
function planOfMembers(node: ObjectNode): Plan<ValueNode> {
  const value = {};
  const hidden = {};
  const data: unknown[] = [];
  const children: FieldNode[] = [];
  const puts: ((value: unknown) => void)[] = [];
  const add = (child: FieldNode, put: (value: unknown) => void): void => {
    children.push(child);
    puts.push(put);
  };
  if (node.description.interfaces !== undefined) {
    setMember(
      value,
      "interfaces",
      node.description.interfaces.map((name) => new ClassName(name)),
    );
  }
  const owners = ownersOf(node);
  for (const { description, values, annotations } of node.parts) {
    const own = new Map(values.map((child, index) => [description.fields[index]?.name ?? "", child]));
    const lost = [...own].filter(([name]) => owners.get(name) !== description);
    if (lost.length > 0) {
      const members = {};
      setMember(hidden, description.name, members);
      for (const [name, child] of lost) add(child, (inner) => setMember(members, name, inner));
    }
    for (const [name, child] of own) {
      if (owners.get(name) === description) add(child, (inner) => setMember(value, name, inner));
    }
    for (const child of joined(annotations)) add(child, (inner) => void data.push(inner));
  }
  annotate(value, {
    typeName: node.description.name,
    ...(data.length > 0 || node.parts.some(({ annotations }) => annotations.length > 0) ? { data } : {}),
    ...(Object.keys(hidden).length > 0 ? { superMembers: hidden } : {}),
  });
  return { value, children, put: (inner, index) => puts[index]?.(inner) };
}

/** The most derived class that has each field. */
function ownersOf({ parts }: ObjectNode): ReadonlyMap<string, object> {
  return new Map(
    parts.flatMap(({ description }) => description.fields.map(({ name }): [string, object] => [name, description])),
  );
}

/** Contents with block data that stands in a row made one. */
function joined(contents: readonly ContentNode[]): readonly ContentNode[] {
  const result: ContentNode[] = [];
  let blocks: BlockDataNode[] = [];
  const flush = (): void => {
    const [first] = blocks;
    if (first !== undefined) result.push({ ...first, bytes: joinBlocks(blocks) });
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

function primitives({ code, length, bytes }: PrimitiveArrayNode): unknown {
  if (code === "B") return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = primitiveSizes[code];
  return Array.from({ length }, (_, index) => {
    const at = index * size;
    switch (code) {
      case "C":
        return charOf(String.fromCharCode(view.getUint16(at)));
      case "D":
        return view.getFloat64(at);
      case "F":
        return view.getFloat32(at);
      case "I":
        return view.getInt32(at);
      case "J":
        return view.getBigInt64(at);
      case "S":
        return view.getInt16(at);
      case "Z":
        return view.getUint8(at) !== 0;
      default:
        return code satisfies never;
    }
  });
}
