import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { xmlns, xmlPrefix, xsi } from "./namespaces.ts";
import type { XmlAttribute, XmlElement, XmlName } from "./node.ts";

interface Declaration {
  readonly prefix: string;
  readonly namespace: string;
  /** The meaning of the prefix in the outer scope. */
  readonly outer: string | undefined;
}

/** More attributes than this are compared through a set. */
const maxComparedAttributes = 8;

/** The prefixes in scope while a document is read, looked up in constant time. */
export class NamespaceScope {
  readonly #current = new Map<string, string>([
    ["xml", xmlPrefix],
    ["", ""],
  ]);
  readonly #declared: Declaration[] = [];

  /** How many declarations are in scope; pass it to {@link leave}. */
  get mark(): number {
    return this.#declared.length;
  }

  /** Ends the scope of all declarations since `mark`. */
  leave(mark: number): void {
    for (let last = this.#declared.length - 1; last >= mark; last--) {
      const declaration = this.#declared.pop();
      if (declaration === undefined) return;
      if (declaration.outer === undefined) this.#current.delete(declaration.prefix);
      else this.#current.set(declaration.prefix, declaration.outer);
    }
  }

  /**
   * Completes a start tag: declares its namespaces, resolves its names and `xsi:type`, and refuses duplicates.
   *
   * @throws SobreError `DecodeFailed` for an undeclared prefix and for a duplicate attribute.
   */
  enter(element: XmlElement): void {
    const first = element.firstAttribute;
    for (let attribute = first; attribute !== undefined; attribute = attribute.next) this.#declare(attribute);
    element.tag = element.tag.in(this.#resolve(element.prefix, element.offset));
    for (let attribute = first; attribute !== undefined; attribute = attribute.next) {
      if (attribute.namespace === xmlns) continue;
      if (attribute.prefix !== "") attribute.namespace = this.#resolve(attribute.prefix, attribute.offset);
      if (attribute.local === "type" && attribute.namespace === xsi) element.type = this.#typeOf(attribute);
    }
    if (first?.next !== undefined) refuseDoubles(element.attributes);
  }

  /** The namespace of a prefix, or `undefined`. */
  lookup(prefix: string): string | undefined {
    return this.#current.get(prefix);
  }

  #declare(attribute: XmlAttribute): void {
    const isDefault = attribute.prefix === "" && attribute.local === "xmlns";
    if (!isDefault && attribute.prefix !== "xmlns") return;
    attribute.namespace = xmlns;
    const prefix = isDefault ? "" : attribute.local;
    const namespace = typeof attribute.value === "string" ? attribute.value : "";
    if (prefix === "xmlns" || (prefix === "xml") !== (namespace === xmlPrefix)) {
      throw broken("declares a reserved prefix or namespace", attribute.offset);
    }
    if (prefix !== "" && namespace === "") throw broken("declares a prefix for no namespace", attribute.offset);
    this.#declared.push({ prefix, namespace, outer: this.#current.get(prefix) });
    this.#current.set(prefix, namespace);
  }

  #resolve(prefix: string, offset: number): string {
    const namespace = this.#current.get(prefix);
    if (namespace === undefined) throw broken("uses a prefix that it does not declare", offset);
    return namespace;
  }

  #typeOf({ value, offset }: XmlAttribute): XmlName {
    if (typeof value !== "string") throw broken("has a type that is not a name", offset);
    const text = value.trim();
    const colon = text.indexOf(":");
    const namespace = this.#resolve(colon === -1 ? "" : text.slice(0, colon), offset);
    return { namespace, local: text.slice(colon + 1) };
  }
}

function refuseDoubles(attributes: readonly XmlAttribute[]): void {
  if (attributes.length > maxComparedAttributes) {
    const seen = new Set<string>();
    for (const { namespace, local, offset } of attributes) {
      // Names do not contain spaces.
      if (seen.size === seen.add(`${local} ${namespace}`).size) throw double(offset);
    }
    return;
  }
  for (let index = 1; index < attributes.length; index++) {
    const attribute = attributes[index];
    for (let before = 0; before < index; before++) {
      const other = attributes[before];
      if (attribute?.local === other?.local && attribute?.namespace === other?.namespace)
        throw double(attribute?.offset ?? 0);
    }
  }
}

function double(offset: number): SobreError {
  return broken("has an attribute twice", offset);
}

/** The error of a document that is wrong at a byte. */
export function broken(what: string, offset: number): SobreError {
  return new SobreError("DecodeFailed", `The XML ${what}, at byte ${offset}.`, { offset });
}
