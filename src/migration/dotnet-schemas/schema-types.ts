import { decodeName, encodeName } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { scalarNamed } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { nameText } from "../../../codecs/dotnet/data-contract/shape.ts";
import { arrays, serialization, system, xsd } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlElement, XmlName } from "../../../codecs/dotnet/xml/node.ts";
import { type ContractNode, nullableNode, scalarNode, withHints } from "../csharp/contract-node.ts";
import type { SourceProblem } from "../csharp/source-problem.ts";
import {
  annotationOf,
  attributeOf,
  type DeclaredElement,
  partNamed,
  partsOf,
  qualified,
  textOfElementContent,
} from "./schema-document.ts";

/** Collections nest no deeper. */
const maxDepth = 64;

/** A type that is described later. */
interface UndescribedType {
  readonly key: string;
  readonly name: XmlName;
  readonly declared: DeclaredElement;
}

/** Describes the types of XML schemas as those of contracts. */
export class XmlSchemaTypes {
  readonly problems: SourceProblem[] = [];
  readonly definitions: Map<string, ContractNode> = new Map();
  /** The references to classes that are part of others. */
  readonly held: Set<string> = new Set();
  readonly #types: ReadonlyMap<string, DeclaredElement>;
  readonly #elements: ReadonlyMap<string, DeclaredElement>;
  readonly #keys = new Map<XmlElement, string>();
  readonly #byKey = new Map<string, XmlElement>();
  readonly #waiting: UndescribedType[] = [];
  readonly #noted = new Set<string>();

  constructor(types: ReadonlyMap<string, DeclaredElement>, elements: ReadonlyMap<string, DeclaredElement>) {
    this.#types = types;
    this.#elements = elements;
  }

  /** Whether a reference leads to a class. */
  isClass(reference: string): boolean {
    return this.definitions.get(reference.slice("#/$defs/".length))?.["properties"] !== undefined;
  }

  /** Describes all types that others have named. */
  complete(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.definitions.set(next.key, this.#definition(next));
    }
  }

  /** The node of a named type. */
  named(name: XmlName, depth: number = 0): ContractNode {
    const declared = this.#types.get(nameText(name));
    return declared === undefined ? scalarNode("any") : this.#declared(name, declared, depth);
  }

  #note({ document }: DeclaredElement, { offset }: XmlElement, message: string): void {
    const problem = { file: document.path, line: document.lineOf(offset), message };
    const place = `${problem.file}:${offset}: ${message}`;
    if (this.#noted.size < this.#noted.add(place).size) this.problems.push(problem);
  }

  #declared(name: XmlName, declared: DeclaredElement, depth: number): ContractNode {
    const { element } = declared;
    if (depth > maxDepth) {
      this.#note(declared, element, `${name.local} is a collection of itself`);
      return scalarNode("any");
    }
    if (name.namespace === system && name.local === "DateTimeOffset") return scalarNode("dateTimeOffset");
    if (name.namespace === system && name.local === "Version") return scalarNode("version");
    if (element.local === "simpleType" && !isEnumeration(element)) return this.#restricted(declared, depth);
    const collection = collectionOf(element);
    if (collection !== undefined && hasDefaultName(name, collection, element))
      return this.#collection(declared, collection, depth);
    return { $ref: `#/$defs/${this.#keyOf(name, declared)}` };
  }

  #keyOf(name: XmlName, declared: DeclaredElement): string {
    const known = this.#keys.get(declared.element);
    if (known !== undefined) return known;
    let key = decodeName(name.local).replaceAll("/", "_");
    if (this.definitions.has(key)) key = nameText(name).replaceAll("/", ".");
    while (this.definitions.has(key)) key = `${key}_`;
    this.#keys.set(declared.element, key);
    this.#byKey.set(key, declared.element);
    this.definitions.set(key, {});
    this.#waiting.push({ key, name, declared });
    return key;
  }

  #definition({ key, name, declared }: UndescribedType): ContractNode {
    const { element } = declared;
    const { namespace } = name;
    const own = encodeName(key) === name.local ? undefined : name.local;
    if (element.local === "simpleType") {
      return withHints({ "x-dotnet": "enum" }, { name: own, namespace, ...enumHintsOf(element) });
    }
    const collection = collectionOf(element);
    if (collection === undefined) return withHints(this.#class(declared), { name: own, namespace });
    const node = this.#collection(declared, collection, 0);
    const { item, entry } = collection;
    const itemName = attributeOf(item, "name");
    if (entry === undefined)
      return withHints(withHints(node, { type: "list" }), { name: name.local, namespace, itemName });
    const [keyName, valueName] = entry.map((part) => attributeOf(part, "name"));
    const names = { name: name.local, namespace, entryName: itemName, keyName, valueName };
    return withHints(withHints(node, { type: "map" }), names);
  }

  #collection(declared: DeclaredElement, { item, entry }: Collection, depth: number): ContractNode {
    if (entry === undefined) return { type: "array", items: this.#member(declared, item, depth + 1) };
    const [key, value] = entry.map((part) => this.#member(declared, part, depth + 1));
    const values = { additionalProperties: value ?? {} };
    if (key?.["type"] === "string") return values;
    const hint = key?.["x-dotnet"];
    const plain = key?.["type"] === "integer" ? "int" : key?.["type"] === "number" ? "double" : key?.["type"];
    const kind = typeof plain === "string" ? plain : typeof hint === "string" ? hint : key;
    return { ...values, "x-dotnet": { type: "map", key: kind } };
  }

  #class(declared: DeclaredElement): ContractNode {
    const { element } = declared;
    const content = partNamed(element, "complexContent") ?? partNamed(element, "simpleContent");
    const extension = content && (partNamed(content, "extension") ?? partNamed(content, "restriction"));
    const body = extension ?? element;
    const properties: [string, ContractNode][] = [];
    const parent = this.#base(declared, content, extension, properties);
    let isReference = false;
    let isSerializable = false;
    for (const part of partsOf(body)) {
      switch (part.local) {
        case "sequence":
        case "all":
          this.#members(declared, part, properties);
          break;
        case "attribute": {
          const reference = attributeOf(part, "ref");
          const name = reference === undefined ? undefined : qualified(part, reference);
          if (name?.namespace === serialization) {
            isReference ||= name.local === "Id";
            isSerializable ||= name.local === "FactoryType";
          } else this.#attribute(declared, part, properties);
          break;
        }
        default:
          this.#note(declared, part, `xs:${part.local} is not a part of types that contracts express`);
      }
    }
    if (isSerializable) this.#note(declared, element, "the type writes its members itself (ISerializable): add them");
    const isStruct = textOfElementContent(annotationOf(element, "IsValueType") ?? element) === "true";
    const ordered = inOrder(properties);
    return withHints(
      { ...parent, properties: Object.fromEntries(ordered) },
      { reference: isReference, serializable: isSerializable, struct: isStruct },
    );
  }

  /** The base class, or the text of an element with attributes. */
  #base(
    declared: DeclaredElement,
    content: XmlElement | undefined,
    extension: XmlElement | undefined,
    properties: [string, ContractNode][],
  ): ContractNode {
    const base = extension && attributeOf(extension, "base");
    if (extension === undefined || base === undefined) return {};
    const node = this.#typeNode(declared, extension, qualified(extension, base), 0);
    if (content?.local === "simpleContent") {
      properties.push(["Value", withHints(node, { text: true })]);
      return {};
    }
    return typeof node["$ref"] === "string" ? { allOf: [node] } : {};
  }

  #members(declared: DeclaredElement, sequence: XmlElement, properties: [string, ContractNode][]): void {
    for (const part of partsOf(sequence)) {
      if (part.local === "element") {
        const reference = attributeOf(part, "ref");
        const name = reference === undefined ? attributeOf(part, "name") : qualified(part, reference).local;
        const node = this.#member(declared, part, 0);
        this.#hold(node);
        const emits = annotationOf(part, "DefaultValue");
        const isFlat = isRepeated(part);
        const whole = isFlat ? { type: "array", items: node } : node;
        const omitDefault = emits !== undefined && attributeOf(emits, "EmitDefaultValue") === "false";
        properties.push([decodeName(name ?? ""), withHints(whole, { omitDefault, flat: isFlat })]);
      } else if (part.local === "sequence" || part.local === "all") this.#members(declared, part, properties);
      else if (part.local === "any")
        this.#note(declared, part, "xs:any is not a part of types that contracts express: its elements are dropped");
      else {
        this.#note(
          declared,
          part,
          `xs:${part.local} is not a part of types that contracts express; its elements are members`,
        );
        this.#members(declared, part, properties);
      }
    }
  }

  #attribute(declared: DeclaredElement, part: XmlElement, properties: [string, ContractNode][]): void {
    const name = attributeOf(part, "name") ?? attributeOf(part, "ref") ?? "";
    const node = this.#member(declared, part, 0);
    properties.push([decodeName(name.slice(name.indexOf(":") + 1)), withHints(node, { serializer: "xml" })]);
  }

  /** The node of an element or attribute. */
  #member(declared: DeclaredElement, element: XmlElement, depth: number): ContractNode {
    const reference = attributeOf(element, "ref");
    if (reference !== undefined) {
      const target = this.#elements.get(nameText(qualified(element, reference)));
      if (target !== undefined && depth < maxDepth) return this.#member(target, target.element, depth + 1);
      this.#note(declared, element, `${reference} is not in these schemas`);
      return scalarNode("any");
    }
    const type = attributeOf(element, "type");
    const inline = partsOf(element).find(({ local }) => local === "complexType" || local === "simpleType");
    const name = { namespace: declared.document.namespace, local: attributeOf(element, "name") ?? "" };
    const node =
      type !== undefined
        ? this.#typeNode(declared, element, qualified(element, type), depth)
        : inline === undefined
          ? scalarNode("any")
          : this.#declared(name, { ...declared, element: inline }, depth);
    return attributeOf(element, "nillable") === "true" && this.#isValue(node) ? nullableNode(node) : node;
  }

  #isValue({ $ref, type, "x-dotnet": hint, items, additionalProperties }: ContractNode): boolean {
    if (typeof $ref === "string") {
      const declared = this.#byKey.get($ref.slice("#/$defs/".length));
      return (
        declared !== undefined &&
        (declared.local === "simpleType" || annotationOf(declared, "IsValueType") !== undefined)
      );
    }
    if (items !== undefined || additionalProperties !== undefined || type === "string") return false;
    return typeof hint !== "string" || !["any", "bytes", "qname", "uri", "version"].includes(hint);
  }

  #typeNode(declared: DeclaredElement, at: XmlElement, name: XmlName, depth: number): ContractNode {
    if (this.#types.has(nameText(name))) return this.named(name, depth + 1);
    const scalar = scalarNamed(name);
    if (scalar !== undefined && (name.namespace === xsd || name.namespace === serialization)) return scalarNode(scalar);
    this.#note(declared, at, `the type ${nameText(name)} is not in these schemas`);
    return scalarNode(name.namespace === xsd ? "string" : "any");
  }

  /** The type that a simple type without values of its own restricts. */
  #restricted(declared: DeclaredElement, depth: number): ContractNode {
    const restriction = partNamed(declared.element, "restriction");
    const base = restriction && attributeOf(restriction, "base");
    if (restriction !== undefined && base !== undefined)
      return this.#typeNode(declared, restriction, qualified(restriction, base), depth + 1);
    this.#note(declared, declared.element, "the simple type is a list or union, which contracts do not express");
    return scalarNode("string");
  }

  #hold(node: ContractNode): void {
    const { $ref, items, additionalProperties } = node;
    if (typeof $ref === "string") this.held.add($ref);
    for (const inner of [items, additionalProperties])
      if (typeof inner === "object" && inner !== null) this.#hold(Object.fromEntries(Object.entries(inner)));
  }
}

/** The repeated element of a collection, and the parts of an entry of a dictionary. */
interface Collection {
  readonly item: XmlElement;
  readonly entry: readonly XmlElement[] | undefined;
}

function collectionOf(type: XmlElement): Collection | undefined {
  const [sequence, ...others] = partsOf(type);
  if (sequence?.local !== "sequence") return undefined;
  const [item, ...more] = partsOf(sequence);
  const isOwn = others.every((part) => part.local === "attribute" && attributeOf(part, "ref") !== undefined);
  if (item?.local !== "element" || more.length > 0 || !isOwn || !isRepeated(item)) return undefined;
  if (textOfElementContent(annotationOf(type, "IsDictionary") ?? type) !== "true") return { item, entry: undefined };
  const inner = partNamed(item, "complexType");
  const entry = inner && partNamed(inner, "sequence");
  return { item, entry: entry && partsOf(entry) };
}

/** Whether a collection has the name that .NET gives to a list or dictionary of its kind. */
function hasDefaultName({ namespace, local }: XmlName, { item, entry }: Collection, type: XmlElement): boolean {
  const name = attributeOf(item, "name") ?? "";
  if (local !== `ArrayOf${name}`) return false;
  if (entry !== undefined) {
    const names = entry.map((part) => attributeOf(part, "name")).join(" ");
    return namespace === arrays && name.startsWith("KeyValueOf") && names === "Key Value";
  }
  const written = attributeOf(item, "type");
  const own = written === undefined ? undefined : qualified(item, written);
  return (
    own !== undefined &&
    (own.local === name || name.startsWith("NullableOf")) &&
    annotationOf(type, "IsDictionary") === undefined
  );
}

function isRepeated(element: XmlElement): boolean {
  const most = attributeOf(element, "maxOccurs");
  return most === "unbounded" || Number(most ?? 1) > 1;
}

function isEnumeration(type: XmlElement): boolean {
  return restrictionOf(type).some(({ local }) => local === "enumeration");
}

function restrictionOf(type: XmlElement): readonly XmlElement[] {
  const list = partNamed(type, "list");
  const own = list === undefined ? type : (partNamed(list, "simpleType") ?? type);
  const restriction = partNamed(own, "restriction");
  return restriction === undefined ? [] : partsOf(restriction);
}

function enumHintsOf(type: XmlElement): Readonly<Record<string, unknown>> {
  let next = 0n;
  const isFlags = partNamed(type, "list") !== undefined;
  const members = restrictionOf(type)
    .filter(({ local }) => local === "enumeration")
    .map((one): [string, number | string] => {
      const annotation = annotationOf(one, "EnumerationValue");
      const text = annotation === undefined ? "" : textOfElementContent(annotation);
      if (/^-?\d{1,20}$/.test(text)) next = BigInt(text);
      const value = next;
      // Without an annotation, each is one more, or the next bit.
      next = isFlags ? (value === 0n ? 1n : value * 2n) : value + 1n;
      return [attributeOf(one, "value") ?? "", Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`];
    });
  return { members: Object.fromEntries(members), flags: isFlags };
}

/** Members in an order that is not that of their names keep it. */
function inOrder(properties: readonly [string, ContractNode][]): readonly [string, ContractNode][] {
  const names = properties.filter(([, node]) => !isOfXml(node)).map(([name]) => encodeName(name));
  if (names.every((name, at) => at === 0 || (names[at - 1] ?? "") < name)) return properties;
  return properties.map(([name, node], at) => [name, withHints(node, { order: at + 1 })]);
}

function isOfXml({ "x-dotnet": hint }: ContractNode): boolean {
  return typeof hint === "object" && hint !== null && "serializer" in hint;
}
