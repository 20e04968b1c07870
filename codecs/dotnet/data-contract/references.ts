import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import type { XmlElement } from "../xml/node.ts";
import { elementsIn, factsOf } from "./element-facts.ts";

/** The objects that `z:Id` numbers and `z:Ref` refers to. */
export class References {
  readonly #values = new Map<string, unknown>();
  readonly #root: XmlElement;
  readonly #scalar: (element: XmlElement) => unknown;
  #elements: ReadonlyMap<string, XmlElement> | undefined;

  /** `scalar` reads an element that was skipped. */
  constructor(root: XmlElement, scalar: (element: XmlElement) => unknown) {
    this.#root = root;
    this.#scalar = scalar;
  }

  /** Keeps a value under its id, if it has one, and returns it. */
  remember<T>(id: string | undefined, value: T): T {
    if (id !== undefined) this.#values.set(id, value);
    return value;
  }

  /**
   * The value with an id.
   *
   * @throws SobreError `DecodeFailed` for an id that does not precede the reference.
   */
  resolve(id: string, { offset }: XmlElement): unknown {
    if (this.#values.has(id)) return this.#values.get(id);
    // A string among the private fields of a collection, which are mapped in another order.
    this.#elements ??= indexed(this.#root);
    const element = this.#elements.get(id);
    if (element === undefined || element.offset >= offset || elementsIn(element).length > 0) {
      throw new SobreError("DecodeFailed", `The XML refers to an object that does not precede it, at byte ${offset}.`, {
        offset,
      });
    }
    return this.remember(id, this.#scalar(element));
  }
}

function indexed(root: XmlElement): ReadonlyMap<string, XmlElement> {
  const elements = new Map<string, XmlElement>();
  const pending: XmlElement[] = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    const { id } = factsOf(element);
    if (id !== undefined) elements.set(id, element);
    for (const child of element.children) if (child.kind === "element") pending.push(child);
  }
  return elements;
}
