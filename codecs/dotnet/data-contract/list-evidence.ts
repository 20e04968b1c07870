import type { XmlElement } from "../xml/node.ts";

/** The elements of each document that hold several of one name, by their own name and that of what is around them. */
const lists = new WeakMap<XmlElement, ReadonlySet<string>>();

/** Whether another element of this name, in an element as the one around it, holds several elements of one name. */
export function isListElsewhere(element: XmlElement): boolean {
  let root = element;
  while (root.parent !== undefined) root = root.parent;
  if (root === element) return false;
  let known = lists.get(root);
  if (known === undefined) lists.set(root, (known = listsIn(root)));
  return known.has(keyOf(element));
}

/** Whether an element without contents may be a list. */
export function mayBeList(element: XmlElement): boolean {
  return element.local.startsWith("ArrayOf") || isListElsewhere(element);
}

function listsIn(root: XmlElement): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: XmlElement[] = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    let first: XmlElement | undefined;
    let count = 0;
    let alike = true;
    for (const child of element.children) {
      if (child.kind === "text" || child.kind === "comment") continue;
      const item = child.kind === "array" ? child.item : child;
      count += child.kind === "array" ? child.values.length : 1;
      first ??= item;
      alike &&= item.local === first.local && item.namespace === first.namespace;
      if (child.kind === "element") pending.push(child);
    }
    if (count > 1 && alike) found.add(keyOf(element));
  }
  return found;
}

function keyOf({ local, namespace, parent }: XmlElement): string {
  return `${parent?.namespace} ${parent?.local} ${namespace} ${local}`;
}
