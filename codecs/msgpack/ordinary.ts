import type { DecodeLimits } from "../../src/core/codec/limits.ts";

/**
 * Whether the first `length` bytes of `view` are one value of only what msgpackr reads faithfully: well-formed and within
 * the limits, with maps whose keys are short ASCII strings, lists, ASCII strings, booleans, nil, floats and integers of up to 32 bits.
 *
 * Everything else, and everything broken, gets false: extensions (msgpackr's table of them is global to the process and
 * makes live objects), binary, 64-bit integers, other keys, `__proto__` (it renames it), UTF-8 (it repairs it), 0xc1.
 */
export function isOrdinary(view: DataView, length: number, limits: DecodeLimits): boolean {
  const scan = new OrdinaryScan(view, length, limits.maxItems);
  return scan.value(limits.maxDepth) && scan.at === length;
}

class OrdinaryScan {
  at = 0;
  #items: number;
  readonly #view: DataView;
  readonly #end: number;

  constructor(view: DataView, end: number, items: number) {
    this.#view = view;
    this.#end = end;
    this.#items = items;
  }

  value(levels: number): boolean {
    if (this.at >= this.#end) return false;
    const token = this.#view.getUint8(this.at++);
    if (token < 0x80 || token >= 0xe0) return true;
    if (token < 0x90) return this.#map(token & 0x0f, levels);
    if (token < 0xa0) return this.#list(token & 0x0f, levels);
    if (token < 0xc0) return this.#ascii(token & 0x1f);
    switch (token) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return true;
      case 0xcc:
      case 0xd0:
        return this.#skip(1);
      case 0xcd:
      case 0xd1:
        return this.#skip(2);
      case 0xca:
      case 0xce:
      case 0xd2:
        return this.#skip(4);
      case 0xcb:
        return this.#skip(8);
      case 0xd9:
        return this.#skip(1) && this.#ascii(this.#view.getUint8(this.at - 1));
      case 0xda:
        return this.#skip(2) && this.#ascii(this.#view.getUint16(this.at - 2));
      case 0xdc:
        return this.#skip(2) && this.#list(this.#view.getUint16(this.at - 2), levels);
      case 0xde:
        return this.#skip(2) && this.#map(this.#view.getUint16(this.at - 2), levels);
      default:
        return false;
    }
  }

  #list(count: number, levels: number): boolean {
    if (levels === 0 || (this.#items -= count) < 0) return false;
    for (let index = 0; index < count; index++) {
      if (!this.value(levels - 1)) return false;
    }
    return true;
  }

  #map(count: number, levels: number): boolean {
    if (levels === 0 || (this.#items -= count) < 0) return false;
    for (let index = 0; index < count; index++) {
      if (!this.#key() || !this.value(levels - 1)) return false;
    }
    return true;
  }

  #key(): boolean {
    if (this.#end - this.at < 2) return false;
    const token = this.#view.getUint8(this.at++);
    if (token < 0xa0 || token > 0xbf) return false;
    // A name of nine characters that begins with two underscores may be "__proto__".
    if (token === 0xa9 && this.#view.getUint16(this.at) === 0x5f5f) return false;
    return this.#ascii(token & 0x1f);
  }

  #ascii(count: number): boolean {
    const end = this.at + count;
    if (end > this.#end) return false;
    const view = this.#view;
    let at = this.at;
    let seen = 0;
    for (; end - at >= 4; at += 4) seen |= view.getInt32(at) & 0x80808080;
    for (; at < end; at++) seen |= view.getUint8(at) & 0x80;
    this.at = end;
    return seen === 0;
  }

  #skip(count: number): boolean {
    this.at += count;
    return this.at <= this.#end;
  }
}
