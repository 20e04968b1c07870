import type { PrimitiveType } from "./nodes.ts";

/** Record types (MS-NRBF 2.1.2.1, `RecordTypeEnumeration`). */
export const recordTypes = {
  serializedStreamHeader: 0,
  classWithId: 1,
  systemClassWithMembers: 2,
  classWithMembers: 3,
  systemClassWithMembersAndTypes: 4,
  classWithMembersAndTypes: 5,
  binaryObjectString: 6,
  binaryArray: 7,
  memberPrimitiveTyped: 8,
  memberReference: 9,
  objectNull: 10,
  messageEnd: 11,
  binaryLibrary: 12,
  objectNullMultiple256: 13,
  objectNullMultiple: 14,
  arraySinglePrimitive: 15,
  arraySingleObject: 16,
  arraySingleString: 17,
  methodCall: 21,
  methodReturn: 22,
} as const;

/** Primitive types by their number (2.1.2.3); 17 and 18, null and string, occur in method calls only. */
export const primitiveTypes: ReadonlyMap<number, PrimitiveType> = new Map([
  [1, "Boolean"],
  [2, "Byte"],
  [3, "Char"],
  [5, "Decimal"],
  [6, "Double"],
  [7, "Int16"],
  [8, "Int32"],
  [9, "Int64"],
  [10, "SByte"],
  [11, "Single"],
  [12, "TimeSpan"],
  [13, "DateTime"],
  [14, "UInt16"],
  [15, "UInt32"],
  [16, "UInt64"],
]);

/** Minimum size of a value in bytes. */
export const primitiveSizes: Readonly<Record<PrimitiveType, number>> = {
  Boolean: 1,
  Byte: 1,
  Char: 1,
  Decimal: 2,
  Double: 8,
  Int16: 2,
  Int32: 4,
  Int64: 8,
  SByte: 1,
  Single: 4,
  TimeSpan: 8,
  DateTime: 8,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
};
