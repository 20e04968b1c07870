/** The scalar kinds of Protobuf, and the two that name a type. */
type Kind = string;

/** A message type as far as its compatibility goes. */
export interface ComparedMessage {
  readonly name: string;
  readonly fields: readonly ComparedField[];
  readonly byNumber: ReadonlyMap<number, ComparedField>;
  readonly reserved: Reserved;
  /** Whether the JSON form is fully defined, as in proto3 and editions but not in proto2. */
  readonly strictJson: boolean;
  /** Whether it has the wire form of message sets, which is not supported. */
  readonly isMessageSet: boolean;
}

/** A field. */
export interface ComparedField {
  readonly number: number;
  readonly name: string;
  readonly jsonName: string;
  /** The names that are accepted in JSON: its JSON name, and its own unless that is another field's JSON name. */
  readonly readNames: readonly string[];
  /** `message`, `group`, `enum` or the name of a scalar; for a map that of its values. */
  readonly kind: Kind;
  readonly label: "one" | "many" | "map";
  /** Kind of the keys of a map. */
  readonly keyKind: Kind;
  readonly required: boolean;
  /** The oneof that it belongs to, unless that is synthetic. */
  readonly oneof: string | undefined;
  /** Whether a reader can distinguish zero from absent. */
  readonly hasPresence: boolean;
  /** The default, in wire form, that is read for an absent field; `undefined` for zero or no value. */
  readonly unset: string | undefined;
  readonly message: ComparedMessage | undefined;
  readonly enumeration: ComparedEnum | undefined;
}

/** An enum. */
export interface ComparedEnum {
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
