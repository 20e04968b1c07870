import type { XmlName } from "../xml/node.ts";
import type { ScalarKind } from "./scalar-kind.ts";

/** A scalar. */
interface ScalarShape {
  readonly kind: "scalar";
  readonly scalar: ScalarKind;
}

/** An enumeration: the names on the wire and their values. */
export interface ContractEnumShape {
  readonly kind: "enum";
  readonly name: XmlName;
  readonly clrName: string;
  readonly members: ReadonlyMap<string, bigint>;
  /** Names as XmlSerializer writes them, if they differ: the CLR names. */
  readonly clrMembers: ReadonlyMap<string, bigint>;
  /** Whether several names may be combined. */
  readonly flags: boolean;
}

/** A member of a class. */
export interface MemberShape {
  /** Name on the wire, decoded, and in the value. */
  readonly name: string;
  /** Name that XmlSerializer uses, and the value read from it: the CLR name. */
  readonly clrName: string;
  /** Namespace of the class that declares it. */
  readonly namespace: string;
  readonly shape: ContractShape;
  /** Whether it is omitted when it has its default value (`EmitDefaultValue = false`). */
  readonly omitDefault: boolean;
  /** The serializer that writes it, if the other one does not: DataContractSerializer and .NET's JSON, or XmlSerializer. */
  readonly serializer: "dataContract" | "xml" | undefined;
  /** Whether XmlSerializer writes it as the text of the element (`[XmlText]`). */
  readonly isText: boolean;
  /** Whether XmlSerializer writes its items without an element around them (`[XmlElement]`). */
  readonly isFlat: boolean;
  /** Whether it may be null, in which case XmlSerializer omits it. */
  readonly nullable: boolean;
}

/** A class or struct. */
export interface ObjectShape {
  readonly kind: "object";
  readonly name: XmlName;
  readonly clrName: string;
  /** Its names for XmlSerializer, in addition to the CLR name. */
  readonly xmlNames: readonly string[];
  /** The members of data contracts, in wire order: base classes first, then by `order`, then by name. */
  readonly members: readonly MemberShape[];
  readonly byName: ReadonlyMap<string, MemberShape>;
  readonly byClrName: ReadonlyMap<string, MemberShape>;
  /** The members that XmlSerializer writes. */
  readonly xmlMembers: readonly MemberShape[];
  /** The one that XmlSerializer writes as text. */
  readonly textMember: MemberShape | undefined;
  /** Whether its instances are written once and then referred to (`IsReference`). */
  readonly reference: boolean;
  /** Whether it is a struct, which is never numbered. */
  readonly isStruct: boolean;
  /** The class writes its members itself, with a type for each and in no namespace (ISerializable). */
  readonly serializable: boolean;
}

/** A list, array or set. */
export interface ListShape {
  readonly kind: "list";
  readonly name: XmlName;
  readonly item: XmlName;
  readonly items: ContractShape;
  /** Whether items are `Nullable<T>`, and so may be null although their type is not nullable. */
  readonly itemsNullable: boolean;
  /** Whether it is an array, which binary XML writes in one record when its items are plain numbers. */
  readonly isArray: boolean;
}

/** A dictionary. */
export interface MapShape {
  readonly kind: "map";
  readonly name: XmlName;
  readonly entry: XmlName;
  readonly keyName: string;
  readonly valueName: string;
  readonly key: ContractShape;
  readonly value: ContractShape;
  /** Whether values are `Nullable<T>`. */
  readonly valuesNullable: boolean;
}

/** The description of a value in a contract; a function where contracts refer to each other. */
export type ResolvedShape = ScalarShape | ContractEnumShape | ObjectShape | ListShape | MapShape;

/** A shape, or a function that returns it. */
export type ContractShape = ResolvedShape | (() => ResolvedShape);

/** The shape itself. */
export function resolved(shape: ContractShape): ResolvedShape {
  return typeof shape === "function" ? shape() : shape;
}

/** A compiled contract: the shape of the root, and the classes that may substitute others. */
export interface Contract {
  readonly root: ResolvedShape;
  /** The declared types by `{namespace}name`. */
  readonly known: ReadonlyMap<string, ResolvedShape>;
  /** The declared types by CLR name, with and without namespace. */
  readonly clr: ReadonlyMap<string, ResolvedShape>;
}

/** `{namespace}local`, or `local` in no namespace. */
export function nameText({ namespace, local }: XmlName): string {
  return namespace === "" ? local : `{${namespace}}${local}`;
}

/** The name of a shape on the wire. */
export function nameOf(shape: ResolvedShape): XmlName | undefined {
  return shape.kind === "scalar" ? undefined : shape.name;
}

/** Whether a type is nullable by itself. */
export function isReferenceType(shape: ResolvedShape): boolean {
  if (shape.kind === "object") return !shape.isStruct;
  if (shape.kind !== "scalar") return shape.kind !== "enum";
  const reference: readonly ScalarKind[] = ["any", "bytes", "qname", "string", "uri", "version"];
  return reference.includes(shape.scalar);
}
