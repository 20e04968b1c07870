import { share } from "../../../src/core/codec/binary/fixed-layout.ts";
import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { NrbfCursor } from "./cursor.ts";
import {
  openArray,
  openClass,
  type OpenNode,
  readClassInfo,
  readDeclaredType,
  readLength,
  readMemberTypes,
  readShape,
} from "./declarations.ts";
import type {
  NrbfArrayNode,
  ArrayShape,
  ClassDescription,
  NrbfDeclaredType,
  MemberNode,
  NrbfDocument,
  NrbfObjectNode,
  NrbfReferenceNode,
} from "./nodes.ts";
import { NrbfPlainClass, NrbfPlainLayout } from "./plain-class.ts";
import { recordTypes } from "./record-types.ts";

/** Reads a whole payload; see `readNrbf`. */
export class RecordParser {
  readonly #cursor: NrbfCursor;
  readonly #objects = new Map<number, NrbfObjectNode>();
  readonly #libraries = new Map<number, string>();
  /** The references to objects that had not been read yet. */
  readonly #references: NrbfReferenceNode[] = [];
  /** Arrays with references to them: their elements can be reached in more than one way. */
  readonly #sharedArrays = new Set<NrbfArrayNode>();
  readonly #untyped: number[] = [];
  readonly #open: OpenNode[] = [];
  readonly #layouts = new Map<ClassDescription, NrbfPlainLayout | undefined>();

  constructor(payload: Uint8Array, limits: DecodeLimits) {
    this.#cursor = new NrbfCursor(payload, limits);
  }

  /** Byte offsets of classes that were written without the types of their members. */
  get untyped(): readonly number[] {
    return this.#untyped;
  }

  run(): NrbfDocument {
    const cursor = this.#cursor;
    const rootId = this.#header();
    while (this.#topLevel()) this.#members();
    if (cursor.remaining > 0) {
      const text = `The BinaryFormatter payload has more bytes after its end, at byte ${cursor.at}.`;
      throw new SobreError("TrailingBytes", text, { offset: cursor.at });
    }
    for (const { id, offset } of this.#references) {
      const target = this.#objects.get(id);
      if (target === undefined) throw cursor.broken("A reference to a missing object is", offset);
      this.#share(target);
    }
    for (const { elements } of this.#sharedArrays) for (const element of elements) share(element);
    const root = this.#objects.get(rootId);
    if (root === undefined) throw cursor.broken("The root object that is named does not exist", 1);
    return { root, objects: this.#objects, libraries: this.#libraries, untyped: this.#untyped };
  }

  /** `SerializationHeaderRecord` (2.6.1). */
  #header(): number {
    const cursor = this.#cursor;
    const what = "the header";
    if (cursor.u8(what) !== recordTypes.serializedStreamHeader) throw cursor.broken("No header is", 0);
    const rootId = cursor.i32(what);
    cursor.i32(what);
    if (cursor.i32(what) !== 1) throw cursor.broken("The header has an unknown major version", 9);
    if (cursor.i32(what) !== 0) throw cursor.broken("The header has an unknown minor version", 13);
    return rootId;
  }

  /** Reads one record between objects; false at `MessageEnd`. */
  #topLevel(): boolean {
    const offset = this.#cursor.at;
    const record = this.#recordType();
    if (record === recordTypes.messageEnd) return false;
    if (record === recordTypes.methodCall || record === recordTypes.methodReturn) {
      throw this.#cursor.broken("A remote method call instead of an object is", offset);
    }
    if (record !== recordTypes.binaryLibrary && this.#object(record, offset) === undefined)
      throw this.#misplaced(record, offset);
    return true;
  }

  /** Reads the members of the open objects, innermost first. */
  #members(): void {
    for (let top = this.#open.at(-1); top !== undefined; top = this.#open.at(-1)) {
      if (top.left === 0) this.#open.pop();
      else this.#member(top);
    }
  }

  #member(top: OpenNode): void {
    const cursor = this.#cursor;
    const declared = declaredOf(top);
    if (declared?.kind === "primitive") {
      cursor.spend(1);
      const offset = cursor.at;
      this.#add(
        top,
        { kind: "primitive", offset, type: declared.primitive, value: cursor.primitive(declared.primitive) },
        1,
      );
      return;
    }
    let offset = cursor.at;
    let record = this.#recordType();
    while (record === recordTypes.binaryLibrary) {
      offset = cursor.at;
      record = this.#recordType();
    }
    switch (record) {
      case recordTypes.objectNull:
        return this.#add(top, { kind: "null", offset, count: 1 }, 1);
      case recordTypes.objectNullMultiple256:
        return this.#nulls(top, cursor.u8("a count of nulls"), offset);
      case recordTypes.objectNullMultiple:
        return this.#nulls(top, cursor.i32("a count of nulls"), offset);
      case recordTypes.memberReference: {
        const reference: NrbfReferenceNode = { kind: "reference", offset, id: cursor.i32("a reference") };
        const target = this.#objects.get(reference.id);
        if (target === undefined) this.#references.push(reference);
        else this.#share(target);
        return this.#add(top, reference, 1);
      }
      case recordTypes.memberPrimitiveTyped: {
        const type = cursor.primitiveType();
        return this.#add(top, { kind: "primitive", offset, type, value: cursor.primitive(type) }, 1);
      }
      default: {
        const object = this.#object(record, offset);
        if (object === undefined) throw this.#misplaced(record, offset);
        return this.#add(top, object, 1);
      }
    }
  }

  #add(top: OpenNode, member: MemberNode, count: number): void {
    top.members.push(member);
    top.left -= count;
  }

  #nulls(top: OpenNode, count: number, offset: number): void {
    if (top.node.kind !== "array" || count < 1 || count > top.left) {
      throw this.#cursor.broken("A run of nulls that does not fit its container is", offset);
    }
    this.#cursor.spend(count - 1);
    this.#add(top, { kind: "null", offset, count }, count);
  }

  /** Reads the head of an object and opens it if it has members; `undefined` for a record that is not an object. */
  #object(record: number, offset: number): NrbfObjectNode | undefined {
    const cursor = this.#cursor;
    switch (record) {
      case recordTypes.classWithId:
      case recordTypes.systemClassWithMembers:
      case recordTypes.classWithMembers:
      case recordTypes.systemClassWithMembersAndTypes:
      case recordTypes.classWithMembersAndTypes: {
        const id = cursor.i32("an object id");
        const description = this.#description(record, offset);
        return this.#plain(description, offset, id) ?? this.#begin(openClass(offset, id, description));
      }
      case recordTypes.binaryObjectString: {
        const id = cursor.i32("an object id");
        return this.#register({ kind: "string", offset, id, value: cursor.text("a string") });
      }
      case recordTypes.binaryArray: {
        const id = cursor.i32("an object id");
        const shape = readShape(cursor);
        const at = cursor.at;
        return this.#array(id, offset, shape, readDeclaredType(cursor, cursor.u8("a type"), this.#named, at));
      }
      case recordTypes.arraySinglePrimitive:
      case recordTypes.arraySingleObject:
      case recordTypes.arraySingleString: {
        const id = cursor.i32("an object id");
        const shape = { lengths: [readLength(cursor)], lowerBounds: undefined };
        return this.#array(id, offset, shape, this.#elementType(record));
      }
      default:
        return undefined;
    }
  }

  /** Fast path for an object with primitive members; anything irregular is read member by member. */
  #plain(description: ClassDescription, offset: number, id: number): NrbfObjectNode | undefined {
    const cursor = this.#cursor;
    let layout = this.#layouts.get(description);
    if (layout === undefined) {
      if (this.#layouts.has(description)) return undefined;
      layout = NrbfPlainLayout.of(cursor, description);
      this.#layouts.set(description, layout);
      if (layout === undefined) return undefined;
    }
    const start = cursor.at;
    if (cursor.remaining < layout.size || !layout.hasBooleans(cursor.bytes, start)) return undefined;
    this.#checkDepth(offset);
    cursor.spend(layout.types.length);
    cursor.at = start + layout.size;
    return this.#register(new NrbfPlainClass(layout, offset, id, start));
  }

  #share(target: NrbfObjectNode): void {
    share(target);
    if (target.kind === "array") this.#sharedArrays.add(target);
  }

  #elementType(record: number): NrbfDeclaredType {
    if (record === recordTypes.arraySingleString) return { kind: "string" };
    if (record === recordTypes.arraySingleObject) return { kind: "object" };
    return { kind: "primitive", primitive: this.#cursor.primitiveType() };
  }

  #array(id: number, offset: number, shape: ArrayShape, elementType: NrbfDeclaredType): NrbfObjectNode {
    if (elementType.kind !== "primitive") {
      const open = openArray({ kind: "array", offset, id, shape, elementType });
      // Checked before its elements are read, since they may be missing altogether.
      this.#cursor.allow(open.left);
      return this.#begin(open);
    }
    const type = elementType.primitive;
    const count = shape.lengths.reduce((product, length) => product * length, 1);
    const values = this.#cursor.primitives(type, count);
    return this.#register({ kind: "primitive-array", offset, id, shape, type, values });
  }

  #description(record: number, offset: number): ClassDescription {
    const cursor = this.#cursor;
    if (record === recordTypes.classWithId) {
      const known = this.#objects.get(cursor.i32("a metadata id"));
      if (known?.kind === "class") return known.description;
      throw cursor.broken("A class that refers to one not described before is", offset);
    }
    const info = readClassInfo(cursor);
    const typed =
      record === recordTypes.classWithMembersAndTypes || record === recordTypes.systemClassWithMembersAndTypes;
    const memberTypes = typed ? readMemberTypes(cursor, info.memberNames.length, this.#named) : undefined;
    if (!typed && info.memberNames.length > 0) this.#untyped.push(offset);
    const system =
      record === recordTypes.systemClassWithMembers || record === recordTypes.systemClassWithMembersAndTypes;
    const at = cursor.at;
    const libraryName = system ? undefined : this.#named.nameOf(cursor.i32("a library id"), at);
    return { ...info, memberTypes, libraryName };
  }

  #begin<T extends OpenNode>(open: T): T["node"] {
    this.#checkDepth(open.node.offset);
    this.#open.push(open);
    return this.#register(open.node);
  }

  #checkDepth(offset: number): void {
    const { limits } = this.#cursor;
    if (this.#open.length >= limits.maxDepth) throw limitExceeded("maxDepth", limits, { offset });
  }

  /** Ids are unique, except for those of value types, which are negative and never referenced. */
  #register<T extends NrbfObjectNode>(node: T): T {
    const { size } = this.#objects;
    if (this.#objects.set(node.id, node).size === size && node.id > 0) {
      throw this.#cursor.broken("Two objects have the same id; the second is", node.offset);
    }
    return node;
  }

  /** The next record type; a `BinaryLibrary` is read completely. */
  #recordType(): number {
    const cursor = this.#cursor;
    cursor.spend(1);
    const record = cursor.u8("a record");
    if (record === recordTypes.binaryLibrary) {
      const offset = cursor.at;
      const id = cursor.i32("a library id");
      if (this.#libraries.has(id)) throw cursor.broken("Two libraries have the same id; the second is", offset);
      this.#libraries.set(id, cursor.text("a library name"));
    }
    return record;
  }

  readonly #named = {
    nameOf: (id: number, offset: number): string => {
      const name = this.#libraries.get(id);
      if (name === undefined) throw this.#cursor.broken("A class names a library that does not exist,", offset);
      return name;
    },
  };

  #misplaced(record: number, offset: number): SobreError {
    const known = record <= recordTypes.arraySingleString || record === 21 || record === 22;
    return this.#cursor.broken(known ? "A record that is not allowed here is" : "An unknown record is", offset);
  }
}

function declaredOf({ node, left }: OpenNode): NrbfDeclaredType | undefined {
  if (node.kind === "array") return undefined;
  return node.description.memberTypes?.[node.description.memberNames.length - left];
}
