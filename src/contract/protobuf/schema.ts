import { invalidInput } from "../../errors/invalid-input.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import {
  common,
  Enum,
  type Field,
  MapField,
  Namespace,
  parse,
  Root,
  Service,
  Type,
  withFieldIndex,
} from "../../protobuf/protobufjs.ts";
import { isObject } from "../json-schema/json-value.ts";
import { isZero, wireForm } from "./wire-form.ts";
import type { EnumShape, FieldShape, MessageShape, Reserved } from "./shape.ts";

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
  readonly messages: ReadonlyMap<string, MessageShape>;
  readonly enums: ReadonlyMap<string, EnumShape>;
  readonly procedures: ReadonlyMap<string, ProcedureShape>;
  /** The messages of google.protobuf that came with an import; they are compared where fields lead to them. */
  readonly bundled: ReadonlySet<string>;
  /** The wire form of a plain object of protobufjs. */
  encode(type: string, value: Readonly<Record<string, unknown>>): Uint8Array;
  /** The plain object of a wire form; throws what protobufjs throws. */
  decode(type: string, payload: Uint8Array): Readonly<Record<string, unknown>>;
}

/**
 * Opens .proto text, or several texts by the names under which they import each other.
 *
 * @throws SobreError `InvalidArgument` when it cannot be read or an import is missing.
 */
export function openProtobufSchema(source: unknown): ProtobufSchema {
  const files = typeof source === "string" ? { "schema.proto": source } : source;
  if (!isObject(files) || Object.values(files).some((text) => typeof text !== "string"))
    throw new SobreError("InvalidArgument", "A Protobuf schema is the text of a .proto file, or a map of such texts.");
  try {
    const bundled = new Set<string>();
    return reflected(readRoot(files, bundled), bundled);
  } catch (error) {
    throw invalidInput("The Protobuf schema cannot be read", error);
  }
}

function readRoot(files: Readonly<Record<string, unknown>>, bundled: Set<string>): Root {
  const root = new Root();
  const missing = new Set<string>();
  const done = new Set<string>();
  const add = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    const own =
      Object.keys(files).find((name) => name === file) ?? Object.keys(files).find((name) => name.endsWith(`/${file}`));
    const text = own === undefined ? undefined : files[own];
    if (isOptionsFile(file)) root.addJSON(options);
    else if (typeof text === "string") {
      if (mostFieldsOf(text) > mostFields)
        throw new SobreError(
          "LimitExceeded",
          `A message of ${file} has more than ${mostFields} fields, which takes too long to compare.`,
        );
      done.add(own ?? file);
      // A file must follow the files that it extends.
      for (const [, name = ""] of text.matchAll(importStatement)) add(name);
      withFieldIndex(() => parse(withExactDefaults(text), root, { keepCase: true }));
    } else {
      const known = common.get(file)?.nested;
      if (known === undefined) missing.add(file);
      else {
        root.addJSON(known);
        const added = root.lookup("google.protobuf", [Namespace]);
        if (added instanceof Namespace) for (const message of added.nestedArray) bundled.add(nameOf(message));
      }
    }
  };
  for (const file of Object.keys(files)) add(file);
  try {
    root.resolveAll();
  } catch (error) {
    // An import that defines options only is not missed.
    if (missing.size === 0) throw error;
    const names = Array.from(missing, (name) => JSON.stringify(name)).join(", ");
    throw new SobreError(
      "InvalidArgument",
      `Imported but missing: ${names}. Pass them together with the other files.`,
      {
        cause: error,
      },
    );
  }
  return root;
}

/** protobufjs takes time with the square of the fields of one message. */
const mostFields = 4000;

/** Blanks are taken by one part of the pattern each, so that a text of blanks alone takes no longer than any other. */
const importStatement = /(?:^[ \t]*|;\s*)import\s+(?:(?:public|weak|option)\s+)?"([^"]+)"\s*;/gm;

const exactDefault = "(sobre.exact_default)";

/** Says defaults beyond 2^53 once more as text, since protobufjs reads them as the nearest double. */
function withExactDefaults(text: string): string {
  return text.replaceAll(
    /\bdefault\s*=\s*(-?)(0x[0-9a-f]{13,40}|[1-9]\d{15,40}|0[0-7]{17,40})(?=\s*[\],])/gi,
    (all, sign: string, digits: string) =>
      `${all}, ${exactDefault} = "${sign}${BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits)}"`,
  );
}

function isOptionsFile(name: string): boolean {
  return /^google\/protobuf\/(descriptor|\w+_features)\.proto$/.test(name);
}

const optionsMessage = { fields: {}, extensions: [[1000, 536_870_911]] };

/** As much of the descriptors as custom options extend. */
const options = {
  google: {
    nested: {
      protobuf: {
        nested: Object.fromEntries(
          ["File", "Message", "Field", "Oneof", "Enum", "EnumValue", "Service", "Method", "ExtensionRange"]
            .map((name) => `${name}Options`)
            .concat("FeatureSet")
            .map((name) => [name, optionsMessage]),
        ),
      },
    },
  },
};

function reflected(root: Root, bundled: ReadonlySet<string>): ProtobufSchema {
  const types = new Map<string, Type>();
  const messages = new Map<string, MessageShape>();
  const enums = new Map<string, EnumShape>();
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
  readonly known: Map<string, MessageShape>;
  private readonly open: (() => void)[] = [];

  constructor(known: Map<string, MessageShape>) {
    this.known = known;
  }

  of(type: Type): MessageShape {
    const made = this.known.get(nameOf(type)) ?? messageShape(type, this, this.open);
    this.known.set(made.name, made);
    return made;
  }

  describeAll(): void {
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) next();
  }
}

function messageShape(type: Type, messages: Messages, open: (() => void)[]): MessageShape {
  const name = nameOf(type);
  const fields: FieldShape[] = [];
  const byNumber = new Map<number, FieldShape>();
  const shape: MessageShape = {
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

function fieldShape(field: Field, { messages, jsonNames }: Surroundings): FieldShape {
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
    hasPresence: !isImplicit(field),
    unset: message || field.map || field.repeated ? undefined : unsetForm(field, kind),
    message,
    enumeration: resolvedType instanceof Enum ? enumShape(resolvedType) : undefined,
  };
}

/** Whether nothing says that the field was set; for members of a oneof protobufjs gives the oneof itself. */
function isImplicit({ hasPresence }: Field): boolean {
  return !hasPresence;
}

function jsonNameOf(field: Field): string {
  const jsonName: unknown = Reflect.get(field, "jsonName");
  return typeof jsonName === "string" ? jsonName : field.name;
}

/** protobufjs takes the default of bytes for Base64 where it can be; the text is as it was declared. */
function unsetForm({ typeDefault, options: declared }: Field, kind: string): string | undefined {
  const exact: unknown = kind === "float" || kind === "double" ? undefined : declared?.[exactDefault];
  const value: unknown = kind === "bytes" ? (declared?.["default"] ?? "") : (exact ?? typeDefault);
  if (value === null || value === undefined) return undefined;
  const form = wireForm(value, { kind: kind === "bytes" ? "string" : kind });
  return isZero(form) ? undefined : form;
}

function enumShape(type: Enum): EnumShape {
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

/** The declarations of protobufjs leave the resolved features out. */
function feature(type: object, name: string): unknown {
  const features: unknown = Reflect.get(type, "_features");
  return isObject(features) ? features[name] : undefined;
}

function nameOf(object: { readonly fullName: string }): string {
  return object.fullName.replace(/^\./, "");
}

const ignored = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const told = /\b(?:enum|oneof)\b|[{};]|=\s*\w+\s*(?=[;[])/g;

/** The number of fields of the message with the most, in the text of a .proto file; those of its oneofs are its own. */
export function mostFieldsOf(text: string): number {
  const blocks = [{ kind: "", fields: 0 }];
  let kind = "";
  let most = 0;
  for (const [token] of text.replaceAll(ignored, " ").matchAll(told)) {
    const block = blocks.at(-1);
    if (token === "{") {
      blocks.push({ kind, fields: 0 });
      kind = "";
    } else if (token === "}") {
      const closed = blocks.length > 1 ? blocks.pop() : undefined;
      const holder = blocks.at(-1);
      if (closed?.kind === "oneof" && holder !== undefined) holder.fields += closed.fields;
      if (closed?.kind !== "enum") most = Math.max(most, closed?.fields ?? 0, holder?.fields ?? 0);
    } else if (token === "enum" || token === "oneof") kind = token;
    else if (token === ";") kind = "";
    else if (block !== undefined) block.fields++;
  }
  return most;
}
