import type { XmlElement } from "../xml/node.ts";

/** Keys of elements that hold several of one name, by their local names: those without any need no key. */
type Lists = ReadonlyMap<string, ReadonlySet<string>>;

/** The lists of each document. */
const lists = new WeakMap<XmlElement, Lists>();

/** Whether another element of this name, in an element as the one around it, holds several elements of one name. */
export function isListElsewhere(element: XmlElement): boolean {
  let root = element;
  while (root.parent !== undefined) root = root.parent;
  if (root === element) return false;
  let known = lists.get(root);
  if (known === undefined) lists.set(root, (known = listsIn(root)));
  return known.get(element.local)?.has(keyOf(element)) === true;
}

/** Whether an element without contents may be a list. */
export function mayBeList(element: XmlElement): boolean {
  return element.local.startsWith("ArrayOf") || isListElsewhere(element);
}

/** The most elements of a document that are looked at; where these prove nothing, a list of one is warned of. */
const mostLookedAt = 2_000;

function listsIn(root: XmlElement): Lists {
  const found = new Map<string, Set<string>>();
  let left = mostLookedAt;
  const pending: XmlElement[] = [root];
  for (let element = pending.pop(); element !== undefined && left-- > 0; element = pending.pop()) {
    let first: XmlElement | undefined;
    let count = 0;
    let alike = true;
    const { size } = element;
    for (let index = 0; index < size; index++) {
      const child = element.at(index);
      if (child?.kind !== "element" && child?.kind !== "array") continue;
      const item = child.kind === "array" ? child.item : child;
      count += child.kind === "array" ? child.values.length : 1;
      first ??= item;
      alike &&= item.local === first.local && item.namespace === first.namespace;
      if (child.kind === "element" && child.onlyChild?.kind !== "text" && child.size > 0) pending.push(child);
    }
    if (count > 1 && alike) found.set(element.local, (found.get(element.local) ?? new Set()).add(keyOf(element)));
  }
  return found;
}

function keyOf({ local, namespace, parent }: XmlElement): string {
  return `${parent?.namespace} ${parent?.local} ${namespace} ${local}`;
}
