import { readTimestamp, timestampType } from "../../../codecs/msgpack/timestamp.ts";
import { knownValue, type SourceValues } from "./source-values.ts";
import { keysOfNumber, keysOfScalar, type ValueKey } from "./value-keys.ts";

/** Collects the scalars of a MessagePack payload that was already read: every entry of a map, even of keys that come twice. */
export function collectMsgpack(bytes: Uint8Array, into: SourceValues): void {
  const walk = new TokenWalk(bytes);
  walk.collect(walk.token(), { into, name: undefined, path: "$" });
}

/** A value of the payload: entries keep their order and their repeated keys. */
type Token =
  | { readonly kind: "null" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "scalar"; readonly keys: readonly ValueKey[] }
  | { readonly kind: "list"; readonly items: readonly Token[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [key: Token, value: Token])[] };

interface TokenPlace {
  readonly into: SourceValues;
  readonly name: string | undefined;
  readonly path: string;
}

class TokenWalk {
  #at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  collect(token: Token, { into, name, path }: TokenPlace): void {
    if (token.kind === "null") into.allow(name, []);
    else if (token.kind === "scalar") into.add(knownValue(name, path, token.keys));
    else if (token.kind === "text") {
      if (token.text === "") into.empties++;
      into.add(knownValue(name, path, [`s${token.text}`]));
    } else if (token.kind === "list") {
      if (token.items.length === 0) into.empties++;
      for (const item of token.items) this.collect(item, { into, name: undefined, path: `${path}[]` });
    } else this.#collectEntries(token.entries, { into, name, path });
  }

  #collectEntries(entries: readonly (readonly [key: Token, value: Token])[], { into, path }: TokenPlace): void {
    if (entries.length === 0) into.empties++;
    const areMembers = entries.every(([key]) => key.kind === "text");
    for (const [key, value] of entries) {
      if (areMembers && key.kind === "text") {
        into.addMember(key.text);
        this.collect(value, { into, name: key.text, path: `${path}.${key.text}` });
      } else {
        this.collect(key, { into, name: undefined, path: `${path}[key]` });
        this.collect(value, { into, name: undefined, path: `${path}[value]` });
      }
    }
  }

  token(): Token {
    const head = this.#unsigned(1);
    if (head < 0x80) return number(head);
    if (head < 0x90) return this.#map(head & 0x0f);
    if (head < 0xa0) return this.#list(head & 0x0f);
    if (head < 0xc0) return this.#text(head & 0x1f);
    if (head >= 0xe0) return number(head - 0x100);
    const view = this.#view;
    if (head === 0xc0) return { kind: "null" };
    if (head < 0xc4) return { kind: "scalar", keys: [`b${head === 0xc3}`] };
    if (head < 0xc7) return { kind: "scalar", keys: keysOfScalar(this.#take(this.#unsigned(1 << (head - 0xc4)))) };
    if (head < 0xca) return this.#extension(this.#unsigned(1 << (head - 0xc7)));
    if (head === 0xca) return number(view.getFloat32(this.#skip(4)));
    if (head === 0xcb) return number(view.getFloat64(this.#skip(8)));
    if (head < 0xcf) return number(this.#unsigned(1 << (head - 0xcc)));
    if (head === 0xcf) return number(view.getBigUint64(this.#skip(8)));
    if (head === 0xd0) return number(view.getInt8(this.#skip(1)));
    if (head === 0xd1) return number(view.getInt16(this.#skip(2)));
    if (head === 0xd2) return number(view.getInt32(this.#skip(4)));
    if (head === 0xd3) return number(view.getBigInt64(this.#skip(8)));
    if (head < 0xd9) return this.#extension(1 << (head - 0xd4));
    if (head < 0xdc) return this.#text(this.#unsigned(1 << (head - 0xd9)));
    if (head < 0xde) return this.#list(this.#unsigned(head === 0xdc ? 2 : 4));
    return this.#map(this.#unsigned(head === 0xde ? 2 : 4));
  }

  #list(count: number): Token {
    return { kind: "list", items: Array.from({ length: count }, () => this.token()) };
  }

  #map(count: number): Token {
    return { kind: "map", entries: Array.from({ length: count }, () => [this.token(), this.token()] as const) };
  }

  #text(length: number): Token {
    return { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#take(length)) };
  }

  #extension(length: number): Token {
    const type = this.#view.getInt8(this.#skip(1));
    const at = this.#at;
    const data = this.#take(length);
    const time = type === timestampType ? readTimestamp(this.#view, at, length) : undefined;
    return { kind: "scalar", keys: keysOfScalar(time ?? data) };
  }

  #unsigned(width: number): number {
    const at = this.#skip(width);
    if (width === 1) return this.#view.getUint8(at);
    return width === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #take(length: number): Uint8Array {
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  #skip(width: number): number {
    const at = this.#at;
    this.#at += width;
    return at;
  }
}

function number(value: number | bigint): Token {
  return { kind: "scalar", keys: keysOfNumber(value) };
}
