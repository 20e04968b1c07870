import { FixedLayout, FixedNode } from "../../src/core/codec/binary/fixed-layout.ts";
import { type JavaCursor, primitiveSizes } from "./cursor.ts";
import {
  type ClassDescriptionNode,
  type ObjectNode,
  type ObjectPart,
  type PrimitiveCode,
  type PrimitiveNode,
  SC_SERIALIZABLE,
} from "./nodes.ts";

/** The layout of a class that, like its base classes, has only primitive fields and writes nothing else. */
export class JavaPlainLayout extends FixedLayout<PrimitiveCode> {
  readonly cursor: JavaCursor;
  readonly description: ClassDescriptionNode;
  /** The classes, base classes first. */
  readonly chain: readonly ClassDescriptionNode[];
  /** The names of the fields of all classes, in the order of the stream. */
  readonly names: readonly string[];

  private constructor(cursor: JavaCursor, description: ClassDescriptionNode, chain: readonly ClassDescriptionNode[]) {
    const fields = chain.flatMap((one) => one.fields);
    super(
      fields.flatMap(({ code }) => (code === "L" || code === "[" ? [] : code)),
      primitiveSizes,
      "Z",
    );
    this.cursor = cursor;
    this.description = description;
    this.chain = chain;
    this.names = fields.map(({ name }) => name);
  }

  /** The layout of a class, or `undefined` if it does not qualify. */
  static of(cursor: JavaCursor, description: ClassDescriptionNode): JavaPlainLayout | undefined {
    const chain: ClassDescriptionNode[] = [];
    for (let at: ClassDescriptionNode | undefined = description; at !== undefined; at = at.superClass) {
      const plain = at.flags === SC_SERIALIZABLE && at.interfaces === undefined && !at.name.startsWith("[");
      if (!plain || chain.length === cursor.limits.maxDepth) return undefined;
      if (at.fields.some(({ className }) => className !== undefined)) return undefined;
      chain.push(at);
    }
    return new JavaPlainLayout(cursor, description, chain.reverse());
  }
}

/** An object of a {@link JavaPlainLayout}. */
export class PlainObject extends FixedNode<JavaPlainLayout> implements ObjectNode {
  readonly handle: number;

  constructor(layout: JavaPlainLayout, offset: number, handle: number, start: number) {
    super(layout, offset, start);
    this.handle = handle;
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
      const values = description.fields.flatMap(() => this.#nodeAt(index++) ?? []);
      const part = { offset, description, values, annotations: [] };
      offset = this.start + (this.layout.places[index] ?? this.layout.size);
      return part;
    });
  }

  #nodeAt(index: number): PrimitiveNode | undefined {
    const { types, places, cursor } = this.layout;
    const code = types[index];
    return code && cursor.primitiveAt(code, this.start + (places[index] ?? 0));
  }

  /** The field of the most derived class that has it. */
  field(name: string): PrimitiveNode | undefined {
    return this.#nodeAt(this.layout.names.lastIndexOf(name));
  }
}
