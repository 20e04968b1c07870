import type { NrbfCursor } from "./cursor.ts";
import {
  type NrbfArrayNode,
  type ArrayShape,
  type ClassDescription,
  type NrbfClassNode,
  type NrbfDeclaredType,
  elementCount,
  type MemberNode,
} from "./nodes.ts";

/** The targets of class infos. */
export interface Libraries {
  /** The assembly of an id. @throws SobreError for an id that no record has named. */
  nameOf(id: number, offset: number): string;
}

/** Reads a `ClassInfo` without its object id (2.3.1.1). */
export function readClassInfo(cursor: NrbfCursor): {
  readonly typeName: string;
  readonly memberNames: readonly string[];
} {
  cursor.spendClass();
  const typeName = cursor.text("a class name");
  const offset = cursor.at;
  const count = cursor.i32("a count of members");
  if (count < 0) throw cursor.broken("A class has a negative number of members", offset);
  // Each takes at least the length of its name.
  if (count > cursor.remaining) cursor.skip(count, "the members of a class");
  cursor.spend(count);
  const memberNames: string[] = [];
  for (let left = count; left > 0; left--) memberNames.push(cursor.text("a member name"));
  return { typeName, memberNames };
}

/** Reads a `MemberTypeInfo` (2.3.1.2). */
export function readMemberTypes(cursor: NrbfCursor, count: number, libraries: Libraries): readonly NrbfDeclaredType[] {
  const offset = cursor.at;
  const numbers = cursor.take(count, "the types of members");
  return Array.from(numbers, (number, index) => readDeclaredType(cursor, number, libraries, offset + index));
}

/** Reads what belongs to a `BinaryTypeEnumeration` that was read at `offset`. */
export function readDeclaredType(
  cursor: NrbfCursor,
  number: number,
  libraries: Libraries,
  offset: number,
): NrbfDeclaredType {
  switch (number) {
    case 0:
      return { kind: "primitive", primitive: cursor.primitiveType() };
    case 1:
      return { kind: "string" };
    case 2:
      return { kind: "object" };
    case 3:
      return { kind: "class", typeName: cursor.text("a class name"), libraryName: undefined };
    case 4: {
      const typeName = cursor.text("a class name");
      const at = cursor.at;
      return { kind: "class", typeName, libraryName: libraries.nameOf(cursor.i32("a library id"), at) };
    }
    case 5:
      return { kind: "object-array" };
    case 6:
      return { kind: "string-array" };
    case 7:
      return { kind: "primitive-array", primitive: cursor.primitiveType() };
    default:
      throw cursor.broken("An unknown type of a member is", offset);
  }
}

/** `BinaryArrayTypeEnumeration` (2.4.1.1): the first three without lower bounds. */
const arrayTypes = {
  single: 0,
  jagged: 1,
  rectangular: 2,
  singleOffset: 3,
  jaggedOffset: 4,
  rectangularOffset: 5,
} as const;
const maxRank = 32;

/** Reads the dimensions of a `BinaryArray` (2.4.3.1). */
export function readShape(cursor: NrbfCursor): ArrayShape {
  const offset = cursor.at;
  const arrayType = cursor.u8("the type of an array");
  if (arrayType > arrayTypes.rectangularOffset) throw cursor.broken("An array has an unknown type", offset);
  const rank = cursor.i32("the rank of an array");
  const rectangular = arrayType === arrayTypes.rectangular || arrayType === arrayTypes.rectangularOffset;
  if (rank < 1 || rank > (rectangular ? maxRank : 1)) throw cursor.broken("An array has an impossible rank", offset);
  const lengths = Array.from({ length: rank }, () => readLength(cursor));
  const lowerBounds =
    arrayType < arrayTypes.singleOffset ? undefined : lengths.map(() => cursor.i32("the lower bound of an array"));
  const shape = { lengths, lowerBounds };
  if (elementCount(shape) > 0x7fff_ffff) throw cursor.broken("An array has more elements than any array can", offset);
  return shape;
}

/** Reads the length of an array or dimension. */
export function readLength(cursor: NrbfCursor): number {
  const offset = cursor.at;
  const length = cursor.i32("the length of an array");
  if (length < 0) throw cursor.broken("An array has a negative length", offset);
  return length;
}

/** A class or array whose members are being read. */
export interface OpenNode {
  readonly node: NrbfClassNode | NrbfArrayNode;
  readonly members: MemberNode[];
  /** The number of members still to come; a run of nulls counts for each of them. */
  left: number;
}

/** Begins a class. */
export function openClass(
  offset: number,
  id: number,
  description: ClassDescription,
): OpenNode & { readonly node: NrbfClassNode } {
  const members: MemberNode[] = [];
  const node = { kind: "class", offset, id, description, members } as const;
  return { node, members, left: description.memberNames.length };
}

/** Begins an array. */
export function openArray(node: Omit<NrbfArrayNode, "elements">): OpenNode & { readonly node: NrbfArrayNode } {
  const members: MemberNode[] = [];
  return { node: { ...node, elements: members }, members, left: elementCount(node.shape) };
}
