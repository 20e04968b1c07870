import { elementsIn } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import { serialization, xmlns, xsd } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlElement, XmlName } from "../../../codecs/dotnet/xml/node.ts";
import { readXml } from "../../../codecs/dotnet/xml/read-xml.ts";
import { resolveDecodeLimits } from "../../core/codec/limits.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** An XML schema. */
export interface XmlSchemaDocument {
  readonly path: string;
  readonly namespace: string;
  readonly root: XmlElement;
  /** The line of a byte offset, from 1. */
  readonly lineOf: (offset: number) => number;
}

/** Where a type or element is declared. */
export interface DeclaredElement {
  readonly element: XmlElement;
  readonly document: XmlSchemaDocument;
}

const limits = resolveDecodeLimits({ maxItems: 2_000_000, maxBytes: 64 * 1024 * 1024 });

/** Reads an XML schema. @throws SobreError for what is not XML or not a schema. */
export function readSchema(path: string, bytes: Uint8Array): XmlSchemaDocument {
  const { root } = readXml(bytes, limits);
  if (root.namespace !== xsd || root.local !== "schema")
    throw new SobreError("DecodeFailed", "The XML is not an XML schema (xs:schema).", { offset: 0 });
  const breaks: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) breaks.push(at);
  const lineOf = (offset: number): number => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
  return { path, namespace: attributeOf(root, "targetNamespace") ?? "", root, lineOf };
}

/** The value of an attribute that has no namespace; `undefined` if it is absent. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  for (let one = element.firstAttribute; one !== undefined; one = one.next) {
    if (one.local === name && one.namespace === "") return lexical(one.value, undefined);
  }
  return undefined;
}

/** The parts of declarations that have been read: every reference to a type asks for them again. */
const knownParts = new WeakMap<XmlElement, readonly XmlElement[]>();

/** The child elements of XML Schema, except annotations. */
export function partsOf(element: XmlElement): readonly XmlElement[] {
  const known = knownParts.get(element);
  if (known !== undefined) return known;
  const parts = elementsIn(element).filter(({ namespace, local }) => namespace === xsd && local !== "annotation");
  knownParts.set(element, parts);
  return parts;
}

/** The first child element of XML Schema with this name. */
export function partNamed(element: XmlElement, local: string): XmlElement | undefined {
  return partsOf(element).find((one) => one.local === local);
}

/** An annotation of .NET's serialization, e.g. `IsDictionary`. */
export function annotationOf(element: XmlElement, name: string): XmlElement | undefined {
  for (const annotation of elementsIn(element)) {
    if (annotation.namespace !== xsd || annotation.local !== "annotation") continue;
    for (const info of elementsIn(annotation)) {
      const found = elementsIn(info).find(({ namespace, local }) => namespace === serialization && local === name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The text of an element. */
export function textOfElementContent({ children }: XmlElement): string {
  return children
    .map((child) => (child.kind === "text" ? String(child.value) : ""))
    .join("")
    .trim();
}

/** The qualified name in an attribute, with its prefix resolved. */
export function qualified(element: XmlElement, text: string): XmlName {
  const colon = text.indexOf(":");
  const prefix = colon === -1 ? "" : text.slice(0, colon);
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) {
    for (let one = at.firstAttribute; one !== undefined; one = one.next) {
      const isOwn = prefix === "" ? one.prefix === "" : one.prefix === "xmlns" && one.local === prefix;
      if (one.namespace === xmlns && isOwn)
        return { namespace: lexical(one.value, undefined), local: text.slice(colon + 1) };
    }
  }
  return { namespace: "", local: text.slice(colon + 1) };
}
