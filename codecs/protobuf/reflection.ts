import {
  Enum,
  Field,
  type INamespace,
  MapField,
  Namespace,
  parse,
  Reader,
  Root,
  Type,
  util,
} from "../../src/core/protobuf/protobufjs.ts";
import { knownImport, wellKnownText } from "../../src/core/protobuf/known-imports.ts";
import type { DecodeLimits } from "../../src/core/codec/limits.ts";
import { invalidInput } from "../../src/core/errors/invalid-input.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { longReaders } from "./long-readers.ts";
import { PayloadWriter } from "./payload-writer.ts";
import type { ProtobufEnumShape, ProtobufFieldKind, ProtobufFieldShape, ProtobufMessageShape } from "./shape.ts";

/** A schema as an object of protobufjs: `Root`. */
export type ProtobufRoot = Root;
/** A schema as the JSON of protobufjs (`pbjs -t json`). */
export type ProtobufDescriptor = INamespace;

/** Where a schema comes from; schemas are trusted, payloads are not. */
export interface SchemaSource {
  readonly root?: ProtobufRoot;
  readonly protos?: string | Readonly<Record<string, string>>;
  readonly descriptor?: ProtobufDescriptor;
  readonly keepCase?: boolean;
}

/** A message type that can be read and written. */
export interface ProtobufMessageType {
  readonly shape: ProtobufMessageShape;
  /** Reads the wire format; throws what protobufjs throws. */
  read(reader: PayloadReader, limits: DecodeLimits): Readonly<Record<string, unknown>>;
  /** Writes a message that was checked before. */
  write(message: Readonly<Record<string, unknown>>): Uint8Array;
}

/** protobufjs writes no deeper; for reading, only `limits.maxDepth` applies. */
export const innermostMessage: number = Reader.recursionLimit;

/** Reads strings strictly, bytes as plain views and 64-bit integers as bigints; keeps unknown fields. */
export class PayloadReader extends Reader {
  constructor(payload: Uint8Array) {
    super(payload);
    this.discardUnknown = false;
  }

  override string(): string {
    return this.stringVerify();
  }

  override raw(start: number, end: number): Uint8Array {
    return new Uint8Array(this.buf.buffer, this.buf.byteOffset + start, end - start);
  }

  /** The code generated for a message without fields passes the tag of an unknown field in place of its number. */
  override skipType(wireType: number, depth?: number, number?: number): Reader {
    const isTag = number !== undefined && this.#follows(number);
    return super.skipType(wireType, depth, isTag ? number >>> 3 : number);
  }

  /** Whether the varint that ends here is `value`. A tag never ends in the varint of its own field number. */
  #follows(value: number): boolean {
    let at = this.pos - 1;
    let varint = this.buf[at] ?? 0;
    while (varint < value && (this.buf[at - 1] ?? 0) >= 0x80) varint = varint * 128 + ((this.buf[--at] ?? 0) & 0x7f);
    return varint === value;
  }
}
// The declarations of protobufjs promise Long objects here; the generated code takes what comes.
Object.assign(PayloadReader.prototype, longReaders);

/**
 * The message types of a schema by full name.
 *
 * @throws SobreError `InvalidArgument` when the schema cannot be read or lacks an import.
 */
export function openSchema(source: SchemaSource): ReadonlyMap<string, ProtobufMessageType> {
  try {
    const root = readRoot(source);
    root.resolveAll();
    const shapes = new Map<Type, ProtobufMessageShape>();
    return new Map(typesIn(root).map((type) => [bareName(type), messageType(type, shapes)]));
  } catch (error) {
    throw invalidInput("The Protobuf schema cannot be read", error);
  }
}

function readRoot({ root, protos, descriptor, keepCase = false }: SchemaSource): Root {
  if ([root, protos, descriptor].filter((given) => given !== undefined).length !== 1) {
    throw new SobreError("InvalidArgument", "protobuf() takes exactly one of root, protos and descriptor.");
  }
  if (root !== undefined) return ownRoot(root);
  const source: unknown = descriptor ?? protos;
  if (typeof source !== "object" && typeof source !== "string") {
    throw new SobreError("InvalidArgument", "Option protos takes the text of .proto files, and descriptor an object.");
  }
  if (descriptor !== undefined) return Root.fromJSON(descriptor);
  const files = new Map(Object.entries(typeof protos === "string" ? { protos } : (protos ?? {})));
  const parsed = new Root();
  const known = new Set(files.keys());
  // A map gives the entries that are added meanwhile, too.
  for (const [file, text] of files) {
    const { imports = [], weakImports = [] } = parse(text, parsed, { keepCase });
    for (const name of [...imports, ...weakImports]) {
      if (known.has(name)) continue;
      known.add(name);
      const wellKnown = wellKnownText(name);
      if (wellKnown === undefined) addBundled(parsed, name, file);
      else files.set(name, wellKnown);
    }
  }
  return parsed;
}

function ownRoot(root: Root): Root {
  if (root instanceof Root) return root;
  // Its generated code would not take our reader.
  throw new SobreError(
    "InvalidArgument",
    "Option root was made by another copy of protobufjs. Pass its toJSON() as option descriptor.",
  );
}

/** Adds a file of `google/protobuf/` that protobufjs brings along. */
function addBundled(root: Root, name: string, file: string): void {
  const bundled = knownImport(name);
  if (bundled === undefined) {
    throw new SobreError("InvalidArgument", `"${name}", imported by "${file}", is missing from option protos.`, {
      path: "$.protos",
    });
  }
  root.addJSON(bundled);
}

function typesIn(namespace: Namespace): Type[] {
  return namespace.nestedArray.flatMap((child) => {
    if (child instanceof Type) return [child, ...typesIn(child)];
    return child instanceof Namespace ? typesIn(child) : [];
  });
}

function messageType(type: Type, shapes: Map<Type, ProtobufMessageShape>): ProtobufMessageType {
  const shape = shapeOf(type, shapes);
  type.setup();
  const decode: DecodeFrom = type.decode.bind(type);
  return {
    shape,
    read(reader, { maxDepth }) {
      // The generated code counts up to its own limit, so a smaller one is a later start, and a greater one an earlier.
      return decode(reader, undefined, undefined, innermostMessage - (maxDepth - 1));
    },
    write: (message) => write(type, message),
  };
}

let spare: PayloadWriter | undefined;

function write(type: Type, message: Readonly<Record<string, unknown>>): Uint8Array {
  // A getter of the message may write another one meanwhile.
  const writer = spare ?? new PayloadWriter();
  spare = undefined;
  writer.begin();
  try {
    type.encode(message, writer);
    return writer.take();
  } finally {
    spare = writer;
  }
}

/** A generated function, which only its user knows the types of. */
type Generated = (...values: readonly unknown[]) => never;

/**
 * Makes a function from lines of code, in which the members of `scope` are names, with the generator of protobufjs.
 *
 * The lines may hold nothing of a schema but names as JSON strings.
 */
export function generate(parameters: string[], lines: readonly string[], scope: object): Generated {
  const append = util.codegen(parameters);
  for (const line of lines) append("%s", line);
  const holder: object = { made: append(scope) };
  return Reflect.get(holder, "made");
}

/** The generated function has two more parameters than its declaration. */
type DecodeFrom = (
  reader: Reader,
  length?: number,
  endTag?: number,
  depth?: number,
) => Readonly<Record<string, unknown>>;

function shapeOf(type: Type, shapes: Map<Type, ProtobufMessageShape>): ProtobufMessageShape {
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const fields: ProtobufFieldShape[] = [];
  const byName = new Map<string, ProtobufFieldShape>();
  const required: string[] = [];
  const oneofs = type.oneofsArray
    .filter((oneof) => !oneof.isProto3Optional)
    .map(({ name, oneof: members }) => ({ name, members }));
  const shape: ProtobufMessageShape = { name: bareName(type), fields, byName, oneofs, required };
  // A message may contain itself.
  shapes.set(type, shape);
  for (const field of type.fieldsArray) {
    const described = fieldShape(field.resolve(), shapes);
    fields.push(described);
    byName.set(field.name, described);
    if (field.required) required.push(field.name);
  }
  return shape;
}

function fieldShape(field: Field, shapes: Map<Type, ProtobufMessageShape>): ProtobufFieldShape {
  const { resolvedType } = field;
  const enumeration = resolvedType instanceof Enum ? enumShape(resolvedType) : undefined;
  const message = resolvedType instanceof Type ? shapeOf(resolvedType, shapes) : undefined;
  const kind = enumeration ? "enum" : message ? "message" : kindNamed(field.type);
  return {
    name: field.name,
    number: field.id,
    kind,
    label: field.map ? "map" : field.repeated ? "list" : "single",
    keyKind: field instanceof MapField ? kindNamed(field.keyType) : "string",
    // For message fields, protobufjs reports presence in proto2 only.
    presence: field.hasPresence || message !== undefined,
    absent: field.defaultValue,
    fallback: fallbackOf(kind, field.typeDefault, enumeration),
    inherited: field.name in Object.prototype,
    converts: resolvedType !== null,
    enumeration,
    message,
  };
}

function fallbackOf(
  kind: ProtobufFieldKind,
  typeDefault: unknown,
  enumeration: ProtobufEnumShape | undefined,
): unknown {
  if (kind.endsWith("64")) return 0n;
  if (enumeration !== undefined && typeof typeDefault === "number")
    return enumeration.names.get(typeDefault) ?? typeDefault;
  return typeDefault;
}

function enumShape(type: Enum): ProtobufEnumShape {
  const numbers = new Map(Object.entries(type.values));
  const names = new Map<number, string>();
  for (const [name, number] of numbers) if (!names.has(number)) names.set(number, name);
  return { numbers, names, closed: isClosed(type) };
}

/** The declarations of protobufjs leave the resolved features out. */
function isClosed(type: Enum): boolean {
  const features: unknown = Reflect.get(type, "_features");
  return typeof features === "object" && features !== null && Reflect.get(features, "enum_type") === "CLOSED";
}

const kinds = [
  ...(["double", "float", "int32", "uint32", "sint32", "fixed32", "sfixed32", "int64", "uint64", "sint64"] as const),
  ...(["fixed64", "sfixed64", "bool", "string", "bytes"] as const),
];

function kindNamed(name: string): ProtobufFieldKind {
  const kind = kinds.find((candidate) => candidate === name);
  if (kind === undefined)
    throw new SobreError("InvalidArgument", `The Protobuf schema has a field of unknown type "${name}".`);
  return kind;
}

function bareName(type: Type): string {
  return type.fullName.replace(/^\./, "");
}
