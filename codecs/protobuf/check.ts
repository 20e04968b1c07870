import { valuePath } from "../../src/core/codec/value-path.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { holdsDigits, holdsInteger, integerWords } from "./integer-range.ts";
import { innermostMessage } from "./reflection.ts";
import type { ProtobufEnumShape, ProtobufFieldKind, ProtobufFieldShape, ProtobufMessageShape } from "./shape.ts";
import { isPlain, isWellFormed } from "./value-tests.ts";

type CheckedMembers = Readonly<Record<string, unknown>>;

/**
 * Turns a body into what protobufjs writes faithfully: it would write `"abc"` as 0 and forget members it does not know.
 *
 * Values that need no change are passed on as they are.
 *
 * @throws SobreError `UnsupportedValue` with the path to a value that the schema does not hold.
 */
export function toMessage(body: unknown, shape: ProtobufMessageShape): CheckedMembers {
  return new Check().message(body, shape, 0, 0);
}

class Check {
  /** Names and indexes on the way to the current value. */
  readonly #steps: (string | number)[] = [];

  /** `at` is the number of steps to the value, `depth` the number of messages around it. */
  message(value: unknown, shape: ProtobufMessageShape, at: number, depth: number): CheckedMembers {
    if (!isPlain(value)) throw this.#unsupported(`a plain object for ${shape.name}`, at);
    if (depth > innermostMessage) {
      throw this.#unsupported(`messages nested at most ${innermostMessage} deep, and none that contains itself`, at);
    }
    let message: Record<string, unknown> | undefined;
    let found = 0;
    for (const field of shape.fields) {
      const { name } = field;
      const member = value[name];
      if (member === undefined || (field.inherited && !Object.hasOwn(value, name))) continue;
      found++;
      this.#steps[at] = name;
      const checked =
        field.label === "single" ? this.#one(member, field, at + 1, depth) : this.#many(member, field, at + 1, depth);
      if (checked === member) continue;
      message ??= { ...value };
      message[name] = checked;
    }
    if (found !== countMembers(value)) this.#refuseOthers(value, shape, at);
    if (shape.oneofs.length > 0) this.#checkOneofs(value, shape, at);
    for (const name of shape.required) {
      if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
      this.#steps[at] = name;
      throw this.#unsupported(`a value for every required field of ${shape.name}`, at + 1);
    }
    return message ?? value;
  }

  #refuseOthers(value: CheckedMembers, shape: ProtobufMessageShape, at: number): void {
    for (const name of Object.keys(value)) {
      if (value[name] === undefined || shape.byName.has(name)) continue;
      this.#steps[at] = name;
      throw this.#unsupported(`only the fields of ${shape.name}, and this is not one of them`, at + 1);
    }
  }

  #checkOneofs(value: CheckedMembers, shape: ProtobufMessageShape, at: number): void {
    for (const { name: oneof, members } of shape.oneofs) {
      const given = members.filter((name) => Object.hasOwn(value, name) && value[name] !== undefined);
      if (given.length < 2) continue;
      this.#steps[at] = given[1] ?? oneof;
      throw this.#unsupported(`only one member of oneof ${oneof}`, at + 1);
    }
  }

  #many(value: unknown, field: ProtobufFieldShape, at: number, depth: number): unknown {
    if (field.label === "map") return this.#map(value, field, at, depth);
    if (!Array.isArray(value)) throw this.#unsupported("a list", at);
    let list: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      this.#steps[at] = index;
      const item: unknown = value[index];
      const checked = this.#one(item, field, at + 1, depth);
      if (checked === item) continue;
      list ??= [...value];
      list[index] = checked;
    }
    return list ?? value;
  }

  #map(value: unknown, field: ProtobufFieldShape, at: number, depth: number): object {
    if (!isPlain(value)) throw this.#unsupported("a plain object, its names as the keys", at);
    const map = {};
    for (const key of Object.keys(value)) {
      this.#steps[at] = key;
      this.#key(key, field.keyKind, at + 1);
      const entry = this.#one(value[key], field, at + 1, depth);
      // An assignment of "__proto__" would replace the prototype.
      Object.defineProperty(map, key, { value: entry, enumerable: true, configurable: true, writable: true });
    }
    return map;
  }

  #key(key: string, kind: ProtobufFieldKind, at: number): void {
    if (kind === "string") this.#text(key, at);
    else if (kind === "bool") {
      if (key !== "true" && key !== "false") throw this.#unsupported('a key "true" or "false"', at);
    } else if (!holdsDigits(kind, key)) throw this.#unsupported(`${integerWords(kind)} in digits as the key`, at);
  }

  #one(value: unknown, field: ProtobufFieldShape, at: number, depth: number): unknown {
    const { kind } = field;
    switch (kind) {
      case "string":
        return this.#text(value, at);
      case "message":
        return field.message === undefined ? value : this.message(value, field.message, at, depth + 1);
      case "double":
        if (typeof value !== "number") throw this.#unsupported("a number", at);
        return value;
      case "bool":
        if (typeof value !== "boolean") throw this.#unsupported("a boolean", at);
        return value;
      case "enum":
        return field.enumeration === undefined ? value : this.#enumNumber(value, field.enumeration, at);
      case "bytes":
        if (!(value instanceof Uint8Array)) throw this.#unsupported("a Uint8Array", at);
        return value;
      case "float":
        if (typeof value !== "number" || overflowsFloat(value)) throw this.#unsupported("a number within 32 bits", at);
        return value;
      case "int64":
      case "uint64":
      case "sint64":
      case "fixed64":
      case "sfixed64":
        return this.#long(value, kind, at);
      default:
        if (typeof value !== "number" || !holdsInteger(kind, value)) throw this.#unsupported(integerWords(kind), at);
        return value;
    }
  }

  #text(value: unknown, at: number): string {
    if (typeof value !== "string") throw this.#unsupported("a string", at);
    if (!isWellFormed.call(value)) throw this.#unsupported("a string without half a surrogate pair", at);
    return value;
  }

  #enumNumber(value: unknown, { numbers, names, closed }: ProtobufEnumShape, at: number): number {
    const number = typeof value === "string" ? numbers.get(value) : value;
    const known = typeof number === "number" && (closed ? names.has(number) : holdsInteger("int32", number));
    if (!known) throw this.#unsupported("a name of the enum, or a number of it", at);
    return number;
  }

  #long(value: unknown, kind: ProtobufFieldKind, at: number): number | bigint {
    const held = (typeof value === "number" || typeof value === "bigint") && holdsInteger(kind, value);
    // The generated code knows the number 0 only.
    if (held) return value === 0n ? 0 : value;
    throw this.#unsupported(`${integerWords(kind)}, as a bigint or a safe integer`, at);
  }

  #unsupported(wanted: string, at: number): SobreError {
    const path = valuePath(this.#steps.slice(0, at));
    const message = `Protobuf takes ${wanted}, at ${path}. Change the body or its message type.`;
    return new SobreError("UnsupportedValue", message, { path });
  }
}

function overflowsFloat(value: number): boolean {
  return Number.isFinite(value) && !Number.isFinite(Math.fround(value));
}

function countMembers(value: CheckedMembers): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}
