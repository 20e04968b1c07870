import type { XmlElement, XmlNode } from "../xml/node.ts";
import { elementsIn, hasText } from "./element-facts.ts";
import { pairOf } from "./net-collections.ts";
import type { ListShape, MapShape, ResolvedShape } from "./shape.ts";

/** Whether an element has the form that its contract requires: child elements for members, and text for a scalar. */
export function fitsForm(element: XmlElement, shape: ResolvedShape, xmlSerializer: boolean): boolean {
  switch (shape.kind) {
    case "scalar":
      return shape.scalar === "any" || !holdsElements(element);
    case "enum":
      return !holdsElements(element);
    case "object":
      return (
        element.isEmpty ||
        holdsElements(element) ||
        !hasText(element) ||
        (xmlSerializer && (hasOthers(element) || shape.textMember !== undefined))
      );
    case "list":
      return !hasText(element) && areItems(element, shape, xmlSerializer);
    default:
      return !hasText(element) && areEntries(element, shape);
  }
}

/** A description of what an element should have been, for warnings. */
export function wordsOf(shape: ResolvedShape): string {
  switch (shape.kind) {
    case "scalar":
      return shape.scalar;
    case "list":
      return "list";
    case "map":
      return "dictionary";
    default:
      return shape.name.local;
  }
}

function holdsElements(element: XmlElement): boolean {
  return element.holdsElements || element.children.some(({ kind }) => kind === "array");
}

/** Whether there are attributes: XmlSerializer may then write the other member as text. */
function hasOthers({ firstAttribute }: XmlElement): boolean {
  return firstAttribute !== undefined;
}

/** All items of a list have the same name; XmlSerializer may name each by its type. */
function areItems(element: XmlElement, { item }: ListShape, xmlSerializer: boolean): boolean {
  if (xmlSerializer) return true;
  let first: string | undefined;
  for (const child of element.children) {
    const name = itemName(child);
    if (name === undefined || name === item.local) continue;
    first ??= name;
    if (name !== first) return false;
  }
  return true;
}

function itemName(child: XmlNode): string | undefined {
  return child.kind === "element" ? child.local : child.kind === "array" ? child.item.local : undefined;
}

function areEntries(element: XmlElement, { keyName, valueName }: MapShape): boolean {
  return elementsIn(element).every((entry) => pairOf(entry, keyName, valueName) !== undefined);
}
