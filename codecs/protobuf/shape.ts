/** How the values of a field are written; `enum` and `message` stand for a type of the schema. */
export type ProtobufFieldKind =
  | "double"
  | "float"
  | "int32"
  | "uint32"
  | "sint32"
  | "fixed32"
  | "sfixed32"
  | "int64"
  | "uint64"
  | "sint64"
  | "fixed64"
  | "sfixed64"
  | "bool"
  | "string"
  | "bytes"
  | "enum"
  | "message";

/** An enum of the schema. */
export interface ProtobufEnumShape {
  readonly numbers: ReadonlyMap<string, number>;
  /** The first name of each number. */
  readonly names: ReadonlyMap<number, string>;
  /** Unknown numbers are not values of it (proto2). */
  readonly closed: boolean;
}

/** A field of a message, in our own terms. */
export interface ProtobufFieldShape {
  readonly name: string;
  readonly number: number;
  readonly kind: ProtobufFieldKind;
  readonly label: "single" | "list" | "map";
  /** How the keys of a map are written. */
  readonly keyKind: ProtobufFieldKind;
  /** Whether an absent field differs from one with the default value, so that it is left out. */
  readonly presence: boolean;
  /** The value of an absent field in the generated message. */
  readonly absent: unknown;
  /** The value in the body instead. */
  readonly fallback: unknown;
  /** Whether `Object.prototype` has a member of this name. */
  readonly inherited: boolean;
  /** Whether its values differ in the body: messages and enums. */
  readonly converts: boolean;
  readonly enumeration: ProtobufEnumShape | undefined;
  readonly message: ProtobufMessageShape | undefined;
}

/** Fields of which at most one may be set; the synthetic ones of `optional` are left out. */
interface OneofShape {
  readonly name: string;
  readonly members: readonly string[];
}

/** A message of the schema, in our own terms. */
export interface ProtobufMessageShape {
  /** Full name without a leading dot, e.g. `acme.Order`. */
  readonly name: string;
  readonly fields: readonly ProtobufFieldShape[];
  readonly byName: ReadonlyMap<string, ProtobufFieldShape>;
  readonly oneofs: readonly OneofShape[];
  /** Names of the required fields (proto2). */
  readonly required: readonly string[];
}
