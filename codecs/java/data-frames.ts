import { limitExceeded } from "../../src/core/codec/limits.ts";
import { primitiveSizes } from "./cursor.ts";
import { describedBy } from "./description-frame.ts";
import { append, type JavaFrame, type FrameParser } from "./frame.ts";
import {
  type ClassDescriptionNode,
  type ContentNode,
  type ObjectNode,
  type ObjectPart,
  type PrimitiveCode,
  type PrimitiveNode,
  SC_BLOCK_DATA,
  SC_ENUM,
  SC_EXTERNALIZABLE,
  SC_SERIALIZABLE,
  SC_WRITE_METHOD,
} from "./nodes.ts";

/** A frame that a class description can open. */
export type DescribedKind = "object" | "array" | "enum" | "class";

/** Reads the class description at the start of a content, then replaces itself by the frame for the rest. */
export class DescribedFrame implements JavaFrame {
  readonly #parser: FrameParser;
  readonly #kind: DescribedKind;
  readonly #offset: number;
  readonly #open: ReadonlySet<ClassDescriptionNode>;

  constructor(parser: FrameParser, kind: DescribedKind, offset: number, open: ReadonlySet<ClassDescriptionNode>) {
    this.#parser = parser;
    this.#kind = kind;
    this.#offset = offset;
    this.#open = open;
  }

  step(): void {
    this.#parser.read("description");
  }

  take(content: ContentNode | undefined): void {
    const description = content === undefined ? undefined : describedBy(content);
    const { cursor } = this.#parser;
    if (description === undefined) throw cursor.broken(`An ${this.#kind} without a class is`, this.#offset);
    if (this.#open.has(description)) throw cursor.broken("A class is used before its description ends", this.#offset);
    this.#begin(description);
  }

  #begin(description: ClassDescriptionNode): void {
    const offset = this.#offset;
    const parser = this.#parser;
    switch (this.#kind) {
      case "class":
        return parser.close(parser.handle((handle) => ({ kind: "class", offset, handle, description })));
      case "enum":
        return this.#enum(description);
      case "array":
        return readArray(parser, offset, description);
      default:
        return parser.replace(new JavaObjectFrame(parser, offset, description));
    }
  }

  #enum(description: ClassDescriptionNode): void {
    const parser = this.#parser;
    const offset = this.#offset;
    if ((description.flags & SC_ENUM) === 0) throw parser.cursor.broken("An enum constant has no enum class", offset);
    // The enum's handle precedes that of its name.
    const node = parser.handle((handle) => ({ kind: "enum", offset, handle, description, constant: "" }));
    node.constant = parser.text();
    parser.close(node);
  }
}

const primitiveCodes: ReadonlySet<string> = new Set(Object.keys(primitiveSizes));

function readArray(parser: FrameParser, offset: number, description: ClassDescriptionNode): void {
  const { cursor } = parser;
  const { name } = description;
  const code = name.charAt(1);
  if (!name.startsWith("[") || !(primitiveCodes.has(code) || code === "L" || code === "[")) {
    throw cursor.broken("An array has a class that is not an array class", offset);
  }
  const at = cursor.at;
  const length = cursor.i32("the length of an array");
  if (length < 0) throw cursor.broken("An array has a negative length", at);
  if (isPrimitive(code)) {
    const size = length * primitiveSizes[code];
    cursor.spend(code === "B" ? 0 : length);
    const bytes = cursor.take(size, "an array of primitives");
    parser.close(
      parser.handle((handle) => ({ kind: "primitive-array", offset, handle, description, code, length, bytes })),
    );
    return;
  }
  // Each element takes at least one byte.
  if (length > cursor.remaining) cursor.skip(length, "an array of objects");
  parser.replace(new ArrayFrame(parser, offset, description, length));
}

function isPrimitive(code: string): code is PrimitiveCode {
  return primitiveCodes.has(code);
}

class ArrayFrame implements JavaFrame {
  readonly #parser: FrameParser;
  readonly #elements: ContentNode[] = [];
  readonly #node: ContentNode;
  #left: number;

  constructor(parser: FrameParser, offset: number, description: ClassDescriptionNode, length: number) {
    parser.deeper(offset);
    this.#parser = parser;
    this.#left = length;
    const elements = this.#elements;
    this.#node = parser.handle((handle) => ({ kind: "array", offset, handle, description, elements }));
  }

  step(): void {
    if (this.#left-- > 0) return this.#parser.read("object");
    this.#parser.shallower();
    this.#parser.close(this.#node);
  }

  take(content: ContentNode | undefined): void {
    if (content !== undefined) append(this.#elements, content);
  }
}

interface OpenPart extends ObjectPart {
  readonly values: (PrimitiveNode | ContentNode)[];
  readonly annotations: ContentNode[];
}

/** Shared by all objects without annotations. */
const noContents: ContentNode[] = [];

/** Reads an object's data class by class, from the topmost base class down. */
class JavaObjectFrame implements JavaFrame {
  readonly #parser: FrameParser;
  readonly #node: ObjectNode;
  readonly #parts: ObjectPart[] = [];
  readonly #chain: ClassDescriptionNode[];
  #part: OpenPart | undefined;
  #stage: "fields" | "annotations" = "fields";

  constructor(parser: FrameParser, offset: number, description: ClassDescriptionNode) {
    parser.deeper(offset);
    this.#parser = parser;
    this.#chain = hierarchy(parser, offset, description);
    const parts = this.#parts;
    this.#node = parser.handle((handle) => ({ kind: "object", offset, handle, description, parts }));
  }

  step(): void {
    const part = this.#part ?? this.#next();
    if (part === undefined) {
      this.#parser.shallower();
      this.#parser.close(this.#node);
      return;
    }
    if (this.#stage === "annotations") return this.#parser.read("annotation");
    const { fields } = part.description;
    for (let index = part.values.length; index < fields.length; index++) {
      const code = fields[index]?.code;
      if (code === undefined || code === "L" || code === "[") return this.#parser.read("object");
      this.#parser.cursor.spend(1);
      part.values.push(this.#parser.cursor.primitive(code));
    }
    if ((part.description.flags & SC_WRITE_METHOD) === 0) this.#part = undefined;
    else this.#stage = "annotations";
  }

  take(content: ContentNode | undefined): void {
    const part = this.#part;
    if (content === undefined || part === undefined) this.#part = undefined;
    else if (this.#stage === "annotations") append(part.annotations, content);
    else part.values.push(content);
  }

  #next(): OpenPart | undefined {
    const description = this.#chain.pop();
    if (description === undefined) return undefined;
    const { cursor } = this.#parser;
    const { fields, flags } = description;
    const annotated = (flags & (SC_WRITE_METHOD | SC_EXTERNALIZABLE)) !== 0;
    // Most streams have many objects per class, and most classes append nothing.
    const values = fields.length === 0 ? noContents : [];
    const part: OpenPart = { offset: cursor.at, description, values, annotations: annotated ? [] : noContents };
    this.#part = part;
    this.#parts.push(part);
    const external = (flags & SC_EXTERNALIZABLE) !== 0;
    if (external && (flags & SC_BLOCK_DATA) === 0) {
      throw cursor.broken(
        "An externalizable object of protocol version 1 cannot be read without its class; it is",
        cursor.at,
      );
    }
    this.#stage = external || this.#parser.writesNoFields(description) ? "annotations" : "fields";
    return part;
  }
}

/** The classes of an object, derived ones first; an externalizable class also writes for its base classes. */
function hierarchy(parser: FrameParser, offset: number, description: ClassDescriptionNode): ClassDescriptionNode[] {
  const { cursor } = parser;
  if (description.name.startsWith("[") || (description.flags & (SC_SERIALIZABLE | SC_EXTERNALIZABLE)) === 0) {
    throw cursor.broken("An object of a class that cannot have serialized instances is", offset);
  }
  if ((description.flags & SC_ENUM) !== 0) throw cursor.broken("An enum constant is written as an object", offset);
  if ((description.flags & SC_EXTERNALIZABLE) !== 0) return [description];
  const chain: ClassDescriptionNode[] = [];
  for (let at: ClassDescriptionNode | undefined = description; at !== undefined; at = at.superClass) {
    chain.push(at);
    if (chain.length > cursor.limits.maxDepth) throw limitExceeded("maxDepth", cursor.limits, { offset });
  }
  cursor.spend(chain.length);
  return chain;
}
