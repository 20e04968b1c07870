import { limitExceeded } from "../../src/core/codec/limits.ts";
import type { JavaFrame, FrameParser } from "./frame.ts";
import {
  type ClassDescriptionNode,
  type ContentNode,
  type FieldDescription,
  type PrimitiveCode,
  SC_ENUM,
  SC_EXTERNALIZABLE,
  SC_SERIALIZABLE,
} from "./nodes.ts";

type DescriptionDraft = { -readonly [K in keyof ClassDescriptionNode]: ClassDescriptionNode[K] } & {
  annotations: ContentNode[];
};

/** Reads the rest of a class description: the class annotations, then the description of its superclass. */
export class DescriptionFrame implements JavaFrame {
  readonly #parser: FrameParser;
  readonly #node: DescriptionDraft;
  readonly #open: Set<ClassDescriptionNode>;
  #annotated = false;

  private constructor(parser: FrameParser, node: DescriptionDraft, open: Set<ClassDescriptionNode>) {
    this.#parser = parser;
    this.#node = node;
    this.#open = open;
    open.add(node);
    if (open.size > parser.cursor.limits.maxDepth) {
      throw limitExceeded("maxDepth", parser.cursor.limits, { offset: node.offset });
    }
  }

  /** Reads the head of `TC_CLASSDESC`; `open` holds the descriptions whose superclass is not known yet. */
  static ofClass(parser: FrameParser, offset: number, open: Set<ClassDescriptionNode>): DescriptionFrame {
    const { cursor } = parser;
    cursor.spendClass();
    const name = cursor.shortText("a class name");
    const serialVersionUid = cursor.i64("a serial version UID");
    const fields: FieldDescription[] = [];
    const node = parser.handle<DescriptionDraft>((handle) => ({
      kind: "class-description",
      offset,
      handle,
      name,
      interfaces: undefined,
      serialVersionUid,
      flags: 0,
      fields,
      annotations: [],
      superClass: undefined,
    }));
    const frame = new DescriptionFrame(parser, node, open);
    node.flags = readFlags(parser);
    for (let left = fieldCount(parser, node); left > 0; left--) fields.push(readField(parser));
    checkOrder(parser, node);
    return frame;
  }

  /** Reads the head of `TC_PROXYCLASSDESC`. */
  static ofProxy(parser: FrameParser, offset: number, open: Set<ClassDescriptionNode>): DescriptionFrame {
    const { cursor } = parser;
    cursor.spendClass();
    const interfaces: string[] = [];
    const node = parser.handle<DescriptionDraft>((handle) => ({
      kind: "class-description",
      offset,
      handle,
      name: "java.lang.reflect.Proxy",
      interfaces,
      serialVersionUid: 0n,
      flags: SC_SERIALIZABLE,
      fields: [],
      annotations: [],
      superClass: undefined,
    }));
    const at = cursor.at;
    const count = cursor.i32("a count of interfaces");
    if (count < 0 || count > 65_535) throw cursor.broken("A proxy class has an impossible number of interfaces", at);
    for (let left = count; left > 0; left--) {
      cursor.spend(1);
      interfaces.push(cursor.shortText("an interface name"));
    }
    return new DescriptionFrame(parser, node, open);
  }

  step(): void {
    this.#parser.read(this.#annotated ? "description" : "annotation");
  }

  take(content: ContentNode | undefined): void {
    if (!this.#annotated) {
      if (content === undefined) this.#annotated = true;
      else this.#node.annotations.push(content);
      return;
    }
    const { cursor } = this.#parser;
    const superClass = content === undefined || content.kind === "null" ? undefined : describedBy(content);
    if (superClass !== undefined && this.#open.has(superClass)) {
      throw cursor.broken("A class is its own superclass", this.#node.offset);
    }
    this.#node.superClass = superClass;
    this.#open.delete(this.#node);
    this.#parser.close(this.#node);
  }
}

/** The class description of a content of the kind `description`. */
export function describedBy(content: ContentNode): ClassDescriptionNode | undefined {
  if (content.kind === "class-description") return content;
  if (content.kind !== "reference" || content.target.kind !== "class-description") return undefined;
  return content.target;
}

function readFlags({ cursor }: FrameParser): number {
  const at = cursor.at;
  const flags = cursor.u8("the flags of a class");
  const both = SC_SERIALIZABLE | SC_EXTERNALIZABLE;
  if ((flags & both) === both) throw cursor.broken("A class is both serializable and externalizable", at);
  if (flags > 0x1f) throw cursor.broken("A class has unknown flags", at);
  if ((flags & SC_ENUM) !== 0 && (flags & SC_SERIALIZABLE) === 0) {
    throw cursor.broken("An enum class is not serializable", at);
  }
  return flags;
}

function fieldCount({ cursor }: FrameParser, { flags }: ClassDescriptionNode): number {
  const at = cursor.at;
  const count = cursor.u16("a count of fields");
  // Each takes at least a type code and the length of its name.
  if (count * 3 > cursor.remaining) cursor.skip(count * 3, "the fields of a class");
  if (count > 0 && (flags & SC_SERIALIZABLE) === 0) throw cursor.broken("A class without data has fields", at);
  return count;
}

const primitives: ReadonlyMap<number, PrimitiveCode> = new Map(
  (["B", "C", "D", "F", "I", "J", "S", "Z"] as const).map((code) => [code.charCodeAt(0), code]),
);

function readField(parser: FrameParser): FieldDescription {
  const { cursor } = parser;
  cursor.spend(1);
  const at = cursor.at;
  const letter = cursor.u8("a field's type");
  const primitive = primitives.get(letter);
  if (primitive === undefined && letter !== 0x4c && letter !== 0x5b) {
    throw cursor.broken("A field has an unknown type", at);
  }
  const name = cursor.shortText("a field name");
  if (primitive !== undefined) return { name, code: primitive, className: undefined };
  return { name, code: letter === 0x4c ? "L" : "[", className: parser.text() };
}

function checkOrder({ cursor }: FrameParser, { fields, offset }: ClassDescriptionNode): void {
  const firstObject = fields.findIndex(({ className }) => className !== undefined);
  if (firstObject !== -1 && fields.slice(firstObject).some(({ className }) => className === undefined)) {
    throw cursor.broken("A class that lists primitive fields after object fields is", offset);
  }
}
