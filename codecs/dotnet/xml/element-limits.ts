import { type DecodeLimits, resolveDecodeLimits } from "../../../src/core/codec/limits.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

/** The factor by which elements may be nested more deeply and be more numerous than values: a list or an entry takes up to three elements. */
export const elementsPerLevel = 4;

/** Number of items up to which new names cost no more than known ones. */
const shortDocument = 4096;

/**
 * The cost of a new name of a long document in addition to its element, in elements.
 *
 * Classes have few names, and each costs an engine as much as some hundred bytes of the densest documents, since objects
 * of other names are of other layouts. At the default limit of items this leaves some 1,900 of them besides those of the
 * short document; .NET's own readers take 16,384 letters of names by default (`MaxNameTableCharCount`).
 */
const newName = 2048;

/** Number of recent names remembered, indexed by a few of their letters. */
const recentNames = 64;

/** Weighs the names of the elements and attributes of one document, so that documents full of new names reach the limit early. */
export class NewNames {
  #seen: Set<string> | undefined;
  #recent: string[] | undefined;

  /** The cost of a name in addition to its element or attribute, the `items`-th of the document. */
  weight(name: string, items: number): number {
    if (items <= shortDocument) return 0;
    const slot = (name.charCodeAt(0) + name.charCodeAt(name.length - 1) * 7 + name.length * 3) & (recentNames - 1);
    const recent = (this.#recent ??= Array.from({ length: recentNames }, () => ""));
    if (recent[slot] === name) return 0;
    recent[slot] = name;
    const seen = (this.#seen ??= new Set());
    const { size } = seen;
    return seen.add(name).size === size ? 0 : newName;
  }
}

/** Limits for detection: this many items suffice to recognize a document, and a larger one is not read twice. */
export const sniffLimits: DecodeLimits = resolveDecodeLimits({ maxItems: 2_500 });

/** Whether reading ended at {@link sniffLimits}, before any error. */
export function isLonger(error: unknown): boolean {
  return error instanceof SobreError && error.code === "LimitExceeded";
}
