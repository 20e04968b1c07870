import { share } from "../../src/core/codec/binary/fixed-layout.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { JavaCursor } from "./cursor.ts";
import { DescribedFrame } from "./data-frames.ts";
import { DescriptionFrame } from "./description-frame.ts";
import { type Allowed, append, type JavaFrame, type FrameParser } from "./frame.ts";
import {
  type ArrayNode,
  type BlockDataNode,
  type ClassDescriptionNode,
  type ContentNode,
  type HandledNode,
  SC_WRITE_METHOD,
  type StringNode,
} from "./nodes.ts";
import { JavaPlainLayout, PlainObject } from "./plain-object.ts";
import { firstHandle, streamHeader, typeCodes } from "./type-codes.ts";

/** One pass over a stream: reads contents by an explicit stack of frames. */
export class StreamParser implements FrameParser {
  readonly cursor: JavaCursor;
  /** Offsets at which a class with `writeObject` and fields wrote something that may not be a field. */
  readonly doubtful: number[] = [];
  readonly contents: ContentNode[] = [];
  readonly #withoutFields: ReadonlySet<number>;
  readonly #frames: JavaFrame[] = [];
  readonly #openDescriptions = new Set<ClassDescriptionNode>();
  readonly #layouts = new Map<ClassDescriptionNode, JavaPlainLayout | undefined>();
  /** Arrays with references to them: their elements can be reached in more than one way. */
  readonly #sharedArrays = new Set<ArrayNode>();
  #handles: HandledNode[] = [];
  #depth = 0;
  /** The offset at which the last block data ended. */
  #blockEnd = -1;

  /** `withoutFields`: offsets at which `writeObject` is assumed to have written none of its class's fields. */
  constructor(payload: Uint8Array, limits: DecodeLimits, withoutFields: ReadonlySet<number>) {
    this.cursor = new JavaCursor(payload, limits);
    this.#withoutFields = withoutFields;
  }

  /** Reads the whole stream into {@link contents}. @throws SobreError. */
  run(): void {
    const { cursor } = this;
    for (const byte of streamHeader) {
      if (cursor.u8("the header") !== byte) throw cursor.broken("The Java stream's header is broken", cursor.at - 1);
    }
    if (cursor.remaining === 0) {
      throw new SobreError("TruncatedPayload", "The Java stream ends after its header.", { offset: cursor.at });
    }
    while (cursor.remaining > 0) {
      this.read("top");
      for (let top = this.#frames.at(-1); top !== undefined; top = this.#frames.at(-1)) top.step();
    }
    for (const { elements } of this.#sharedArrays) for (const element of elements) share(element);
  }

  writesNoFields({ flags, fields }: ClassDescriptionNode): boolean {
    if ((flags & SC_WRITE_METHOD) === 0 || fields.length === 0) return false;
    const { at, bytes } = this.cursor;
    if (this.#withoutFields.has(at)) return true;
    const code = bytes[at] ?? 0;
    const block = code === typeCodes.blockData || code === typeCodes.blockDataLong || code === typeCodes.endBlockData;
    // An object field cannot start with block data; a primitive field can look like anything.
    if (block && fields[0]?.className !== undefined) return true;
    if (code >= typeCodes.null && code <= typeCodes.enum) this.doubtful.push(at);
    return false;
  }

  read(allowed: Allowed): void {
    const { cursor } = this;
    const offset = cursor.at;
    cursor.spend(1);
    const code = cursor.u8("a type code");
    if (allowed === "description" && !descriptionCodes.has(code)) {
      throw cursor.broken("Expected a class description; something else is", offset);
    }
    switch (code) {
      case typeCodes.null:
        return this.#give({ kind: "null", offset, count: 1 });
      case typeCodes.reference:
        return this.#give({ kind: "reference", offset, target: this.#referenced(offset) });
      case typeCodes.string:
      case typeCodes.longString:
        return this.#give(this.#string(code, offset));
      case typeCodes.classDescription:
        return this.open(DescriptionFrame.ofClass(this, offset, this.#openDescriptions));
      case typeCodes.proxyClassDescription:
        return this.open(DescriptionFrame.ofProxy(this, offset, this.#openDescriptions));
      case typeCodes.object: {
        const plain = this.#plainObject(offset);
        if (plain !== undefined) return this.#give(plain);
        return this.open(new DescribedFrame(this, "object", offset, this.#openDescriptions));
      }
      case typeCodes.array:
        return this.open(new DescribedFrame(this, "array", offset, this.#openDescriptions));
      case typeCodes.enum:
        return this.open(new DescribedFrame(this, "enum", offset, this.#openDescriptions));
      case typeCodes.class:
        return this.open(new DescribedFrame(this, "class", offset, this.#openDescriptions));
      case typeCodes.exception:
        throw cursor.broken("The sender failed while writing, which it recorded as a TC_EXCEPTION", offset);
      default:
        return this.#readOther(code, offset, allowed);
    }
  }

  text(): string {
    const { cursor } = this;
    const offset = cursor.at;
    cursor.spend(1);
    const code = cursor.u8("a string");
    if (code === typeCodes.string || code === typeCodes.longString) return this.#string(code, offset).value;
    const target = code === typeCodes.reference ? this.#referenced(offset) : undefined;
    if (target?.kind === "string") return target.value;
    throw cursor.broken("Expected a string; something else is", offset);
  }

  handle<T extends HandledNode>(make: (handle: number) => T): T {
    const node = make(firstHandle + this.#handles.length);
    this.#handles.push(node);
    return node;
  }

  open(frame: JavaFrame): void {
    this.#frames.push(frame);
  }

  close(content: ContentNode): void {
    this.#frames.pop();
    this.#give(content);
  }

  replace(frame: JavaFrame): void {
    this.#frames[this.#frames.length - 1] = frame;
  }

  deeper(offset: number): void {
    const { limits } = this.cursor;
    if (++this.#depth > limits.maxDepth) throw limitExceeded("maxDepth", limits, { offset });
  }

  shallower(): void {
    this.#depth--;
  }

  /** Fast path for an object of an already described class with only primitive fields; anything irregular is read field by field. */
  #plainObject(offset: number): PlainObject | undefined {
    const { cursor } = this;
    const { at, bytes } = cursor;
    if (bytes[at] !== typeCodes.reference || cursor.remaining < 5) return undefined;
    const target = this.#handles[cursor.view.getInt32(at + 1) - firstHandle];
    if (target?.kind !== "class-description" || this.#openDescriptions.has(target)) return undefined;
    let layout = this.#layouts.get(target);
    if (layout === undefined) {
      if (this.#layouts.has(target)) return undefined;
      layout = JavaPlainLayout.of(cursor, target);
      this.#layouts.set(target, layout);
      if (layout === undefined) return undefined;
    }
    const start = at + 5;
    if (cursor.remaining < 5 + layout.size || !layout.hasBooleans(bytes, start)) return undefined;
    this.deeper(offset);
    this.shallower();
    cursor.spend(1 + layout.chain.length + layout.types.length);
    cursor.at = start + layout.size;
    const node = new PlainObject(layout, offset, firstHandle + this.#handles.length, start);
    this.#handles.push(node);
    return node;
  }

  #give(content: ContentNode | undefined): void {
    const top = this.#frames.at(-1);
    if (top !== undefined) top.take(content);
    else if (content !== undefined) append(this.contents, content);
  }

  /** Block data, its end, and TC_RESET, which are allowed only in some places. */
  #readOther(code: number, offset: number, allowed: Allowed): void {
    const { cursor } = this;
    const inBlocks = allowed === "annotation" || allowed === "top";
    if (inBlocks && code === typeCodes.blockData) return this.#block(offset, cursor.u8("a size"));
    if (inBlocks && code === typeCodes.blockDataLong) {
      const size = cursor.i32("a size");
      if (size < 0) throw cursor.broken("Block data has a negative size", offset);
      return this.#block(offset, size);
    }
    if (allowed === "annotation" && code === typeCodes.endBlockData) return this.#give(undefined);
    if (allowed === "top" && code === typeCodes.reset) {
      this.#handles = [];
      return this.#give({ kind: "reset", offset });
    }
    const known = code >= typeCodes.null && code <= typeCodes.enum;
    throw cursor.broken(known ? "A type code that is not allowed here is" : "An unknown type code is", offset);
  }

  #block(offset: number, size: number): void {
    if (offset === this.#blockEnd) this.cursor.spend(blockBesideBlock);
    const block = new BlockData(this.cursor, offset, size);
    this.#blockEnd = this.cursor.at;
    this.#give(block);
  }

  #string(code: number, offset: number): StringNode {
    const { cursor } = this;
    let size: number;
    if (code === typeCodes.string) size = cursor.u16("the length of a string");
    else {
      const long = cursor.i64("the length of a string");
      if (long < 0n) throw cursor.broken("A string has a negative length", offset);
      size = Number(long);
    }
    // Programs mostly share one empty string, so streams refer to it; at three bytes each, a payload could have very many.
    if (size === 0) cursor.spend(furtherEmptyString);
    const node = new StringContent(offset, firstHandle + this.#handles.length, cursor.text(size, "a string"));
    this.#handles.push(node);
    return node;
  }

  #referenced(offset: number): HandledNode {
    const handle = this.cursor.i32("a reference");
    const target = this.#handles[handle - firstHandle];
    if (target !== undefined) {
      share(target);
      if (target.kind === "array") this.#sharedArrays.add(target);
      return target;
    }
    throw this.cursor.broken("A reference to nothing written before is", offset);
  }
}

/** The number of additional items that an empty string counts. */
const furtherEmptyString = 3;

/** A string node; a class, since there can be very many. */
class StringContent implements StringNode {
  readonly offset: number;
  readonly handle: number;
  readonly value: string;

  constructor(offset: number, handle: number, value: string) {
    this.offset = offset;
    this.handle = handle;
    this.value = value;
  }

  get kind(): "string" {
    return "string";
  }
}

/** The items that each further block of adjacent block data counts: writers start a new block only every kilobyte. */
const blockBesideBlock = 3;

/** Block data that creates its view on demand: many blocks are never read. */
class BlockData implements BlockDataNode {
  readonly kind = "block-data";
  readonly offset: number;
  readonly #payload: Uint8Array;
  readonly #start: number;
  readonly length: number;

  constructor(cursor: JavaCursor, offset: number, length: number) {
    this.offset = offset;
    this.#payload = cursor.bytes;
    this.#start = cursor.skip(length, "block data");
    this.length = length;
  }

  get bytes(): Uint8Array {
    const { buffer, byteOffset } = this.#payload;
    return new Uint8Array(buffer, byteOffset + this.#start, this.length);
  }
}

const descriptionCodes: ReadonlySet<number> = new Set([
  typeCodes.null,
  typeCodes.reference,
  typeCodes.classDescription,
  typeCodes.proxyClassDescription,
]);
