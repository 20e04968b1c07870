/** The scalar kinds of Protobuf, and the two that name a type. */
type Kind = string;

/** A message type as far as its compatibility goes. */
export interface MessageShape {
  readonly name: string;
  readonly fields: readonly FieldShape[];
  readonly byNumber: ReadonlyMap<number, FieldShape>;
  readonly reserved: Reserved;
  /** Whether the JSON form is defined for all of it: proto3 and editions say so, proto2 does not. */
  readonly strictJson: boolean;
  /** Whether it is in the wire form of message sets, which nothing here reads. */
  readonly isMessageSet: boolean;
}

/** A field. */
export interface FieldShape {
  readonly number: number;
  readonly name: string;
  readonly jsonName: string;
  /** The names under which it is read from JSON: the one of JSON, and its own where no other field has that in JSON. */
  readonly readNames: readonly string[];
  /** `message`, `group`, `enum` or the name of a scalar; for a map that of its values. */
  readonly kind: Kind;
  readonly label: "one" | "many" | "map";
  /** Kind of the keys of a map. */
  readonly keyKind: Kind;
  readonly required: boolean;
  /** The oneof it is in; synthetic ones do not count. */
  readonly oneof: string | undefined;
  /** Whether a reader can see that it was set to zero. */
  readonly hasPresence: boolean;
  /** The value read where the field was left out, in wire form: its default; `undefined` for zero or no value. */
  readonly unset: string | undefined;
  readonly message: MessageShape | undefined;
  readonly enumeration: EnumShape | undefined;
}

/** An enum. */
export interface EnumShape {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
  /** The first name of each number, which JSON writes. */
  readonly names: ReadonlyMap<number, string>;
  /** Whether it refuses unknown numbers. */
  readonly closed: boolean;
  readonly reserved: Reserved;
  readonly strictJson: boolean;
}

/** The reserved numbers and names of a type. */
export interface Reserved {
  readonly ranges: readonly (readonly [number, number])[];
  readonly names: readonly string[];
}

/** Whether `number` is within a reserved range. */
export function isReserved({ ranges }: Reserved, number: number): boolean {
  return ranges.some(([first, last]) => number >= first && number <= last);
}
