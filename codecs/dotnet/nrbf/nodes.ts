/** The primitive types (MS-NRBF 2.1.2.3, `PrimitiveTypeEnumeration`) that objects and arrays can hold. */
export type PrimitiveType =
  | "Boolean"
  | "Byte"
  | "Char"
  | "Decimal"
  | "Double"
  | "Int16"
  | "Int32"
  | "Int64"
  | "SByte"
  | "Single"
  | "TimeSpan"
  | "DateTime"
  | "UInt16"
  | "UInt32"
  | "UInt64";

/**
 * The value of a primitive: 64-bit integers, the ticks of a `TimeSpan` and the 64 bits of a `DateTime` are bigints, a
 * `Decimal` is its text, a `Char` one UTF-16 unit.
 */
export type PrimitiveValue = number | bigint | boolean | string;

/** The declared type of a member or element (2.1.2.2, `BinaryTypeEnumeration`). */
export type NrbfDeclaredType =
  | { readonly kind: "primitive"; readonly primitive: PrimitiveType }
  | { readonly kind: "primitive-array"; readonly primitive: PrimitiveType }
  | { readonly kind: "string" | "object" | "object-array" | "string-array" }
  | { readonly kind: "class"; readonly typeName: string; readonly libraryName: string | undefined };

/** The members that every node of the structural tree has. */
interface NrbfLocated {
  /** Byte offset of the first byte. */
  readonly offset: number;
}

/** A primitive, bare or as `MemberPrimitiveTyped`. */
export interface NrbfPrimitiveNode extends NrbfLocated {
  readonly kind: "primitive";
  readonly type: PrimitiveType;
  readonly value: PrimitiveValue;
}

/** `ObjectNull`, or a run of them in an array. */
export interface NrbfNullNode extends NrbfLocated {
  readonly kind: "null";
  readonly count: number;
}

/** `MemberReference`: the object of that id, which may come later. */
export interface NrbfReferenceNode extends NrbfLocated {
  readonly kind: "reference";
  readonly id: number;
}

/** `BinaryObjectString`. */
export interface NrbfStringNode extends NrbfLocated {
  readonly kind: "string";
  readonly id: number;
  readonly value: string;
}

/** The description of a class in a class record; records that refer to it share it. */
export interface ClassDescription {
  /** The CLR name, with the assemblies of type arguments. */
  readonly typeName: string;
  /** The assembly; `undefined` for `mscorlib`. */
  readonly libraryName: string | undefined;
  readonly memberNames: readonly string[];
  /** `undefined` if the sender left out the types. */
  readonly memberTypes: readonly NrbfDeclaredType[] | undefined;
}

/** `ClassWithId`, `ClassWithMembers(AndTypes)` or `SystemClassWithMembers(AndTypes)`. */
export interface NrbfClassNode extends NrbfLocated {
  readonly kind: "class";
  readonly id: number;
  readonly description: ClassDescription;
  /** In the order of the description's names. */
  readonly members: readonly MemberNode[];
}

/** `BinaryArray`, `ArraySingleObject` or `ArraySingleString`, of anything but primitives. */
export interface NrbfArrayNode extends NrbfLocated {
  readonly kind: "array";
  readonly id: number;
  readonly shape: ArrayShape;
  readonly elementType: NrbfDeclaredType;
  /** As written, the last index running fastest; runs of nulls are one node. */
  readonly elements: readonly MemberNode[];
}

/** `ArraySinglePrimitive`, or a `BinaryArray` of primitives. */
export interface NrbfPrimitiveArrayNode extends NrbfLocated {
  readonly kind: "primitive-array";
  readonly id: number;
  readonly shape: ArrayShape;
  readonly type: PrimitiveType;
  /** A view of the payload where the type is `Byte`. */
  readonly values: Uint8Array | readonly PrimitiveValue[];
}

/** The dimensions of an array. */
export interface ArrayShape {
  readonly lengths: readonly number[];
  /** First index of each dimension; `undefined` where all are 0. */
  readonly lowerBounds: readonly number[] | undefined;
}

/** A node with an id. */
export type NrbfObjectNode = NrbfStringNode | NrbfClassNode | NrbfArrayNode | NrbfPrimitiveArrayNode;

/** The value of a member or an element. */
export type MemberNode = NrbfObjectNode | NrbfPrimitiveNode | NrbfNullNode | NrbfReferenceNode;

/** A `BinaryFormatter` payload as written. */
export interface NrbfDocument {
  readonly root: NrbfObjectNode;
  /** Every object by its id. */
  readonly objects: ReadonlyMap<number, NrbfObjectNode>;
  /** Assemblies by their id. */
  readonly libraries: ReadonlyMap<number, string>;
  /** Byte offsets of class records without member types, which were read as if no member were a bare primitive. */
  readonly untyped: readonly number[];
}

/** The number of elements of a shape. */
export function elementCount({ lengths }: ArrayShape): number {
  return lengths.reduce((product, length) => product * length, 1);
}
