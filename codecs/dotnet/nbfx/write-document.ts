import { typeNameOf } from "../../../src/core/values/annotations.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { DateTimeOffset } from "../../../src/core/values/date-time-offset.ts";
import { Version } from "../../../src/core/values/named-text.ts";
import { QName } from "../../../src/core/values/q-name.ts";
import { itemNameOf, rootNameOf } from "../data-contract/type-names.ts";
import { encodeName, fieldOf, propertyName } from "../data-contract/element-facts.ts";
import { xmlNameOf } from "../data-contract/scalar-kind.ts";
import {
  type Contract,
  isReferenceType,
  type ListShape,
  type MapShape,
  type MemberShape,
  type ObjectShape,
  resolved,
  type ResolvedShape,
} from "../data-contract/shape.ts";
import { serialization, system, xsd, xsi } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";
import { arrayWriters } from "./array-values.ts";
import { ElementWriter } from "./element-writer.ts";
import { runtimeItems, runtimeScalar } from "./runtime-type.ts";
import { unsupported, versionFields, writeEnum, writeScalar } from "./write-scalar.ts";

/** Options of {@link writeNbfxDocument}. */
export interface NbfxWriteOptions {
  /** The type of the body. Default: the scalar type of the value. */
  readonly contract?: Contract | undefined;
  /** Whether every object is numbered and shared ones are referred to, as with `preserveObjectReferences`. Default: false. */
  readonly preserveReferences?: boolean | undefined;
}

/** Deeper values are refused, since writing is recursive. */
const maxDepth = 500;

/**
 * Writes a value as DataContractSerializer writes it over .NET's binary writer, so that `GetBody<T>()` reads it.
 *
 * @throws SobreError `UnsupportedValue` with the path for values that do not fit the contract.
 */
export function writeNbfxDocument(value: unknown, options: NbfxWriteOptions = {}): Uint8Array {
  return new DocumentWriter(options).write(value);
}

/** The place of a value. */
interface WrittenValuePlace {
  readonly path: string;
  readonly depth: number;
  /** The members of whose class declare it; in a value of another type that is written. */
  readonly shape: ResolvedShape;
}

class DocumentWriter {
  readonly #writer = new ElementWriter();
  readonly #contract: Contract | undefined;
  readonly #preserves: boolean;
  readonly #ids = new Map<unknown, number>();

  constructor({ contract, preserveReferences }: NbfxWriteOptions) {
    this.#contract = contract;
    this.#preserves = preserveReferences === true;
  }

  write(value: unknown): Uint8Array {
    const shape = this.#contract?.root ?? scalarShape(value);
    const isPrimitive = shape.kind === "enum" || (shape.kind === "scalar" && xmlNameOf(shape.scalar) !== undefined);
    const writer = this.#writer;
    writer.start(rootNameOf(shape));
    if (!isPrimitive || value === null || (shape.kind === "scalar" && shape.scalar === "any")) writer.declare(xsi, "i");
    if (shape.kind === "object" && shape.serializable) writer.declare(xsd, "x");
    this.#content(value, { path: "$", depth: 0, shape });
    writer.end();
    return writer.records.finish();
  }

  /** Writes the contents of an element, attributes first. */
  #content(value: unknown, place: WrittenValuePlace): void {
    const { path, depth } = place;
    const writer = this.#writer;
    if (depth > maxDepth) throw unsupported(path, `nests deeper than ${maxDepth} levels or contains itself`);
    if (value === null || value === undefined) {
      return writer.nil();
    }
    const shape = this.#runtimeShape(value, place);
    if (this.#isReferred(value, shape)) return;
    if (shape !== place.shape) writer.type(typeNameOfShape(shape));
    switch (shape.kind) {
      case "scalar":
        return this.#scalar(value, { ...place, shape }, shape);
      case "enum":
        writer.content();
        return writeEnum(writer.records, value, shape, path);
      case "object":
        return this.#object(value, shape, place);
      case "list":
        return this.#list(value, shape, place);
      default:
        return this.#map(value, shape, place);
    }
  }

  /** The shape to write: the value's own if the declared one is unspecific or another class. */
  #runtimeShape(value: unknown, { shape, path }: WrittenValuePlace): ResolvedShape {
    const typeName = typeNameOf(value);
    const known = typeName === undefined ? undefined : this.#contract?.known.get(typeName);
    if (known?.kind === "object" && (shape.kind === "object" || isAny(shape))) return known;
    if (!isAny(shape)) return shape;
    const scalar = runtimeScalar(value);
    if (scalar !== undefined) return { kind: "scalar", scalar };
    if (Array.isArray(value)) return listOf(runtimeItems(value));
    throw unsupported(path, "is not of a type that the contract declares");
  }

  /** Writes the number of an object, or refers to it; true when there is no more to write. */
  #isReferred(value: unknown, shape: ResolvedShape): boolean {
    const isText = shape.kind === "scalar" && shape.scalar === "string";
    const isReference =
      shape.kind === "object" ? shape.reference || !shape.isStruct : shape.kind === "list" || shape.kind === "map";
    const numbered = this.#preserves ? isReference || isText : shape.kind === "object" && shape.reference;
    if (!numbered) return false;
    const known = this.#ids.get(value);
    const id = known ?? this.#ids.size + 1;
    this.#ids.set(value, id);
    const local = known === undefined ? "Id" : "Ref";
    const name: XmlName = { namespace: serialization, local };
    const isNumber = this.#preserves && !(shape.kind === "object" && shape.reference);
    this.#writer.attribute("z", name, (records) => (isNumber ? records.integer(BigInt(id)) : records.text(`i${id}`)));
    if (known !== undefined && isNumber) this.#writer.nil();
    return known !== undefined;
  }

  #scalar(value: unknown, place: WrittenValuePlace, shape: ResolvedShape & { readonly kind: "scalar" }): void {
    const { path } = place;
    const writer = this.#writer;
    switch (shape.scalar) {
      case "dateTimeOffset":
        return this.#dateTimeOffset(value, place);
      case "version":
        if (!(value instanceof Version)) throw unsupported(path, "is not a version");
        for (const [name, part] of versionFields(value))
          this.#systemMember(name, (records) => records.integer(BigInt(part)));
        return;
      case "qname": {
        if (!(value instanceof QName)) throw unsupported(path, "is not a qname");
        const text = writer.qualified(value);
        writer.content();
        const [prefix = "", local] = text.split(":");
        // .NET writes the prefix, the colon and the name separately.
        for (const part of local === undefined ? [prefix] : [prefix, ":", local]) writer.records.text(part);
        return;
      }
      default:
        writer.content();
        return writeScalar(writer.records, value, shape.scalar, path);
    }
  }

  #dateTimeOffset(value: unknown, { path }: WrittenValuePlace): void {
    if (!(value instanceof DateTimeOffset)) throw unsupported(path, "is not a dateTimeOffset");
    this.#systemMember("DateTime", (records) => records.dateTime(new DateTime(value.utcTicks, "utc")));
    this.#systemMember("OffsetMinutes", (records) => records.integer(BigInt(value.offsetMinutes)));
  }

  #systemMember(local: string, write: (records: ElementWriter["records"]) => void): void {
    this.#writer.start({ namespace: system, local });
    this.#writer.content();
    write(this.#writer.records);
    this.#writer.end();
  }

  #object(value: unknown, shape: ObjectShape, { path, depth }: WrittenValuePlace): void {
    if (!isMembers(value)) throw unsupported(path, `is not of type ${shape.name.local}`);
    refuseStrangers(value, shape, path);
    for (const member of shape.members) {
      const inner = value[member.name] ?? value[propertyName(member.name)];
      if (member.omitDefault && isDefault(inner, member)) continue;
      const memberShape = resolved(member.shape);
      // .NET sets a missing member to the default of its type, and fails at a null that is not allowed.
      if (inner === undefined && !member.nullable) continue;
      if (inner === null && !member.nullable) {
        throw unsupported(`${path}.${member.name}`, 'is null, which its type may be with "null" beside it only');
      }
      const place = { path: `${path}.${member.name}`, depth: depth + 1, shape: memberShape };
      const namespace = shape.serializable ? "" : member.namespace;
      this.#startMember({ namespace, local: encodeName(member.name) }, memberShape);
      if (shape.serializable) {
        if (inner !== null && inner !== undefined) this.#writer.type(typeNameOfShape(memberShape));
      } else this.#declareNamespaceOf(memberShape, namespace);
      this.#content(inner, place);
      this.#writer.end();
    }
  }

  #startMember(name: XmlName, shape: ResolvedShape): void {
    const isQualified = shape.kind === "scalar" && shape.scalar === "qname" && name.namespace !== "";
    this.#writer.start(name, ...(isQualified ? ["q"] : []));
  }

  /** A member or list whose type is in another namespace declares it, even when it is null. */
  #declareNamespaceOf(shape: ResolvedShape, outer: string): void {
    if (shape.kind === "enum" || (shape.kind === "scalar" && xmlNameOf(shape.scalar) !== undefined)) return;
    const { namespace } = shape.kind === "scalar" ? itemNameOf(shape) : shape.name;
    if (namespace !== "" && namespace !== outer) this.#writer.declare(namespace);
  }

  #list(value: unknown, shape: ListShape, { path, depth }: WrittenValuePlace): void {
    if (!Array.isArray(value)) throw unsupported(path, "is not a list");
    const values: readonly unknown[] = value;
    const items = resolved(shape.items);
    const { item } = shape;
    this.#declareNamespaceOf(items, item.namespace);
    if (shape.isArray && items.kind === "scalar" && values.length > 0) {
      const isWritten = arrayWriters.get(items.scalar)?.(values, (type, width, set) => {
        this.#writer.arrayItem(item);
        this.#writer.records.arrayValues(type, width, values.length, set);
      });
      if (isWritten === true) return;
    }
    for (const [index, inner] of values.entries()) {
      refuseNull(inner, items, shape.itemsNullable, `${path}[${index}]`);
      this.#startMember(item, items);
      this.#content(inner, { path: `${path}[${index}]`, depth: depth + 1, shape: items });
      this.#writer.end();
    }
  }

  #map(value: unknown, shape: MapShape, { path, depth }: WrittenValuePlace): void {
    const entries = value instanceof Map ? [...value] : isMembers(value) ? Object.entries(value) : undefined;
    if (entries === undefined) throw unsupported(path, "is not a dictionary");
    const { entry, keyName, valueName } = shape;
    const key = resolved(shape.key);
    const inner = resolved(shape.value);
    const writer = this.#writer;
    for (const [index, [name, member]] of entries.entries()) {
      const place = { path: `${path}[${index}]`, depth: depth + 1 };
      writer.start(entry);
      for (const [local, part, partShape] of [
        [keyName, name, key],
        [valueName, member, inner],
      ] as const) {
        refuseNull(part, partShape, part === member && shape.valuesNullable, place.path);
        this.#startMember({ namespace: entry.namespace, local }, partShape);
        this.#declareNamespaceOf(partShape, entry.namespace);
        this.#content(part, { ...place, shape: partShape });
        writer.end();
      }
      writer.end();
    }
  }
}

/** Refuses a null that .NET would read as the default of the type. */
function refuseNull(value: unknown, shape: ResolvedShape, nullable: boolean, path: string): void {
  if ((value ?? null) !== null || nullable || isReferenceType(shape)) return;
  throw unsupported(path, 'is null, which its type may be with "null" beside it only');
}

/** The default of a nullable type is null rather than zero. */
function isDefault(value: unknown, { nullable }: MemberShape): boolean {
  if (value === undefined || value === null) return true;
  return !nullable && (value === 0 || value === 0n || value === false);
}

/** Refuses members that a class does not have, which would be silently omitted. */
function refuseStrangers(value: Readonly<Record<string, unknown>>, { name, byName }: ObjectShape, path: string): void {
  const stranger = Object.keys(value).find(
    (member) => !byName.has(member) && !byName.has(fieldOf(member)) && value[member] !== undefined,
  );
  if (stranger !== undefined)
    throw unsupported(`${path}.${stranger}`, `is not a member of ${name.local} in the contract`);
}

/** An object with members, not one that is a scalar value. */
export function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof Map || value instanceof Set || value instanceof Date || ArrayBuffer.isView(value));
}

function scalarShape(value: unknown): ResolvedShape {
  const scalar = value === null ? "string" : runtimeScalar(value);
  if (scalar === undefined) throw unsupported("$", "needs a contract; pass one in contracts");
  return { kind: "scalar", scalar };
}

function listOf(items: ResolvedShape): ListShape {
  const item = itemNameOf(items);
  const name = { ...item, local: `ArrayOf${item.local}` };
  return { kind: "list", items, item, itemsNullable: false, name, isArray: true };
}

/** The name by which `i:type` names a type. */
function typeNameOfShape(shape: ResolvedShape): XmlName {
  return (shape.kind === "scalar" ? xmlNameOf(shape.scalar) : undefined) ?? itemNameOf(shape);
}

/** Whether a value may be of any type. */
export function isAny(shape: ResolvedShape): boolean {
  return shape.kind === "scalar" && shape.scalar === "any";
}
