import type { Typed } from "../../../src/envelope/typed.ts";
import type { DateTime } from "../../../src/values/date-time.ts";
import type { Decimal } from "../../../src/values/decimal.ts";
import type { Duration } from "../../../src/values/duration.ts";

/** What one text record of binary XML holds; text XML only has strings. */
export type XmlScalar = string | number | bigint | boolean | Uint8Array | Decimal | DateTime | Duration | Typed<"uuid">;

/** The record that a scalar of binary XML came in, where its JavaScript type does not tell it. */
export type XmlScalarType = "Single" | "Double" | "Int64" | "UInt64" | "UniqueId";

/** An attribute; declarations of namespaces are attributes in the namespace of `xmlns`. */
export class XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  /** Resolved when the start tag is complete, since a prefix may be declared behind its use. */
  namespace: string;
  readonly value: XmlScalar | readonly XmlScalar[];
  /** Byte offset of the attribute. */
  readonly offset: number;

  constructor(prefix: string, local: string, value: XmlScalar | readonly XmlScalar[], offset: number) {
    this.prefix = prefix;
    this.local = local;
    this.namespace = "";
    this.value = value;
    this.offset = offset;
  }
}

/** A run of text; binary XML keeps apart what was written apart. */
export class XmlText {
  readonly kind = "text";
  readonly value: XmlScalar | readonly XmlScalar[];
  readonly type: XmlScalarType | undefined;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined, offset: number) {
    this.value = value;
    this.type = type;
    this.offset = offset;
  }
}

/** A comment. */
export class XmlComment {
  readonly kind = "comment";
  readonly text: string;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(text: string, offset: number) {
    this.text = text;
    this.offset = offset;
  }
}

/** A name in a namespace. */
export interface XmlName {
  readonly namespace: string;
  readonly local: string;
}

/** An element with its attributes and contents in document order. */
export class XmlElement {
  readonly kind = "element";
  readonly prefix: string;
  readonly local: string;
  /** Resolved when the start tag is complete. */
  namespace: string;
  attributes: readonly XmlAttribute[];
  /** What `xsi:type` names, resolved. */
  type: XmlName | undefined;
  #children: XmlNode[] | undefined;
  readonly parent: XmlElement | undefined;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(prefix: string, local: string, parent: XmlElement | undefined, offset: number) {
    this.prefix = prefix;
    this.local = local;
    this.namespace = "";
    this.attributes = noAttributes;
    this.type = undefined;
    this.parent = parent;
    this.offset = offset;
  }

  get children(): readonly XmlNode[] {
    return this.#children ?? noChildren;
  }

  /** Adds a node behind the others; most elements have one, and pushing to an empty list would make room for 17. */
  add(node: XmlNode): void {
    if (this.#children === undefined) this.#children = [node];
    else this.#children.push(node);
  }
}

const noChildren: readonly XmlNode[] = [];
const noAttributes: readonly XmlAttribute[] = [];

/** Elements of one name and one scalar each, which binary XML writes in one array record. */
export class XmlArray {
  readonly kind = "array";
  /** Name and attributes of each element; it has no contents. */
  readonly item: XmlElement;
  readonly values: readonly XmlScalar[];
  readonly type: XmlScalarType | undefined;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(item: XmlElement, values: readonly XmlScalar[], type: XmlScalarType | undefined, offset: number) {
    this.item = item;
    this.values = values;
    this.type = type;
    this.offset = offset;
  }
}

/** What stands inside an element. */
export type XmlNode = XmlElement | XmlArray | XmlText | XmlComment;

/** A whole document: one root, and comments around it. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly nodes: readonly (XmlElement | XmlComment)[];
}
