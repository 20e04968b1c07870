import { FixedLayout, FixedNode } from "../../../src/core/codec/binary/fixed-layout.ts";
import type { NrbfCursor } from "./cursor.ts";
import type { ClassDescription, NrbfClassNode, NrbfPrimitiveNode, PrimitiveType } from "./nodes.ts";
import { primitiveSizes } from "./record-types.ts";

/** A primitive whose size does not depend on its value. */
export type FixedType = Exclude<PrimitiveType, "Char" | "Decimal">;

/** The layout of a class whose members are all primitives of a fixed size. */
export class NrbfPlainLayout extends FixedLayout<FixedType> {
  readonly cursor: NrbfCursor;
  readonly description: ClassDescription;

  private constructor(cursor: NrbfCursor, description: ClassDescription, types: readonly FixedType[]) {
    super(types, primitiveSizes, "Boolean");
    this.cursor = cursor;
    this.description = description;
  }

  /** The layout of a class, or `undefined` if it does not qualify. */
  static of(cursor: NrbfCursor, description: ClassDescription): NrbfPlainLayout | undefined {
    const types: FixedType[] = [];
    for (const type of description.memberTypes ?? []) {
      if (type.kind !== "primitive" || type.primitive === "Char" || type.primitive === "Decimal") return undefined;
      types.push(type.primitive);
    }
    return types.length === description.memberNames.length
      ? new NrbfPlainLayout(cursor, description, types)
      : undefined;
  }
}

/** An object of a {@link NrbfPlainLayout}. */
export class NrbfPlainClass extends FixedNode<NrbfPlainLayout> implements NrbfClassNode {
  readonly id: number;

  constructor(layout: NrbfPlainLayout, offset: number, id: number, start: number) {
    super(layout, offset, start);
    this.id = id;
  }

  get kind(): "class" {
    return "class";
  }

  get description(): ClassDescription {
    return this.layout.description;
  }

  get members(): readonly NrbfPrimitiveNode[] {
    return this.layout.types.flatMap((_, index) => this.memberAt(index) ?? []);
  }

  /** The member at an index of the description. */
  memberAt(index: number): NrbfPrimitiveNode | undefined {
    const type = this.layout.types[index];
    const place = this.layout.places[index];
    if (type === undefined || place === undefined) return undefined;
    const offset = this.start + place;
    return { kind: "primitive", offset, type, value: this.layout.cursor.fixedAt(type, offset) };
  }
}
