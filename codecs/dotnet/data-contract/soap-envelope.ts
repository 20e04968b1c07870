import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { annotate } from "../../../src/core/values/annotations.ts";
import { soap11, soap12 } from "../xml/namespaces.ts";
import type { XmlDocument, XmlElement } from "../xml/node.ts";
import { decodeName, elementsIn } from "./element-facts.ts";
import { mapDocument } from "./map-document.ts";
import type { MapOptions, MappedDocument } from "./document-mapping.ts";
import { nameText } from "./shape.ts";

/** Whether an element is the envelope of a SOAP message (SOAP 1.1, 4; SOAP 1.2, 5.1). */
export function isSoapEnvelope({ local, namespace }: XmlElement): boolean {
  return local === "Envelope" && (namespace === soap12 || namespace === soap11);
}

/**
 * Maps a WCF message to `{ Header, Body }`, with the contents of each by name. Each part of the body is mapped as a
 * separate document, to which a contract applies; the first names the type of the message.
 *
 * @throws SobreError like {@link mapDocument}.
 */
export function mapSoapEnvelope({ root }: XmlDocument, options: MapOptions): MappedDocument {
  const body = emptyBag<unknown>();
  const warnings: string[] = [];
  let typeName: string | undefined;
  for (const section of elementsIn(root)) {
    const isBody = section.local === "Body";
    const bag = emptyBag<unknown>();
    // A separate type, so that a single part is not mistaken for the only item of a list.
    annotate(bag, { typeName: nameText(section) });
    for (const part of elementsIn(section)) {
      const contracts = isBody ? options.contracts : [];
      const mapped = mapDocument({ root: part, nodes: [] }, { ...options, contracts, plainDocuments: false });
      if (isBody) typeName ??= mapped.typeName;
      warnings.push(...mapped.warnings);
      put(bag, decodeName(part.local), mapped.body);
    }
    put(body, decodeName(section.local), bag);
  }
  return { body, typeName: typeName ?? nameText(root), warnings };
}

/** Sets a member; a repeated one becomes a list. */
function put(bag: Record<string, unknown>, name: string, value: unknown): void {
  const known = bag[name];
  if (!(name in bag)) bag[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else bag[name] = [known, value];
}
