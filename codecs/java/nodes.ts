/** The letter of a primitive type in class descriptions (Java Object Serialization Specification 6.4.2, `prim_typecode`). */
export type PrimitiveCode = "B" | "C" | "D" | "F" | "I" | "J" | "S" | "Z";

/** The members that every node of the structural tree has. */
export interface Located {
  /** Byte offset of the first byte. */
  readonly offset: number;
}

/** `TC_NULL`, or a run of them among elements or in data of `writeObject`, one byte each. */
export interface NullNode extends Located {
  readonly kind: "null";
  readonly count: number;
}

/** `TC_REFERENCE`: refers to something written earlier, which is in the tree only once. */
export interface ReferenceNode extends Located {
  readonly kind: "reference";
  readonly target: HandledNode;
}

/** `TC_STRING` or `TC_LONGSTRING`. */
export interface StringNode extends Located {
  readonly kind: "string";
  readonly handle: number;
  readonly value: string;
}

/** `TC_BLOCKDATA` or `TC_BLOCKDATALONG`: bytes that only the class itself can interpret. */
export interface BlockDataNode extends Located {
  readonly kind: "block-data";
  readonly length: number;
  /** A view of the payload. */
  readonly bytes: Uint8Array;
}

/** `TC_RESET`: what follows refers to nothing before it. */
export interface ResetNode extends Located {
  readonly kind: "reset";
}

/** The value of a primitive field: long as bigint, char as a string of one UTF-16 unit. */
export interface PrimitiveNode extends Located {
  readonly kind: "primitive";
  readonly code: PrimitiveCode;
  readonly value: number | bigint | boolean | string;
}

/** A field in a class description. */
export interface FieldDescription {
  readonly name: string;
  /** A primitive's letter, `L` for an object, `[` for an array. */
  readonly code: PrimitiveCode | "L" | "[";
  /** The declared class of an object or array, e.g. `Ljava/lang/String;`. */
  readonly className: string | undefined;
}

/** `TC_CLASSDESC` or `TC_PROXYCLASSDESC`. */
export interface ClassDescriptionNode extends Located {
  readonly kind: "class-description";
  readonly handle: number;
  /** The JVM name, e.g. `acme.Order$Line`; `java.lang.reflect.Proxy` for generated proxy classes. */
  readonly name: string;
  /** The interfaces of a generated proxy class; `undefined` for any other. */
  readonly interfaces: readonly string[] | undefined;
  readonly serialVersionUid: bigint;
  /** `SC_` flags (6.4.2). */
  readonly flags: number;
  readonly fields: readonly FieldDescription[];
  readonly annotations: readonly ContentNode[];
  readonly superClass: ClassDescriptionNode | undefined;
}

/** `TC_CLASS`: a class as a value. */
export interface ClassNode extends Located {
  readonly kind: "class";
  readonly handle: number;
  readonly description: ClassDescriptionNode;
}

/** `TC_ENUM`. */
export interface EnumNode extends Located {
  readonly kind: "enum";
  readonly handle: number;
  readonly description: ClassDescriptionNode;
  readonly constant: string;
}

/** `TC_ARRAY` of primitives: its elements as written, big-endian. */
export interface PrimitiveArrayNode extends Located {
  readonly kind: "primitive-array";
  readonly handle: number;
  readonly description: ClassDescriptionNode;
  readonly code: PrimitiveCode;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** `TC_ARRAY` of objects or arrays. */
export interface ArrayNode extends Located {
  readonly kind: "array";
  readonly handle: number;
  readonly description: ClassDescriptionNode;
  readonly elements: readonly ContentNode[];
}

/** The data that one class of an object's hierarchy wrote. */
export interface ObjectPart extends Located {
  readonly description: ClassDescriptionNode;
  /** Values in the order of the description's fields; empty if `writeObject` wrote none of them. */
  readonly values: readonly (PrimitiveNode | ContentNode)[];
  /** Data written by `writeObject` or `writeExternal` itself. */
  readonly annotations: readonly ContentNode[];
}

/** `TC_OBJECT`: one part per class, base classes first. */
export interface ObjectNode extends Located {
  readonly kind: "object";
  readonly handle: number;
  readonly description: ClassDescriptionNode;
  readonly parts: readonly ObjectPart[];
}

/** A node that a later reference can point to. */
export type HandledNode =
  | StringNode
  | ClassDescriptionNode
  | ClassNode
  | EnumNode
  | PrimitiveArrayNode
  | ArrayNode
  | ObjectNode;

/** Anything that the grammar (6.4.1) allows as `content`. */
export type ContentNode = HandledNode | NullNode | ReferenceNode | BlockDataNode | ResetNode;

/** The class has its own `writeObject`. */
export const SC_WRITE_METHOD = 0x01;
/** The class is serializable. */
export const SC_SERIALIZABLE = 0x02;
/** The class is externalizable. */
export const SC_EXTERNALIZABLE = 0x04;
/** `writeExternal` wrote block data (`PROTOCOL_VERSION_2`). */
export const SC_BLOCK_DATA = 0x08;
/** The class is an enum. */
export const SC_ENUM = 0x10;
