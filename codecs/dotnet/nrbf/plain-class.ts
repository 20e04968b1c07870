import type { Cursor } from "./cursor.ts";
import type { ClassDescription, ClassNode, PrimitiveNode, PrimitiveType } from "./nodes.ts";
import { primitiveSizes } from "./record-types.ts";

/** A primitive whose size does not depend on its value. */
export type FixedType = Exclude<PrimitiveType, "Char" | "Decimal">;

/** How the objects of a class lie in a payload when all their members are primitives of a fixed size. */
export class PlainLayout {
  readonly cursor: Cursor;
  readonly description: ClassDescription;
  readonly types: readonly FixedType[];
  /** Where each member lies behind the head of its object. */
  readonly places: readonly number[];
  /** Bytes that the members take. */
  readonly size: number;

  private constructor(cursor: Cursor, description: ClassDescription, types: readonly FixedType[]) {
    this.cursor = cursor;
    this.description = description;
    this.types = types;
    let size = 0;
    const places: number[] = [];
    for (const type of types) {
      places.push(size);
      size += primitiveSizes[type];
    }
    this.places = places;
    this.size = size;
  }

  /** The layout of a class, or `undefined` of one that is not so plain. */
  static of(cursor: Cursor, description: ClassDescription): PlainLayout | undefined {
    const types: FixedType[] = [];
    for (const type of description.memberTypes ?? []) {
      if (type.kind !== "primitive" || type.primitive === "Char" || type.primitive === "Decimal") return undefined;
      types.push(type.primitive);
    }
    return types.length === description.memberNames.length ? new PlainLayout(cursor, description, types) : undefined;
  }

  /** Whether every Boolean of the object whose members begin at `start` is one. */
  hasBooleans(start: number): boolean {
    for (let index = 0; index < this.types.length; index++) {
      if (this.types[index] === "Boolean" && this.cursor.byteAt(start + (this.places[index] ?? 0)) > 1) return false;
    }
    return true;
  }
}

/** An object of primitive members that makes their nodes when it is asked for them: of such objects there are the most. */
export class PlainClass implements ClassNode {
  readonly offset: number;
  readonly id: number;
  readonly layout: PlainLayout;
  /** Where its members begin. */
  readonly start: number;
  /** Whether it can be reached in more than one way. */
  isShared = false;

  constructor(layout: PlainLayout, offset: number, id: number, start: number) {
    this.offset = offset;
    this.id = id;
    this.layout = layout;
    this.start = start;
  }

  get kind(): "class" {
    return "class";
  }

  get description(): ClassDescription {
    return this.layout.description;
  }

  get members(): readonly PrimitiveNode[] {
    return this.layout.types.flatMap((_, index) => this.memberAt(index) ?? []);
  }

  /** The member at an index of the description. */
  memberAt(index: number): PrimitiveNode | undefined {
    const type = this.layout.types[index];
    const place = this.layout.places[index];
    if (type === undefined || place === undefined) return undefined;
    const offset = this.start + place;
    return { kind: "primitive", offset, type, value: this.layout.cursor.fixedAt(type, offset) };
  }
}

/** Notes that what this is can be reached in more than one way, and so is made once. */
export function share(node: { readonly kind: string } | undefined): void {
  if (node instanceof PlainClass) node.isShared = true;
}
