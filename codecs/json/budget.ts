import type { DecodeLimits } from "../../src/codec/limits.ts";

/** A limit that a text goes beyond, and where. */
export interface Excess {
  readonly limit: "maxDepth" | "maxItems";
  /** Index into the text, in UTF-16 units. */
  readonly index: number;
}

/** Whether a JSON text is long enough for more than `most` items: each costs two characters at least. */
export function mayHoldMore(text: string, most: number): boolean {
  return text.length >= 2 * most;
}

/** Whether a JSON text may be nested more than `most` levels deep, by its length and its brackets. */
export function mayBeDeeper(text: string, most: number): boolean {
  if (text.length < 2 * most) return false;
  const lists = count(text, "[", most);
  // A list costs two characters, `[]`; an object within another costs five, `{"":}`.
  if (lists + (text.length + 3 - 2 * lists) / 5 <= most) return false;
  return lists + count(text, "{", most) > most;
}

function count(text: string, bracket: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(bracket); at !== -1 && found <= most; at = text.indexOf(bracket, at + 1)) found++;
  return found;
}

/** Whether a parsed value is nested more than `most` levels deep. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, most - 1));
  for (const member of Object.values(value)) {
    if (typeof member === "object" && isDeeper(member, most - 1)) return true;
  }
  return false;
}

/** Finds where a JSON text goes beyond the limit of depth or items (list elements and map entries), or `undefined`. */
export function findExcess(text: string, limits: DecodeLimits): Excess | undefined {
  let depth = 0;
  let items = 0;
  let opened = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit <= 0x20) continue;
    if (unit === 0x5d || unit === 0x7d) {
      depth--;
      opened = false;
      continue;
    }
    if ((opened || unit === 0x2c) && ++items > limits.maxItems) return { limit: "maxItems", index };
    opened = unit === 0x5b || unit === 0x7b;
    if (opened && ++depth > limits.maxDepth) return { limit: "maxDepth", index };
    if (unit === 0x22) index = closingQuote(text, index);
  }
  return undefined;
}

function closingQuote(text: string, open: number): number {
  let index = open + 1;
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22) break;
    if (unit === 0x5c) index++;
  }
  return index;
}
