import { invalidInput } from "../../core/errors/invalid-input.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { Enum, type Field, MapField, Namespace, Root, Service, Type } from "../../core/protobuf/protobufjs.ts";
import { isObject } from "../json-schema/json-value.ts";
import { protoDeclarations } from "../report/proto-declarations.ts";
import { exactDefault, readRoot } from "./proto-root.ts";
import { isZero, wireForm } from "./wire-form.ts";
import type { ComparedEnum, ComparedField, ComparedMessage, Reserved } from "./shape.ts";

/** A remote procedure: its name, the types it takes and gives, and whether it may be called again. */
interface ProcedureShape {
  readonly name: string;
  readonly request: string;
  readonly response: string;
  readonly streams: string;
  /** Clients call one without side effects by another HTTP method. */
  readonly idempotency: string;
}

/** A schema of .proto files. */
export interface ProtobufSchema {
  readonly messages: ReadonlyMap<string, ComparedMessage>;
  readonly enums: ReadonlyMap<string, ComparedEnum>;
  readonly procedures: ReadonlyMap<string, ProcedureShape>;
  /** The messages and enums of built-in imports; they are compared where fields refer to them. */
  readonly bundled: ReadonlySet<string>;
  /** The full names of all declarations in imported files. */
  readonly imported: ReadonlySet<string>;
  /** The wire form of a plain object of protobufjs. */
  encode(type: string, value: Readonly<Record<string, unknown>>): Uint8Array;
  /** The plain object of a wire form; throws what protobufjs throws. */
  decode(type: string, payload: Uint8Array): Readonly<Record<string, unknown>>;
}

/** The text of a .proto file, and of the files that it imports by the names under which it does. */
export interface ImportingProto {
  readonly proto: string;
  readonly imports: Readonly<Record<string, string>>;
}

/**
 * Opens .proto text, or several texts by the names under which they import each other. Of an {@link ImportingProto}, imported
 * types count where the file's own types refer to them.
 *
 * @throws SobreError `InvalidArgument` when it cannot be read or an import is missing.
 */
export function openProtobufSchema(source: unknown): ProtobufSchema {
  const { own, imports } = protoFiles(source);
  try {
    const bundled = new Set<string>();
    const schema = reflected(readRoot({ ...own, ...imports }, bundled), bundled);
    return Object.keys(imports).length === 0 ? schema : withoutUnused(schema, Object.values(imports));
  } catch (error) {
    throw invalidInput("The Protobuf schema cannot be read", error);
  }
}

type Texts = Readonly<Record<string, string>>;

/** The texts of a schema: its own by `name`, and imported ones. @throws SobreError `InvalidArgument` when it is not one. */
export function protoFiles(source: unknown, name = "schema.proto"): { readonly own: Texts; readonly imports: Texts } {
  if (typeof source === "string") return { own: { [name]: source }, imports: {} };
  if (isImporting(source)) {
    const free = Object.hasOwn(source.imports, name) ? `<${name}>` : name;
    return { own: { [free]: source.proto }, imports: source.imports };
  }
  if (areTexts(source)) return { own: source, imports: {} };
  throw new SobreError("InvalidArgument", "A Protobuf schema is the text of a .proto file, or a map of such texts.");
}

function areTexts(source: unknown): source is Texts {
  return isObject(source) && Object.values(source).every((text) => typeof text === "string");
}

function isImporting(source: unknown): source is ImportingProto {
  return isObject(source) && typeof source["proto"] === "string" && areTexts(source["imports"]);
}

/** A schema without the unused types of imported files. */
function withoutUnused(schema: ProtobufSchema, texts: readonly string[]): ProtobufSchema {
  const imported = new Set(texts.flatMap((text) => Array.from(protoDeclarations(text).keys())));
  const used = new Set<string>();
  const open = Array.from(schema.messages.values()).filter(({ name }) => !imported.has(name));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (used.has(next.name)) continue;
    used.add(next.name);
    for (const { message, enumeration } of next.fields) {
      if (message !== undefined) open.push(message);
      if (enumeration !== undefined) used.add(enumeration.name);
    }
  }
  const kept = <Shape>(shapes: ReadonlyMap<string, Shape>): ReadonlyMap<string, Shape> =>
    new Map(Array.from(shapes).filter(([name]) => used.has(name) || !imported.has(name)));
  const { messages, enums, procedures } = schema;
  return { ...schema, imported, messages: kept(messages), enums: kept(enums), procedures: kept(procedures) };
}

function reflected(root: Root, bundled: ReadonlySet<string>): ProtobufSchema {
  const types = new Map<string, Type>();
  const messages = new Map<string, ComparedMessage>();
  const enums = new Map<string, ComparedEnum>();
  const procedures = new Map<string, ProcedureShape>();
  const visit = (namespace: Namespace): void => {
    for (const child of namespace.nestedArray) {
      if (child instanceof Type && !isOption(nameOf(child))) types.set(nameOf(child), child);
      if (child instanceof Enum) enums.set(nameOf(child), enumShape(child));
      if (child instanceof Service)
        for (const method of child.methodsArray) {
          procedures.set(`${nameOf(child)}.${method.name}`, {
            name: `${nameOf(child)}.${method.name}`,
            request: method.resolvedRequestType === null ? method.requestType : nameOf(method.resolvedRequestType),
            response: method.resolvedResponseType === null ? method.responseType : nameOf(method.resolvedResponseType),
            streams: `${method.requestStream === true} ${method.responseStream === true}`,
            idempotency: String(method.options?.["idempotency_level"] ?? "IDEMPOTENCY_UNKNOWN"),
          });
        }
      if (child instanceof Namespace) visit(child);
    }
  };
  visit(root);
  const shapes = new Messages(messages);
  for (const type of types.values()) shapes.of(type);
  shapes.describeAll();
  const typeNamed = (name: string): Type => types.get(name) ?? root.lookupType(name);
  return {
    messages,
    enums,
    procedures,
    bundled,
    imported: new Set(),
    encode: (name, value) => typeNamed(name).encode(typeNamed(name).fromObject(value)).finish(),
    decode: (name, payload) =>
      typeNamed(name).toObject(typeNamed(name).decode(payload), { longs: String, bytes: String }),
  };
}

function isOption(name: string): boolean {
  return /^google\.protobuf\.(\w+Options|FeatureSet)$/.test(name);
}

/** Messages may contain one another in rings of any length, so that each is named first and described later. */
class Messages {
  readonly known: Map<string, ComparedMessage>;
  readonly #open: (() => void)[] = [];

  constructor(known: Map<string, ComparedMessage>) {
    this.known = known;
  }

  of(type: Type): ComparedMessage {
    const made = this.known.get(nameOf(type)) ?? messageShape(type, this, this.#open);
    this.known.set(made.name, made);
    return made;
  }

  describeAll(): void {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next();
  }
}

function messageShape(type: Type, messages: Messages, open: (() => void)[]): ComparedMessage {
  const name = nameOf(type);
  const fields: ComparedField[] = [];
  const byNumber = new Map<number, ComparedField>();
  const shape: ComparedMessage = {
    name,
    fields,
    byNumber,
    reserved: reservedOf(type.reserved),
    strictJson: isStrictJson(type),
    isMessageSet: type.options?.["message_set_wire_format"] === true,
  };
  open.push(() => {
    const jsonNames = new Set(type.fieldsArray.map((field) => jsonNameOf(field.resolve())));
    for (const field of type.fieldsArray) {
      checkNumber(field, name);
      const described = fieldShape(field, { messages, jsonNames });
      fields.push(described);
      byNumber.set(described.number, described);
    }
  });
  return shape;
}

/** @throws SobreError `InvalidArgument` for a number that Protobuf does not allow. */
function checkNumber({ id, name }: Field, message: string): void {
  if (id >= 1 && id <= greatestNumber && !(id >= 19_000 && id <= 19_999)) return;
  throw new SobreError(
    "InvalidArgument",
    `${message}.${name} has the number ${id}; Protobuf allows 1 to ${greatestNumber}, except 19000 to 19999.`,
  );
}

const greatestNumber = 2 ** 29 - 1;

interface Surroundings {
  readonly messages: Messages;
  /** The JSON names of all fields of the message. */
  readonly jsonNames: ReadonlySet<string>;
}

function fieldShape(field: Field, { messages, jsonNames }: Surroundings): ComparedField {
  const { resolvedType, partOf, name } = field;
  const jsonName = jsonNameOf(field);
  const message = resolvedType instanceof Type ? messages.of(resolvedType) : undefined;
  // The messages of a map are never delimited.
  const isGroup = field.delimited && !field.map;
  const kind = message ? (isGroup ? "group" : "message") : resolvedType instanceof Enum ? "enum" : field.type;
  return {
    number: field.id,
    name,
    jsonName,
    readNames: jsonNames.has(name) ? [jsonName] : [jsonName, name],
    kind,
    label: field.map ? "map" : field.repeated ? "many" : "one",
    keyKind: field instanceof MapField ? field.keyType : "",
    required: field.required,
    oneof: partOf === null || partOf === undefined || partOf.isProto3Optional ? undefined : partOf.name,
    // For members of a oneof protobufjs gives the oneof itself.
    hasPresence: (partOf !== null && partOf !== undefined) || field.hasPresence,
    unset: message || field.map || field.repeated ? undefined : unsetForm(field, kind),
    message,
    enumeration: resolvedType instanceof Enum ? enumShape(resolvedType) : undefined,
  };
}

function jsonNameOf(field: Field): string {
  const jsonName: unknown = Reflect.get(field, "jsonName");
  return typeof jsonName === "string" ? jsonName : field.name;
}

/** The text of a default of bytes as declared; protobufjs reads it as Base64 if possible. */
function unsetForm({ typeDefault, options: declared }: Field, kind: string): string | undefined {
  const exact: unknown = kind === "float" || kind === "double" ? undefined : declared?.[exactDefault];
  const value: unknown = kind === "bytes" ? (declared?.["default"] ?? "") : (exact ?? typeDefault);
  if (value === null || value === undefined) return undefined;
  const form = wireForm(value, { kind: kind === "bytes" ? "string" : kind });
  return isZero(form) ? undefined : form;
}

function enumShape(type: Enum): ComparedEnum {
  const numbers = new Map(Object.entries(type.values));
  const names = new Map<number, string>();
  for (const [name, number] of numbers) if (!names.has(number)) names.set(number, name);
  return {
    name: nameOf(type),
    numbers,
    names,
    closed: feature(type, "enum_type") === "CLOSED",
    reserved: reservedOf(type.reserved),
    strictJson: isStrictJson(type),
  };
}

function reservedOf(reserved: readonly (readonly number[] | string)[] | undefined): Reserved {
  const ranges = (reserved ?? []).flatMap((entry): readonly (readonly [number, number])[] =>
    typeof entry === "string" ? [] : [[entry[0] ?? 0, entry[1] ?? 0]],
  );
  return { ranges, names: (reserved ?? []).filter((entry) => typeof entry === "string") };
}

function isStrictJson(type: object): boolean {
  return feature(type, "json_format") === "ALLOW";
}

/** The resolved features, which the declarations of protobufjs lack. */
function feature(type: object, name: string): unknown {
  const features: unknown = Reflect.get(type, "_features");
  return isObject(features) ? features[name] : undefined;
}

function nameOf(object: { readonly fullName: string }): string {
  return object.fullName.replace(/^\./, "");
}
