import type { Typed } from "../../../src/core/values/typed.ts";
import type { DateTime } from "../../../src/core/values/date-time.ts";
import type { Decimal } from "../../../src/core/values/decimal.ts";
import type { Duration } from "../../../src/core/values/duration.ts";

/** The value of one text record of binary XML; text XML only has strings. */
export type XmlScalar = string | number | bigint | boolean | Uint8Array | Decimal | DateTime | Duration | Typed<"uuid">;

/** The record type of a scalar of binary XML, if its JavaScript type does not show it. */
export type XmlScalarType = "Single" | "Double" | "Int64" | "UInt64" | "UniqueId";

/** Whether a value is that of a list record. */
export function isXmlList(value: XmlScalar | readonly XmlScalar[]): value is readonly XmlScalar[] {
  return Array.isArray(value);
}

/** An attribute; declarations of namespaces are attributes in the namespace of `xmlns`. */
export class XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  /** Resolved when the start tag is complete, since a prefix may be declared after its use. */
  namespace: string;
  readonly value: XmlScalar | readonly XmlScalar[];
  /** Byte offset of the attribute. */
  readonly offset: number;
  /** The next one in the same start tag. */
  next: XmlAttribute | undefined;

  constructor(prefix: string, local: string, value: XmlScalar | readonly XmlScalar[], offset: number) {
    this.prefix = prefix;
    this.local = local;
    this.namespace = "";
    this.value = value;
    this.offset = offset;
    this.next = undefined;
  }
}

/** A run of text; binary XML preserves separately written runs. */
export class XmlText {
  readonly value: XmlScalar | readonly XmlScalar[];
  readonly type: XmlScalarType | undefined;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(value: XmlScalar | readonly XmlScalar[], type: XmlScalarType | undefined, offset: number) {
    this.value = value;
    this.type = type;
    this.offset = offset;
  }

  get kind(): "text" {
    return "text";
  }
}

/** A comment. */
export class XmlComment {
  readonly text: string;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(text: string, offset: number) {
    this.text = text;
    this.offset = offset;
  }

  get kind(): "comment" {
    return "comment";
  }
}

/** A name in a namespace. */
export interface XmlName {
  readonly namespace: string;
  readonly local: string;
}

/**
 * The name of an element with its prefix: elements with the same name share it, since documents have very many
 * elements.
 */
export class XmlTag {
  readonly prefix: string;
  readonly local: string;
  readonly namespace: string;
  /** The tag with the same prefix and local name whose namespace was requested last. */
  #other: XmlTag | undefined;

  constructor(prefix: string, local: string, namespace: string = "") {
    this.prefix = prefix;
    this.local = local;
    this.namespace = namespace;
  }

  /** The same prefix and local name in a namespace. */
  in(namespace: string): XmlTag {
    if (this.namespace === namespace) return this;
    if (this.#other?.namespace !== namespace) this.#other = new XmlTag(this.prefix, this.local, namespace);
    return this.#other;
  }
}

/** An element with its attributes and contents in document order. */
export class XmlElement {
  /** Its namespace is resolved when the start tag is complete. */
  tag: XmlTag;
  /** The others follow through {@link XmlAttribute.next}: most elements have none or one, so a list would cost more. */
  firstAttribute: XmlAttribute | undefined;
  /** The type that `xsi:type` names, resolved. */
  type: XmlName | undefined;
  /** A single node is stored without a list, since most elements have one. */
  #content: XmlNode | XmlNode[] | undefined;
  readonly parent: XmlElement | undefined;
  /** Byte offset at which it starts. */
  readonly offset: number;

  constructor(tag: XmlTag, parent: XmlElement | undefined, offset: number) {
    this.tag = tag;
    this.firstAttribute = undefined;
    this.type = undefined;
    this.parent = parent;
    this.offset = offset;
  }

  get kind(): "element" {
    return "element";
  }

  get prefix(): string {
    return this.tag.prefix;
  }

  get local(): string {
    return this.tag.local;
  }

  get namespace(): string {
    return this.tag.namespace;
  }

  get attributes(): readonly XmlAttribute[] {
    const attributes: XmlAttribute[] = [];
    for (let one = this.firstAttribute; one !== undefined; one = one.next) attributes.push(one);
    return attributes;
  }

  get children(): readonly XmlNode[] {
    const content = this.#content;
    if (content === undefined) return noChildren;
    if (Array.isArray(content)) return content;
    const children = [content];
    this.#content = children;
    return children;
  }

  /** The number of child nodes. */
  get size(): number {
    const content = this.#content;
    if (content === undefined) return 0;
    return Array.isArray(content) ? content.length : 1;
  }

  /** The node at an index, without creating a list. */
  at(index: number): XmlNode | undefined {
    const content = this.#content;
    if (Array.isArray(content)) return content[index];
    return index === 0 ? content : undefined;
  }

  /** Whether it has a child element. */
  get holdsElements(): boolean {
    const content = this.#content;
    return Array.isArray(content) ? content.some(({ kind }) => kind === "element") : content?.kind === "element";
  }

  /** Whether it has no child nodes. */
  get isEmpty(): boolean {
    return this.#content === undefined;
  }

  /** Whether the last child node is text. */
  get endsInText(): boolean {
    const content = this.#content;
    return (Array.isArray(content) ? content[content.length - 1] : content)?.kind === "text";
  }

  /** The child node, if there is exactly one. */
  get onlyChild(): XmlNode | undefined {
    const content = this.#content;
    if (!Array.isArray(content)) return content;
    return content.length === 1 ? content[0] : undefined;
  }

  /** Appends a node. */
  add(node: XmlNode): void {
    const content = this.#content;
    if (content === undefined) this.#content = node;
    else if (Array.isArray(content)) content.push(node);
    else this.#content = [content, node];
  }
}

const noChildren: readonly XmlNode[] = [];

/** Elements of one name and one scalar each, which binary XML writes in one array record. */
export class XmlArray {
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

  get kind(): "array" {
    return "array";
  }
}

/** The content of an element. */
export type XmlNode = XmlElement | XmlArray | XmlText | XmlComment;

/** A whole document: one root, and comments around it. */
export interface XmlDocument {
  readonly root: XmlElement;
  readonly nodes: readonly (XmlElement | XmlComment)[];
}
