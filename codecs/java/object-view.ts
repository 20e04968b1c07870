import type { BlockDataNode, ContentNode, ObjectNode, ObjectPart, PrimitiveNode } from "./nodes.ts";
import { PlainObject } from "./plain-object.ts";

/** The value of a field. */
export type FieldNode = PrimitiveNode | ContentNode;

/** The target of a reference, or the node itself. */
export function targetOf(node: FieldNode | undefined): FieldNode | undefined {
  return node?.kind === "reference" ? node.target : node;
}

/** Contents with runs of `null` expanded. */
export function spelledOut(contents: readonly ContentNode[]): readonly ContentNode[] {
  if (!contents.some((content) => content.kind === "null" && content.count > 1)) return contents;
  const result: ContentNode[] = [];
  for (const content of contents) {
    for (let left = content.kind === "null" ? content.count : 1; left > 0; left--) result.push(content);
  }
  return result;
}

/** An object's fields by name, and the data that its classes wrote besides them. */
export class ObjectView {
  readonly node: ObjectNode;

  constructor(node: ObjectNode) {
    this.node = node;
  }

  /** The data that the class wrote, or `undefined` when the object is not an instance of it. */
  part(className: string): ObjectPart | undefined {
    return this.node.parts.find(({ description }) => description.name === className);
  }

  /** The field of the most derived class that has it; references are followed. */
  field(name: string): FieldNode | undefined {
    if (this.node instanceof PlainObject) return this.node.field(name);
    for (let at = this.node.parts.length - 1; at >= 0; at--) {
      const part = this.node.parts[at];
      // A class may declare fields and write none of them.
      if (part === undefined || part.values.length === 0) continue;
      const index = part.description.fields.findIndex((field) => field.name === name);
      if (index !== -1) return targetOf(part.values[index]);
    }
    return undefined;
  }

  /** A field of type int, short, byte or char code, as number. */
  int(name: string): number | undefined {
    const field = this.field(name);
    if (field?.kind !== "primitive" || typeof field.value !== "number") return undefined;
    return field.code === "F" || field.code === "D" ? undefined : field.value;
  }

  long(name: string): bigint | undefined {
    const field = this.field(name);
    return field?.kind === "primitive" && typeof field.value === "bigint" ? field.value : undefined;
  }

  /** A field that holds a string. */
  text(name: string): string | undefined {
    const field = this.field(name);
    return field?.kind === "string" ? field.value : undefined;
  }

  /** The elements of a field that holds an array of objects. */
  elements(name: string): readonly ContentNode[] | undefined {
    const field = this.field(name);
    return field?.kind === "array" ? spelledOut(field.elements) : undefined;
  }

  /** The objects that a class's `writeObject` wrote in addition to the fields, without block data. */
  written(className: string): readonly ContentNode[] {
    return spelledOut(this.part(className)?.annotations.filter(({ kind }) => kind !== "block-data") ?? []);
  }

  /** An int that a class's `writeObject` wrote into its first block data, `at` bytes in. */
  writtenInt(className: string, at: number): number | undefined {
    const block = this.firstBlock(className);
    if (block === undefined || block.bytes.length < at + 4) return undefined;
    const { buffer, byteOffset } = block.bytes;
    return new DataView(buffer, byteOffset + at, 4).getInt32(0);
  }

  firstBlock(className: string): BlockDataNode | undefined {
    return this.part(className)?.annotations.find(isBlock);
  }
}

function isBlock(node: ContentNode): node is BlockDataNode {
  return node.kind === "block-data";
}
