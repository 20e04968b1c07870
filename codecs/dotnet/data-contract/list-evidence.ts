import type { XmlElement } from "../xml/node.ts";

/** Keys of elements that contain several elements of one name, by local name; elements without any need no key. */
type Lists = ReadonlyMap<string, ReadonlySet<string>>;

/** Evidence from other elements of a document that an element is a list. */
export class ListEvidence {
  readonly #root: XmlElement;
  #lists: Lists | undefined;

  constructor(root: XmlElement) {
    this.#root = root;
  }

  /** Whether another element of this name, in an element like its parent, contains several elements of one name. */
  isListElsewhere(element: XmlElement): boolean {
    if (element.parent === undefined) return false;
    this.#lists ??= listsIn(this.#root);
    return this.#lists.get(element.local)?.has(keyOf(element)) === true;
  }

  /** Whether an element without contents may be a list. */
  mayBeList(element: XmlElement): boolean {
    return element.local.startsWith("ArrayOf") || this.isListElsewhere(element);
  }
}

/**
 * Maximum number of elements of a document to examine, and of nodes in each; if these prove nothing, there is a warning
 * about a list of one.
 */
const maxItemsLookedAt = 2_000;

/** The lists among the elements that are nearest to the root. */
function listsIn(root: XmlElement): Lists {
  const found = new Map<string, Set<string>>();
  const seen: XmlElement[] = [root];
  for (let at = 0, element = seen[at]; element !== undefined; element = seen[++at]) {
    let first: XmlElement | undefined;
    let count = 0;
    let alike = true;
    const size = Math.min(element.size, maxItemsLookedAt);
    for (let index = 0; index < size; index++) {
      const child = element.at(index);
      if (child?.kind !== "element" && child?.kind !== "array") continue;
      const item = child.kind === "array" ? child.item : child;
      count += child.kind === "array" ? child.values.length : 1;
      first ??= item;
      alike &&= item.local === first.local && item.namespace === first.namespace;
      if (seen.length < maxItemsLookedAt && child.kind === "element" && mayHoldElements(child)) seen.push(child);
    }
    if (count > 1 && alike) found.set(element.local, (found.get(element.local) ?? new Set()).add(keyOf(element)));
  }
  return found;
}

function mayHoldElements(element: XmlElement): boolean {
  return !element.isEmpty && element.onlyChild?.kind !== "text";
}

function keyOf({ local, namespace, parent }: XmlElement): string {
  return `${parent?.namespace} ${parent?.local} ${namespace} ${local}`;
}
