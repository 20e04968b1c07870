import { lexical } from "../xml/lexical.ts";
import { serialization, xmlns, xsi } from "../xml/namespaces.ts";
import { type XmlArray, type XmlAttribute, XmlElement, XmlText } from "../xml/node.ts";

/** Facts in an element's attributes that the serializers write. */
export interface ElementFacts {
  /** `xsi:nil`. */
  readonly nil: boolean;
  /** `z:Id`: others may refer to it. */
  readonly id: string | undefined;
  /** `z:Ref`: it is the object of that id; it then also carries `xsi:nil`. */
  readonly ref: string | undefined;
  /** `z:Type` of NetDataContractSerializer: a CLR type name. */
  readonly clrType: string | undefined;
  /** `z:Size`: it is an array of this many items. */
  readonly size: string | undefined;
  /** Whether there are attributes that no serializer writes. */
  readonly others: boolean;
}

const noElementFacts: ElementFacts = {
  nil: false,
  id: undefined,
  ref: undefined,
  clrType: undefined,
  size: undefined,
  others: false,
};
const onlyOthers: ElementFacts = { ...noElementFacts, others: true };

/** Reads the attributes of the serializers. */
export function factsOf({ firstAttribute }: XmlElement): ElementFacts {
  if (firstAttribute === undefined) return noElementFacts;
  let nil = false;
  let others = false;
  let id: string | undefined;
  let ref: string | undefined;
  let clrType: string | undefined;
  let size: string | undefined;
  for (let one: XmlAttribute | undefined = firstAttribute; one !== undefined; one = one.next) {
    const { namespace, local, value } = one;
    if (namespace === xmlns) continue;
    const text = lexical(value, undefined);
    if (namespace === xsi) nil ||= local === "nil" && (text === "true" || text === "1");
    else if (namespace !== serialization) others = true;
    else if (local === "Id") id = text;
    else if (local === "Ref") ref = text;
    else if (local === "Type") clrType = text;
    else if (local === "Size") size = text;
  }
  if (!nil && id === undefined && ref === undefined && clrType === undefined && size === undefined)
    return others ? onlyOthers : noElementFacts;
  return { nil, id, ref, clrType, size, others };
}

/** Whether an element names the type of what it holds, by `xsi:type` or `z:Type`. */
export function namesItsType({ firstAttribute, type }: XmlElement): boolean {
  if (type !== undefined) return true;
  for (let one = firstAttribute; one !== undefined; one = one.next) {
    if (one.namespace === serialization && one.local === "Type") return true;
  }
  return false;
}

/** Whether an attribute is one of the serializers' own. */
export function isSerializers({ namespace }: XmlAttribute): boolean {
  return namespace === xmlns || namespace === xsi || namespace === serialization;
}

/** The names from the root to an element, for messages. */
export function pathOf(element: XmlElement): string {
  const steps: string[] = [];
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) steps.push(at.local);
  return steps.reverse().join("/");
}

/** Whether an element declares a namespace, as serializers do around items of another namespace. */
export function declaresNamespace({ firstAttribute }: XmlElement): boolean {
  for (let one = firstAttribute; one !== undefined; one = one.next) {
    if (one.namespace === xmlns && one.prefix === "xmlns") return true;
  }
  return false;
}

/** The child elements, without text and comments; those of an array record individually. */
export function elementsIn(element: XmlElement): readonly XmlElement[] {
  return element.children.flatMap((child) =>
    child.kind === "element" ? [child] : child.kind === "array" ? expanded(child, element) : [],
  );
}

function expanded({ item, values, type, offset }: XmlArray, parent: XmlElement): readonly XmlElement[] {
  return values.map((value) => {
    const element = new XmlElement(item.tag, parent, offset);
    element.add(new XmlText(value, type, offset));
    return element;
  });
}

/** Whether it contains text other than whitespace. */
export function hasText({ children }: XmlElement): boolean {
  return children.some((child) => child.kind === "text" && !isBlank(child));
}

/** Whether text is only formatting. */
export function isBlank({ value }: XmlText): boolean {
  return typeof value === "string" && /^[\t\n\r ]*$/.test(value);
}

/** Undoes XmlConvert.EncodeName: `con_x0020_espacio` is "con espacio". */
export function decodeName(name: string): string {
  if (!name.includes("_x")) return name;
  return name.replaceAll(/_x([0-9A-Fa-f]{4}(?:[0-9A-Fa-f]{4})?)_/g, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The property of a field that a compiler made for it: `Id` of `<Id>k__BackingField`, as [Serializable] classes are written. */
export function propertyName(field: string): string {
  return field.endsWith(">k__BackingField") ? field.replace(/<([^<>]+)>k__BackingField$/, "$1") : field;
}

/** The field of a property in {@link propertyName}. */
export const fieldOf = (property: string): string => `<${property}>k__BackingField`;

/** The member that an element is: its decoded name, or that of the property whose field it is. */
export function memberNameOf(local: string): string {
  return propertyName(decodeName(local));
}

/** XmlConvert.EncodeLocalName: escapes characters that a name must not contain, and `_x` where it would be read as an escape. */
export function encodeName(name: string): string {
  if (/^[A-Za-z_][\w]*$/.test(name) && !name.includes("_x")) return name;
  const encoded = name.replaceAll(/_(?=x[0-9A-Fa-f]{4}(?:[0-9A-Fa-f]{4})?_)/g, "_x005F_");
  return encoded.replaceAll(/[^\w.\-\u{b7}\u{c0}-\u{effff}]|^[-.\d\u{b7}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `_x${code
      .toString(16)
      .toUpperCase()
      .padStart(code > 0xffff ? 8 : 4, "0")}_`;
  });
}

/** Whether the document was written by XmlSerializer: it always declares these prefixes, except around scalars. */
export function isXmlSerializer(root: XmlElement): boolean {
  const prefixes = root.attributes.filter(({ namespace, prefix }) => namespace === xmlns && prefix === "xmlns");
  if (prefixes.some(({ local }) => local === "xsi" || local === "xsd")) return true;
  return prefixes.length === 0 && root.namespace === "";
}

/** Whether DataContractSerializer or NetDataContractSerializer wrote the document: both declare the prefix `i`. */
export function isDataContract({ attributes }: XmlElement): boolean {
  return attributes.some(({ namespace, local, value }) => namespace === xmlns && local === "i" && value === xsi);
}

/** The local names of the child elements. */
export function namesIn({ children }: XmlElement): ReadonlySet<string> {
  return new Set(children.flatMap((child) => (child.kind === "element" ? [child.local] : [])));
}

/**
 * Whether a document with elements or attributes is not from a serializer: every serializer declares a namespace on the
 * root of an object, and XmlSerializer leaves that out only around a single scalar.
 */
export function isPlainDocument({ namespace, attributes, holdsElements }: XmlElement): boolean {
  const declares = attributes.some((attribute) => attribute.namespace === xmlns);
  return namespace === "" && !declares && (attributes.length > 0 || holdsElements);
}
