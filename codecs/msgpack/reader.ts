import { TextCache, utf8Text } from "../../src/core/codec/binary/text.ts";
import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { MsgpackExtension } from "../../src/core/values/msgpack-extension.ts";
import { readTimestamp, timestampType } from "./timestamp.ts";

/** Limits and options of {@link readMsgpack}. */
export interface MsgpackReadRules {
  readonly limits: DecodeLimits;
  /** Whether a map key `__proto__` is kept as an own property, or refused. */
  readonly protoKey: "refuse" | "keep";
}

/**
 * Reads exactly one value from the whole payload; every form of the MessagePack specification.
 *
 * @throws SobreError with the byte offset: `TruncatedPayload`, `TrailingBytes`, `LimitExceeded` or `DecodeFailed`.
 */
export function readMsgpack(payload: Uint8Array, rules: MsgpackReadRules): unknown {
  const reader = new Reader(payload, rules);
  const value = reader.value(0);
  if (reader.at < payload.length) {
    throw new SobreError(
      "TrailingBytes",
      `The MessagePack value ends at byte ${reader.at}, and ${payload.length - reader.at} bytes are left over. ` +
        "Send one value per message.",
      { offset: reader.at },
    );
  }
  return value;
}

/** Keys of at most 31 bytes repeat from message to message. */
const keys = new TextCache(31);

class Reader {
  at = 0;
  #items = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #rules: MsgpackReadRules;

  constructor(bytes: Uint8Array, rules: MsgpackReadRules) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#rules = rules;
  }

  value(depth: number): unknown {
    const token = this.#bytes[this.at++];
    if (token === undefined) throw this.#truncated();
    if (token < 0x80) return token;
    if (token < 0x90) return this.#map(token & 0x0f, depth);
    if (token < 0xa0) return this.#list(token & 0x0f, depth);
    if (token < 0xc0) return this.#text(token & 0x1f);
    if (token >= 0xe0) return token - 0x100;
    return this.#long(token, depth);
  }

  #long(token: number, depth: number): unknown {
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#binary(this.#length(1 << (token - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#length(1 << (token - 0xc7)));
      case 0xca:
        return this.#view.getFloat32(this.#take(4));
      case 0xcb:
        return this.#view.getFloat64(this.#take(8));
      case 0xcc:
        return this.#view.getUint8(this.#take(1));
      case 0xcd:
        return this.#view.getUint16(this.#take(2));
      case 0xce:
        return this.#view.getUint32(this.#take(4));
      case 0xcf:
        return this.#unsigned64(this.#take(8));
      case 0xd0:
        return this.#view.getInt8(this.#take(1));
      case 0xd1:
        return this.#view.getInt16(this.#take(2));
      case 0xd2:
        return this.#view.getInt32(this.#take(4));
      case 0xd3:
        return this.#signed64(this.#take(8));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (token - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#length(1 << (token - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#length(token === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(token === 0xde ? 2 : 4), depth);
      default:
        throw this.#failed("The byte is 0xc1, which MessagePack never uses", this.at - 1);
    }
  }

  /** Moves past `count` bytes and returns where they begin. */
  #take(count: number): number {
    const begin = this.at;
    if (count > this.#bytes.length - begin) throw this.#truncated();
    this.at = begin + count;
    return begin;
  }

  #length(width: number): number {
    const at = this.#take(width);
    return width === 1 ? this.#view.getUint8(at) : width === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #unsigned64(at: number): number | bigint {
    const high = this.#view.getUint32(at);
    return high < 0x20_0000 ? high * 2 ** 32 + this.#view.getUint32(at + 4) : this.#view.getBigUint64(at);
  }

  #signed64(at: number): number | bigint {
    const value = this.#view.getInt32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
    return Number.isSafeInteger(value) ? value : this.#view.getBigInt64(at);
  }

  #text(length: number): string {
    const begin = this.#take(length);
    try {
      return utf8Text(this.#bytes, begin, this.at);
    } catch {
      throw this.#failed("A string is not well-formed UTF-8", begin);
    }
  }

  #binary(length: number): Uint8Array {
    const begin = this.#take(length);
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + begin, length);
  }

  #extension(length: number): unknown {
    const type = this.#view.getInt8(this.#take(1));
    const begin = this.at;
    const data = this.#binary(length);
    if (type !== timestampType) return new MsgpackExtension(type, data);
    const time = readTimestamp(this.#view, begin, length);
    if (time === undefined)
      throw this.#failed("A timestamp has a length or nanoseconds that the format forbids", begin);
    return time;
  }

  #list(count: number, depth: number): unknown[] {
    this.#enter(count, count, depth);
    const list: unknown[] = [];
    for (let index = 0; index < count; index++) list.push(this.value(depth + 1));
    return list;
  }

  #map(count: number, depth: number): object {
    this.#enter(count, count * 2, depth);
    const object: Record<string, unknown> = {};
    for (let index = 0; index < count; index++) {
      const keyAt = this.at;
      const key = this.#key(depth + 1);
      if (typeof key !== "string") return this.#mixedMap(object, key, count - index, depth);
      if (key === "__proto__") this.#setProto(object, keyAt, depth);
      else object[key] = this.value(depth + 1);
    }
    return object;
  }

  #key(depth: number): unknown {
    const token = this.#bytes[this.at];
    if (token === undefined || token < 0xa0 || token > 0xbf) return this.value(depth);
    this.at++;
    const begin = this.#take(token & 0x1f);
    try {
      return keys.read(this.#bytes, begin, this.at, utf8Text);
    } catch {
      throw this.#failed("A map key is not well-formed UTF-8", begin);
    }
  }

  #setProto(object: object, keyAt: number, depth: number): void {
    if (this.#rules.protoKey === "refuse") {
      throw this.#failed("A map has a key that names the prototype, which option protoKey refuses", keyAt);
    }
    const value = this.value(depth + 1);
    // An assignment would replace the prototype.
    Object.defineProperty(object, "__proto__", { value, enumerable: true, configurable: true, writable: true });
  }

  /** Goes on as a `Map` from the first key that is not a string. */
  #mixedMap(begun: object, firstKey: unknown, left: number, depth: number): Map<unknown, unknown> {
    const map = new Map<unknown, unknown>(Object.entries(begun));
    map.set(firstKey, this.value(depth + 1));
    for (let index = 1; index < left; index++) {
      const key = this.#key(depth + 1);
      map.set(key, this.value(depth + 1));
    }
    return map;
  }

  /** Checks a list or map before anything is allocated for it; every value needs at least one byte. */
  #enter(count: number, fewestBytes: number, depth: number): void {
    const { limits } = this.#rules;
    if (depth >= limits.maxDepth) throw limitExceeded("maxDepth", limits, { offset: this.at });
    if (fewestBytes > this.#bytes.length - this.at) throw this.#truncated();
    this.#items += count;
    if (this.#items > limits.maxItems) throw limitExceeded("maxItems", limits, { offset: this.at });
  }

  #truncated(): SobreError {
    return new SobreError(
      "TruncatedPayload",
      `The MessagePack payload of ${this.#bytes.length} bytes ends inside the value at byte ${Math.min(this.at, this.#bytes.length)}. ` +
        "Send it whole.",
      { offset: Math.min(this.at, this.#bytes.length) },
    );
  }

  #failed(what: string, offset: number): SobreError {
    return new SobreError(
      "DecodeFailed",
      `${what}, at byte ${offset}. Check that the sender writes MessagePack and that the content type says so.`,
      { offset },
    );
  }
}
