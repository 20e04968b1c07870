import { SobreError } from "../../src/errors/index.ts";
import { deepestMessage } from "./reflection.ts";
import type { EnumShape, FieldKind, FieldShape, MessageShape } from "./shape.ts";
import { integerRange, isInRange } from "./integer-range.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Turns a body into what protobufjs writes faithfully: it would write `"abc"` as 0 and forget members it does not know.
 *
 * @throws SobreError `UnsupportedValue` with the path to a value that the schema does not hold.
 */
export function toMessage(body: unknown, shape: MessageShape): Record<string, unknown> {
  return new Check().message(body, shape);
}

class Check {
  /** Names and indexes on the way to the current value. */
  private readonly steps: (string | number)[] = [];
  private depth = 0;

  message(value: unknown, shape: MessageShape): Record<string, unknown> {
    if (!isPlain(value)) throw this.unsupported(`a plain object of ${shape.name}`);
    if (this.depth > deepestMessage) {
      throw this.unsupported(`at most ${deepestMessage} levels, and no object that contains itself`);
    }
    this.depth++;
    const message: Record<string, unknown> = {};
    let oneofs: Set<string> | undefined;
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      this.steps.push(name);
      const field = shape.byName.get(name);
      if (field === undefined) throw this.unsupported(`only fields of ${shape.name}, and this is none`);
      if (field.oneof !== undefined) {
        oneofs ??= new Set();
        if (oneofs.has(field.oneof)) throw this.unsupported(`only one member of oneof ${field.oneof}`);
        oneofs.add(field.oneof);
      }
      message[name] = this.field(member, field);
      this.steps.pop();
    }
    for (const name of shape.required) {
      if (Object.hasOwn(message, name)) continue;
      this.steps.push(name);
      throw this.unsupported(`the required field ${name} of ${shape.name}`);
    }
    this.depth--;
    return message;
  }

  private field(value: unknown, field: FieldShape): unknown {
    switch (field.label) {
      case "single":
        return this.one(value, field);
      case "list":
        return this.list(value, field);
      case "map":
        return this.map(value, field);
      default:
        return field.label satisfies never;
    }
  }

  private list(value: unknown, field: FieldShape): unknown[] {
    if (!Array.isArray(value)) throw this.unsupported("a list");
    return Array.from(value, (item: unknown, index) => {
      this.steps.push(index);
      const checked = this.one(item, field);
      this.steps.pop();
      return checked;
    });
  }

  private map(value: unknown, field: FieldShape): object {
    if (!isPlain(value)) throw this.unsupported("a plain object, the keys as its names");
    const map = {};
    for (const key of Object.keys(value)) {
      this.steps.push(key);
      this.key(key, field.keyKind);
      const entry = this.one(value[key], field);
      // An assignment of "__proto__" would replace the prototype.
      Object.defineProperty(map, key, { value: entry, enumerable: true, configurable: true, writable: true });
      this.steps.pop();
    }
    return map;
  }

  private key(key: string, kind: FieldKind): void {
    if (kind === "string") this.text(key);
    else if (kind === "bool") {
      if (key !== "true" && key !== "false") throw this.unsupported('a key "true" or "false"');
    } else if (!/^(0|-?[1-9]\d{0,19})$/.test(key) || !isInRange(BigInt(key), kind)) {
      throw this.unsupported(`a key in decimal digits, ${integerRange(kind)}`);
    }
  }

  private one(value: unknown, field: FieldShape): unknown {
    const { kind } = field;
    switch (kind) {
      case "message":
        return field.message === undefined ? value : this.message(value, field.message);
      case "enum":
        return field.enumeration === undefined ? value : this.enumNumber(value, field.enumeration);
      case "bool":
        if (typeof value !== "boolean") throw this.unsupported("a boolean");
        return value;
      case "string":
        return this.text(value);
      case "bytes":
        if (!(value instanceof Uint8Array)) throw this.unsupported("a Uint8Array");
        return value;
      case "double":
      case "float":
        if (typeof value !== "number" || (kind === "float" && overflowsFloat(value))) {
          throw this.unsupported(kind === "float" ? "a number of 32-bit range" : "a number");
        }
        return value;
      case "int64":
      case "uint64":
      case "sint64":
      case "fixed64":
      case "sfixed64":
        return this.long(value, kind);
      default:
        if (typeof value !== "number" || !isInRange(value, kind))
          throw this.unsupported(`an integer ${integerRange(kind)}`);
        return value;
    }
  }

  private text(value: unknown): string {
    if (typeof value !== "string" || /\p{Surrogate}/u.test(value)) {
      throw this.unsupported(typeof value === "string" ? "a string without half a surrogate pair" : "a string");
    }
    return value;
  }

  private enumNumber(value: unknown, { numbers, names, closed }: EnumShape): number {
    const number = typeof value === "string" ? numbers.get(value) : value;
    const known = typeof number === "number" && (closed ? names.has(number) : isInRange(number, "int32"));
    if (!known) throw this.unsupported("a name of the enum, or a number of it");
    return number;
  }

  /** Numbers go to protobufjs as they are, larger ones in two halves. */
  private long(value: unknown, kind: FieldKind): number | { readonly low: number; readonly high: number } {
    if (typeof value === "number" && isInRange(value, kind)) return value;
    if (typeof value !== "bigint" || !isInRange(value, kind)) {
      throw this.unsupported(`a bigint or safe integer ${integerRange(kind)}`);
    }
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)) };
  }

  private unsupported(wanted: string): SobreError {
    const path = this.steps.reduce<string>(appendStep, "$");
    return new SobreError(
      "UnsupportedValue",
      `The message takes ${wanted}, at ${path}. Change the body or its message type.`,
      {
        path,
      },
    );
  }
}

function overflowsFloat(value: number): boolean {
  return Number.isFinite(value) && !Number.isFinite(Math.fround(value));
}

function isPlain(value: unknown): value is Members {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function appendStep(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
}
