import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { annotate } from "../../../src/core/values/annotations.ts";
import { memo } from "../../../src/core/values/memo.ts";
import { lexical } from "../xml/lexical.ts";
import { soap11, soap12 } from "../xml/namespaces.ts";
import type { XmlDocument, XmlElement } from "../xml/node.ts";
import { decodeName, elementsIn, isBlank, isSerializers } from "./element-facts.ts";
import { mapDocument } from "./map-document.ts";
import { contentOf, rawScalar } from "./scalar.ts";
import type { MapOptions, MappedDocument } from "./document-mapping.ts";
import { MappingWarnings } from "./mapping-warnings.ts";
import { nameText } from "./shape.ts";

/** Whether an element is the envelope of a SOAP message (SOAP 1.1, 4; SOAP 1.2, 5.1). */
export function isSoapEnvelope({ local, namespace }: XmlElement): boolean {
  return local === "Envelope" && (namespace === soap12 || namespace === soap11);
}

/**
 * Maps a WCF message to `{ Header, Body }`, with the contents of each by name. Each part of the body is mapped as a
 * separate document, to which a contract applies; the first names the type of the message. A section that holds only text is that text.
 *
 * @throws SobreError like {@link mapDocument}.
 */
export function mapSoapEnvelope({ root }: XmlDocument, options: MapOptions): MappedDocument {
  const sections = new NamedParts();
  const warnings: string[] = [];
  let typeName: string | undefined;
  for (const section of elementsIn(root)) {
    const isBody = section.local === "Body";
    const parts = new NamedParts();
    for (const part of elementsIn(section)) {
      const contracts = isBody ? options.contracts : [];
      const mapped = mapDocument({ root: part, nodes: [] }, { ...options, contracts, plainDocuments: false });
      if (isBody) typeName ??= mapped.typeName;
      warnings.push(...mapped.warnings);
      parts.add(decodeName(part.local), mapped.body);
    }
    if (addOwnContents(section, parts) && section.holdsElements) warnings.push(mixedContent(section));
    // A separate type, so that a single part is not mistaken for the only item of a list.
    const content = parts.isText
      ? rawScalar(contentOf(section))
      : annotate(parts.bag(), { typeName: nameText(section) });
    sections.add(decodeName(section.local), content);
  }
  if (addOwnContents(root, sections)) warnings.push(mixedContent(root));
  return { body: sections.bag(), typeName: typeName ?? nameText(root), warnings };
}

function mixedContent(element: XmlElement): string {
  const warnings = new MappingWarnings();
  warnings.warnOfMixedContent(element);
  return warnings.texts.join("");
}

/** Adds the attributes that are not a serializer's, and the text between elements; returns whether there is text. */
function addOwnContents(element: XmlElement, parts: NamedParts): boolean {
  for (const attribute of element.attributes) {
    if (!isSerializers(attribute)) parts.add(`@${decodeName(attribute.local)}`, lexical(attribute.value, undefined));
  }
  const texts = element.children.filter((child) => child.kind === "text").filter((text) => !isBlank(text));
  for (const { value } of texts) parts.add("#text", value);
  return texts.length > 0;
}

/** The parts of a message or section; parts of one name are a list of them. */
class NamedParts {
  readonly #parts = new Map<string, unknown[]>();

  /** Whether there is text, and nothing else. */
  get isText(): boolean {
    return this.#parts.size === 1 && this.#parts.has("#text");
  }

  add(name: string, value: unknown): void {
    memo(this.#parts, name, () => []).push(value);
  }

  bag(): Record<string, unknown> {
    const bag = emptyBag<unknown>();
    for (const [name, values] of this.#parts) bag[name] = values.length === 1 ? values[0] : values;
    return bag;
  }
}
