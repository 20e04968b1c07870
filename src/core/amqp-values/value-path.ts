import { valueEnd } from "./value-end.ts";

/** Deeper paths are cut: nobody reads them. */
const maxDepth = 32;

/**
 * The path from the value at `start` to the innermost value that holds the byte at `offset`, e.g. `{value 3}[2]`, for errors.
 *
 * Map keys are shown by their position, since they are payload content.
 *
 * Walks the bytes once more, believes sizes only as far as they fit, and never throws.
 */
export function pathTo(bytes: Uint8Array, start: number, offset: number): string {
  /** The path below the value at `at`, which holds the offset. */
  const pathOf = (at: number, path: string, depth: number): string => {
    const code = bytes[at] ?? 0;
    if (depth === maxDepth) return `${path}…`;
    if (code === 0x00) {
      const value = valueEnd(bytes, at + 1);
      return value >= 0 && offset >= value ? pathOf(value, path, depth + 1) : path;
    }
    const wide = code === 0xd0 || code === 0xd1;
    if (!wide && code !== 0xc0 && code !== 0xc1) return path;
    return itemOf(at + (wide ? 9 : 3), code === 0xd1 || code === 0xc1, path, depth);
  };
  const itemOf = (first: number, isMap: boolean, path: string, depth: number): string => {
    let at = first;
    for (let index = 0; at <= offset && at < bytes.byteLength; index++) {
      const here = isMap ? `${path}{${index % 2 === 0 ? "key" : "value"} ${index >> 1}}` : `${path}[${index}]`;
      const next = valueEnd(bytes, at);
      if (next < 0 || next > offset) return pathOf(at, here, depth + 1);
      at = next;
    }
    return path;
  };
  return pathOf(start, "", 0);
}
