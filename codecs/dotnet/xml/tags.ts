import { XmlTag } from "./node.ts";

/** Number of cached tags, indexed by a few letters of their names; a power of two. */
const slots = 64;

/** The tags of one document: shared by elements of the same name, unless too many others come in between. */
export class Tags {
  readonly #recent: (XmlTag | undefined)[] = [];

  /** The tag of a prefix and a local name, in any namespace. */
  of(prefix: string, local: string): XmlTag {
    const slot = (local.charCodeAt(0) + local.charCodeAt(local.length - 1) * 7 + local.length * 3) & (slots - 1);
    const known = this.#recent[slot];
    if (known !== undefined && known.local === local && known.prefix === prefix) return known;
    const tag = new XmlTag(prefix, local);
    this.#recent[slot] = tag;
    return tag;
  }
}
