import { isPlainPrototype } from "../../src/core/values/plain-object.ts";
import { valuePath } from "../../src/core/codec/value-path.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { Instant } from "../../src/core/values/instant.ts";
import { ByteSink } from "./byte-sink.ts";
import { MsgpackExtension } from "../../src/core/values/msgpack-extension.ts";
import { timestampParts, timestampType } from "./timestamp.ts";

/** Bodies nested deeper are refused, which also ends bodies that contain themselves. */
const maxDepth = 512;

/** Limits and options of {@link writeMsgpack}. */
export interface WriteRules {
  /** Whether a member `__proto__` is written, or refused. */
  readonly protoKey: "refuse" | "keep";
}

let spare: Writer | undefined;

/**
 * Writes one value in the shortest form that reads back as the same value.
 *
 * Integers stay integers up to 64 bits; other numbers and `-0` are float 64. Members that are `undefined` are left out.
 *
 * @throws SobreError `UnsupportedValue` with the path to what MessagePack cannot hold.
 */
export function writeMsgpack(body: unknown, rules: WriteRules): Uint8Array {
  // A getter of the body may encode another one meanwhile.
  const writer = spare ?? new Writer();
  spare = undefined;
  try {
    return writer.write(body, rules);
  } finally {
    spare = writer;
  }
}

class Writer {
  readonly #sink = new ByteSink();
  #rules: WriteRules = { protoKey: "refuse" };
  /** Names and indexes on the way to the current value, by depth. */
  readonly #steps: (string | number)[] = [];

  write(body: unknown, rules: WriteRules): Uint8Array {
    this.#rules = rules;
    this.#sink.begin();
    this.#value(body, 0);
    return this.#sink.take();
  }

  #value(value: unknown, depth: number): void {
    switch (typeof value) {
      case "string":
        if (!this.#sink.text(value)) throw this.#unsupported("a string with half a surrogate pair", depth);
        return;
      case "number":
        this.#number(value);
        return;
      case "boolean":
        this.#sink.byte(value ? 0xc3 : 0xc2);
        return;
      case "bigint":
        this.#bigint(value, depth);
        return;
      case "object":
        if (value === null) this.#sink.byte(0xc0);
        else this.#object(value, depth);
        return;
      default:
        throw this.#unsupported(value === undefined ? "undefined" : `a ${typeof value}`, depth);
    }
  }

  #number(value: number): void {
    // Only a float keeps the sign of -0.
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.#sink.head(0xcb, 8);
      this.#sink.float64(value);
    } else if (value >= 0) this.#natural(value);
    else this.#negative(value);
  }

  #natural(value: number): void {
    if (value < 0x80) this.#sink.byte(value);
    else if (value < 0x100) this.#sink.unsigned(0xcc, value, 1);
    else if (value < 0x1_0000) this.#sink.unsigned(0xcd, value, 2);
    else if (value < 0x1_0000_0000) this.#sink.unsigned(0xce, value, 4);
    else this.#sink.integer64(0xcf, value);
  }

  #negative(value: number): void {
    if (value >= -0x20) this.#sink.byte(value & 0xff);
    else if (value >= -0x80) this.#sink.unsigned(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#sink.unsigned(0xd1, value & 0xffff, 2);
    else if (value >= -0x8000_0000) this.#sink.unsigned(0xd2, value >>> 0, 4);
    else this.#sink.integer64(0xd3, value);
  }

  #bigint(value: bigint, depth: number): void {
    const fits = value < 0n ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
    if (!fits) throw this.#unsupported("a bigint of more than 64 bits", depth);
    this.#sink.bigint64(value < 0n ? 0xd3 : 0xcf, value);
  }

  #object(value: object, depth: number): void {
    if (depth >= maxDepth)
      throw this.#unsupported(`a value ${maxDepth} levels deep, or one that contains itself`, depth);
    if (Array.isArray(value)) this.#list(value, depth);
    else if (isPlain(value)) this.#members(value, depth);
    else if (value instanceof Map) this.#entries(value, depth);
    else if (value instanceof Uint8Array) this.#sink.binary(value);
    else if (value instanceof Date || value instanceof Instant) this.#time(value, depth);
    else if (value instanceof MsgpackExtension) {
      this.#sink.extensionHead(value.type, value.data.length);
      this.#sink.bytes(value.data);
    } else throw this.#unsupported("an object that is neither plain nor a type of MessagePack", depth);
  }

  #list(list: readonly unknown[], depth: number): void {
    this.#sink.containerHead(0x90, 0xdc, list.length);
    for (let index = 0; index < list.length; index++) {
      this.#steps[depth] = index;
      this.#value(list[index], depth + 1);
    }
  }

  #members(members: Readonly<Record<string, unknown>>, depth: number): void {
    const names = Object.keys(members);
    const headAt = this.#sink.containerHead(0x80, 0xde, names.length);
    let left = 0;
    for (const name of names) {
      const member = members[name];
      if (member === undefined) {
        left++;
        continue;
      }
      this.#steps[depth] = name;
      if (name === "__proto__" && this.#rules.protoKey === "refuse") {
        throw this.#unsupported("a member __proto__, which option protoKey refuses", depth + 1);
      }
      if (!this.#sink.text(name)) throw this.#unsupported("a name with half a surrogate pair", depth + 1);
      this.#value(member, depth + 1);
    }
    if (left > 0) this.#sink.recount(headAt, names.length - left);
  }

  #entries(map: ReadonlyMap<unknown, unknown>, depth: number): void {
    this.#sink.containerHead(0x80, 0xde, map.size);
    let index = 0;
    for (const [key, value] of map) {
      this.#steps[depth] = typeof key === "string" ? key : index;
      this.#value(key, depth + 1);
      this.#value(value, depth + 1);
      index++;
    }
  }

  #time(time: Date | Instant, depth: number): void {
    const parts = timestampParts(time);
    if (parts === undefined) throw this.#unsupported("an invalid date or one beyond 64 bits of seconds", depth);
    const { seconds, nanoseconds } = parts;
    if (seconds < 0n || seconds >= 1n << 34n) {
      this.#sink.extensionHead(timestampType, 12);
      this.#sink.uint32(nanoseconds);
      this.#sink.bigint(seconds);
    } else if (nanoseconds === 0 && seconds < 1n << 32n) {
      this.#sink.extensionHead(timestampType, 4);
      this.#sink.uint32(Number(seconds));
    } else {
      this.#sink.extensionHead(timestampType, 8);
      this.#sink.bigint((BigInt(nanoseconds) << 34n) | seconds);
    }
  }

  #unsupported(what: string, depth: number): SobreError {
    const path = valuePath(this.#steps.slice(0, depth));
    return new SobreError(
      "UnsupportedValue",
      `MessagePack cannot hold ${what}, at ${path}. Convert it before sending, or leave it out.`,
      { path },
    );
  }
}

/** Whether an object is a plain object: literals, objects without prototype, and those of other realms. */
function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  return isPlainPrototype(Object.getPrototypeOf(value));
}
