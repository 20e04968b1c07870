import { noWidth, widths } from "./format-code.ts";

/**
 * The path from the value at `start` to the innermost value that holds the byte at `offset`, e.g. `{value 3}[2]`, for errors.
 *
 * Map keys are shown by their position, since they are payload content.
 *
 * Walks the bytes once more, believes sizes only as far as they fit, and never throws.
 */
export function pathTo(bytes: Uint8Array, start: number, offset: number): string {
  return new PathWalk(bytes, offset).from(start);
}

/** Deeper paths are cut: nobody reads them. */
const deepest = 32;

class PathWalk {
  readonly #bytes: Uint8Array;
  readonly #offset: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#end = bytes.byteLength;
  }

  from(start: number): string {
    return this.#path(start, "", 0);
  }

  /** The path below the value at `at`, which holds the offset. */
  #path(at: number, path: string, depth: number): string {
    const code = this.#bytes[at] ?? 0;
    if (depth === deepest) return `${path}…`;
    if (code === 0x00) {
      const value = this.#next(at + 1);
      return value !== undefined && this.#offset >= value ? this.#path(value, path, depth + 1) : path;
    }
    const wide = code === 0xd0 || code === 0xd1;
    if (!wide && code !== 0xc0 && code !== 0xc1) return path;
    return this.#item(at + (wide ? 9 : 3), code === 0xd1 || code === 0xc1, path, depth);
  }

  #item(first: number, isMap: boolean, path: string, depth: number): string {
    let at = first;
    for (let index = 0; at <= this.#offset && at < this.#end; index++) {
      const here = isMap ? `${path}{${index % 2 === 0 ? "key" : "value"} ${index >> 1}}` : `${path}[${index}]`;
      const next = this.#next(at);
      if (next === undefined || next > this.#offset) return this.#path(at, here, depth + 1);
      at = next;
    }
    return path;
  }

  /** Where the value at `at` ends, or `undefined` when that cannot be determined. */
  #next(at: number): number | undefined {
    let here = at;
    // Each descriptor is followed by one value more.
    for (let open = 1; open > 0; open--) {
      const code = this.#bytes[here];
      if (code === undefined || here > this.#end) return undefined;
      if (code === 0x00) {
        open += 2;
        here++;
        continue;
      }
      const width = widths[code] ?? noWidth;
      if (width === noWidth) return undefined;
      here += width >= 0 ? 1 + width : 1 - width + this.#size(here + 1, -width);
    }
    return here;
  }

  #size(at: number, width: number): number {
    let size = 0;
    for (let index = at; index < at + width; index++) size = size * 256 + (this.#bytes[index] ?? 0);
    return size;
  }
}
