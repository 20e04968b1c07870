import { type Cursor, primitiveSizes } from "./cursor.ts";
import {
  type ClassDescriptionNode,
  type FieldDescription,
  type ObjectNode,
  type ObjectPart,
  type PrimitiveNode,
  SC_SERIALIZABLE,
} from "./nodes.ts";

/** A primitive field, and where it lies behind the class of its object. */
interface PlacedField {
  readonly field: FieldDescription;
  readonly at: number;
}

/** How the objects of a class lie in a stream, when it and its bases have primitive fields only and write nothing else. */
export class PlainLayout {
  readonly cursor: Cursor;
  readonly description: ClassDescriptionNode;
  /** The classes, base classes first. */
  readonly chain: readonly ClassDescriptionNode[];
  /** The fields of all classes, in the order of the stream. */
  readonly fields: readonly PlacedField[];
  /** Bytes that the fields take. */
  readonly size: number;

  private constructor(cursor: Cursor, description: ClassDescriptionNode, chain: readonly ClassDescriptionNode[]) {
    this.cursor = cursor;
    this.description = description;
    this.chain = chain;
    const fields: PlacedField[] = [];
    let size = 0;
    for (const one of chain) {
      for (const field of one.fields) {
        fields.push({ field, at: size });
        size += field.code === "L" || field.code === "[" ? 0 : primitiveSizes[field.code];
      }
    }
    this.fields = fields;
    this.size = size;
  }

  /** The layout of a class, or `undefined` of one that is not so plain. */
  static of(cursor: Cursor, description: ClassDescriptionNode): PlainLayout | undefined {
    const chain: ClassDescriptionNode[] = [];
    for (let at: ClassDescriptionNode | undefined = description; at !== undefined; at = at.superClass) {
      const plain = at.flags === SC_SERIALIZABLE && at.interfaces === undefined && !at.name.startsWith("[");
      if (!plain || chain.length === cursor.limits.maxDepth) return undefined;
      if (at.fields.some(({ className }) => className !== undefined)) return undefined;
      chain.push(at);
    }
    return new PlainLayout(cursor, description, chain.reverse());
  }

  /** Whether every boolean of the object whose fields begin at `start` is one. */
  hasBooleans(start: number): boolean {
    for (const { field, at } of this.fields) {
      if (field.code === "Z" && (this.cursor.bytes[start + at] ?? 0) > 1) return false;
    }
    return true;
  }
}

/** An object of primitive fields that makes their nodes when it is asked for them: of such objects there are the most. */
export class PlainObject implements ObjectNode {
  readonly offset: number;
  readonly handle: number;
  readonly layout: PlainLayout;
  /** Where its fields begin. */
  readonly start: number;
  /** Whether it can be reached in more than one way. */
  isShared = false;

  constructor(layout: PlainLayout, offset: number, handle: number, start: number) {
    this.offset = offset;
    this.handle = handle;
    this.layout = layout;
    this.start = start;
  }

  get kind(): "object" {
    return "object";
  }

  get description(): ClassDescriptionNode {
    return this.layout.description;
  }

  get parts(): readonly ObjectPart[] {
    let index = 0;
    let { start: offset } = this;
    return this.layout.chain.map((description) => {
      const values = description.fields.flatMap(() => this.nodeAt(index++) ?? []);
      const part = { offset, description, values, annotations: [] };
      offset = this.start + (this.layout.fields[index]?.at ?? this.layout.size);
      return part;
    });
  }

  /** The field at an index of the layout. */
  nodeAt(index: number): PrimitiveNode | undefined {
    const placed = this.layout.fields[index];
    if (placed === undefined || placed.field.code === "L" || placed.field.code === "[") return undefined;
    return this.layout.cursor.primitiveAt(placed.field.code, this.start + placed.at);
  }

  /** The field of the most derived class that has it. */
  field(name: string): PrimitiveNode | undefined {
    return this.nodeAt(this.layout.fields.findLastIndex(({ field }) => field.name === name));
  }
}

/** Notes that what this is can be reached in more than one way, and so is made once. */
export function share(node: { readonly kind: string } | undefined): void {
  if (node instanceof PlainObject) node.isShared = true;
}
