import { arrays, serialization, system } from "../xml/namespaces.ts";
import { lexical } from "../xml/lexical.ts";
import type { XmlElement, XmlNode } from "../xml/node.ts";
import {
  declaresNamespace,
  type ElementFacts,
  elementsIn,
  factsOf,
  hasText,
  isBlank,
  memberNameOf,
} from "./element-facts.ts";
import { contentOf } from "./scalar.ts";
import type { ListEvidence } from "./list-evidence.ts";
import { scalarOfText } from "./scalar-text.ts";
import type { MappingWarnings } from "./mapping-warnings.ts";
import { collections, netCollection, pairOf } from "./net-collections.ts";
import { type ScalarKind, scalarLocals, scalarNamed, scalarOfClr, scalarOfLocal } from "./scalar-kind.ts";
import type { MapShape, ResolvedShape, ContractShape } from "./shape.ts";

/** How to read an element with child elements. */
export type ElementPlan =
  | { readonly kind: "scalar" }
  | { readonly kind: "object" }
  | {
      readonly kind: "list";
      readonly items: readonly XmlNode[];
      readonly count: number;
      readonly shape: ContractShape | undefined;
      /** The member that its items are if it is an object with one member; `undefined` where the document says that it is a list. */
      readonly itemName?: string;
    }
  | {
      readonly kind: "entries";
      readonly pairs: readonly (readonly [XmlElement, XmlElement])[];
      readonly key: ContractShape | undefined;
      readonly value: ContractShape | undefined;
      /** Whether all keys are strings, so that the dictionary is an object. */
      readonly named: boolean;
    };

/** The plan of an object, whose members are the element's children. */
export const objectPlan: { readonly kind: "object" } = { kind: "object" };

const scalarPlan: { readonly kind: "scalar" } = { kind: "scalar" };

/** Decides how to read the elements of one document, by their contracts or otherwise by their form. */
export class ElementPlanner {
  readonly #xmlSerializer: boolean;
  readonly #lists: ListEvidence;
  readonly #warnings: MappingWarnings;

  constructor(xmlSerializer: boolean, lists: ListEvidence, warnings: MappingWarnings) {
    this.#xmlSerializer = xmlSerializer;
    this.#lists = lists;
    this.#warnings = warnings;
  }

  planOf(element: XmlElement, facts: ElementFacts, shape: ResolvedShape | undefined): ElementPlan {
    if (shape === undefined) return this.#inferred(element, facts);
    switch (shape.kind) {
      case "scalar":
      case "enum":
        return scalarPlan;
      case "object":
        return objectPlan;
      default: {
        const fields = collectionFields(element, facts);
        if (shape.kind === "map") return dictionary(element, fields, shape);
        if (fields?.kind === "list") return { kind: "list", ...pick(fields), shape: shape.items };
        return { kind: "list", items: element.children, count: Infinity, shape: shape.items };
      }
    }
  }

  #inferred(element: XmlElement, facts: ElementFacts): ElementPlan {
    const name = element.type ?? element;
    const isCollection = name.local.startsWith("ArrayOf");
    if (element.isEmpty) return this.#emptyPlan(element, facts, isCollection);
    if (element.onlyChild?.kind === "text") return scalarPlan;
    let first: XmlElement | undefined;
    let alike = true;
    let mixed = false;
    let count = 0;
    const { size } = element;
    for (let index = 0; index < size; index++) {
      const child = element.at(index);
      if (child?.kind === "text") mixed ||= !isBlank(child);
      if (child?.kind !== "element" && child?.kind !== "array") continue;
      const item = child.kind === "array" ? child.item : child;
      count += child.kind === "array" ? 2 : 1;
      if (first === undefined) first = item;
      else alike &&= item.local === first.local && item.namespace === first.namespace;
    }
    if (first === undefined) return hasText(element) || !isCollection ? scalarPlan : list(element);
    // A list has no text besides its items.
    if (mixed) return objectPlan;
    // Items have the name of their type, by which the list is called; only XmlSerializer may call them otherwise.
    const isNamed = isCollection && (this.#xmlSerializer || name.local.endsWith(first.local));
    if (!alike) {
      const fields = fieldsPlan(element, facts);
      if (!isNamed || !this.#xmlSerializer || fields.kind !== "object" || facts.id !== undefined) return fields;
      this.#warnings.warn(element, "holds items of several names, which the list does not keep");
      return list(element);
    }
    if (isEntryName(first)) return this.#entriesPlan(element, first.local);
    // A collection that wraps another one: numbered items are not a plain list.
    if (count === 1 && facts.id !== undefined) {
      const around = fieldsPlan(element, facts);
      if (around.kind !== "object") return around;
    }
    if (isNamed || facts.size !== undefined) return list(element);
    if (count > 1) {
      // When objects are numbered, every list states its size.
      if (facts.id !== undefined) return fieldsPlan(element, facts);
      if (element.parent === undefined && !this.#xmlSerializer && first.namespace !== arrays && !first.holdsElements)
        this.#warnings.warn(
          element,
          `was taken for a list of "${first.local}"; members of base and derived classes may have the same name, too`,
        );
      return first.namespace === arrays ? list(element) : guessedList(element, first);
    }
    const scalar = this.#xmlSerializer && first.namespace === "" ? scalarOfElement(first, true) : scalarNamed(first);
    if (scalar !== undefined || (isNamedByType(first) && first.namespace !== element.namespace)) return list(element);
    const plan = fieldsPlan(element, facts);
    if (plan.kind !== "object") return plan;
    if (this.#lists.isListElsewhere(element)) return guessedList(element, first);
    if (mayBeItem(first)) this.#warnings.listOfOne(element, first);
    return plan;
  }

  /** An element without contents: an empty list if there is evidence for one, otherwise empty text. */
  #emptyPlan(element: XmlElement, facts: ElementFacts, isCollection: boolean): ElementPlan {
    if (isCollection) {
      const name = element.type ?? element;
      if (name.local.startsWith("ArrayOfKeyValueOf") && name.namespace === arrays)
        return this.#entriesPlan(element, name.local.slice(7));
      return list(element);
    }
    if (facts.size !== undefined) return list(element);
    if (element.type !== undefined) return objectPlan;
    // Members that contain elements of another namespace declare it.
    const isList = element.parent !== undefined && (declaresNamespace(element) || this.#lists.isListElsewhere(element));
    return isList ? list(element) : scalarPlan;
  }

  #entriesPlan(element: XmlElement, entryName: string): ElementPlan {
    const pairs = pairsOf(element, "Key", "Value");
    if (pairs === undefined) {
      this.#warnings.warn(element, "has an entry without Key or Value, and so is a list");
      return list(element);
    }
    const [key, value] = scalarsOfEntry(entryName);
    const named = key === "string" || ((key === undefined || key === "any") && isStringKeyed(pairs));
    return { kind: "entries", pairs, key: named ? stringShape : shapeOf(key), value: shapeOf(value), named };
  }
}

/** NetDataContractSerializer numbers them; DataContractSerializer writes the fields of Queue and Stack in their namespace. */
function mayBeNetCollection(element: XmlElement, { id }: ElementFacts): boolean {
  const first = element.at(0);
  const namespace = first?.kind === "array" ? first.item.namespace : first?.kind === "element" ? first.namespace : "";
  return id !== undefined || namespace.startsWith(collections);
}

/** The collection that an element represents by the private fields of its class, or `undefined`. */
export function collectionFields(element: XmlElement, facts: ElementFacts): ReturnType<typeof netCollection> {
  return mayBeNetCollection(element, facts) ? netCollection(element) : undefined;
}

function pick({ items, count }: { readonly items: readonly XmlNode[]; readonly count: number }): {
  readonly items: readonly XmlNode[];
  readonly count: number;
} {
  return { items, count };
}

function dictionary(element: XmlElement, fields: ReturnType<typeof netCollection>, shape: MapShape): ElementPlan {
  const { key, value } = shape;
  const scalar = typeof key === "object" && key.kind === "scalar" ? key.scalar : undefined;
  const pairs = fields?.kind === "entries" ? fields.pairs : pairsOf(element, shape.keyName, shape.valueName);
  const named =
    (scalar === "string" && pairs?.every(([one]) => mayBeText(one)) === true) ||
    (scalar === "any" && pairs !== undefined && isStringKeyed(pairs));
  return pairs === undefined
    ? { kind: "list", items: element.children, count: Infinity, shape: undefined }
    : { kind: "entries", pairs, key, value, named };
}

function mayBeText(key: XmlElement): boolean {
  if (key.holdsElements || key.firstAttribute === undefined) return !key.holdsElements;
  const { nil, ref } = factsOf(key);
  return !nil || ref !== undefined;
}

function pairsOf(
  element: XmlElement,
  keyName: string,
  valueName: string,
): readonly (readonly [XmlElement, XmlElement])[] | undefined {
  const pairs: (readonly [XmlElement, XmlElement])[] = [];
  for (const entry of elementsIn(element)) {
    const pair = pairOf(entry, keyName, valueName);
    if (pair === undefined) return undefined;
    pairs.push(pair);
  }
  return pairs;
}

/**
 * Whether the only child of an element may be a list item: a scalar item is named after its type, unless it is
 * an enum.
 */
function mayBeItem(element: XmlElement): boolean {
  const only = element.onlyChild;
  if (only?.kind !== "text") return true;
  return typeof only.value === "string" && /^[\p{L}_]/u.test(only.value) && !/^(?:true|false)$/.test(only.value);
}

/** A list by its form, which is an object with a member of several values where other messages have other members, too. */
function guessedList({ children }: XmlElement, { local }: XmlElement): ElementPlan {
  return { kind: "list", items: children, count: Infinity, shape: undefined, itemName: memberNameOf(local) };
}

function list({ children }: XmlElement): ElementPlan {
  return { kind: "list", items: children, count: Infinity, shape: undefined };
}

function isEntryName({ local, namespace }: XmlElement): boolean {
  return namespace === arrays && local.startsWith("KeyValueOf");
}

/** An object, unless its members are the fields of a collection. */
function fieldsPlan(element: XmlElement, facts: ElementFacts): ElementPlan {
  const fields = collectionFields(element, facts);
  if (fields === undefined) return objectPlan;
  if (fields.kind === "list") return { kind: "list", ...pick(fields), shape: undefined };
  const [entry] = fields.pairs;
  const [key, value] = genericScalars(facts.clrType) ?? scalarsOfEntry(entry?.[0].parent?.local ?? "");
  const named = key === "string" || ((key === undefined || key === "any") && isStringKeyed(fields.pairs));
  return {
    kind: "entries",
    pairs: fields.pairs,
    key: named ? stringShape : shapeOf(key),
    value: shapeOf(value),
    named,
  };
}

/** The scalars of `System.Collections.Generic.Dictionary`2[[System.String, mscorlib, …],[System.Int32, …]]`. */
function genericScalars(
  clrType: string | undefined,
): readonly [ScalarKind | undefined, ScalarKind | undefined] | undefined {
  const match = /`2\[\[([\w.[\]]+), [^\]]*\],\[([\w.]+(?:\[\])?)(?:, |`)/.exec(clrType ?? "");
  return match === null ? undefined : [scalarOfClr(match[1] ?? ""), scalarOfClr(match[2] ?? "")];
}

/** Whether an element has the name of a type of .NET's, as items have; the members of such types are private fields. */
function isNamedByType({ namespace, local }: XmlElement): boolean {
  return (
    namespace === arrays ||
    namespace === system ||
    (namespace === `${collections}.Generic` && local.startsWith("KeyValuePairOf"))
  );
}

const stringShape: ContractShape = { kind: "scalar", scalar: "string" };

function shapeOf(scalar: ScalarKind | undefined): ContractShape | undefined {
  return scalar === undefined || scalar === "any" ? undefined : { kind: "scalar", scalar };
}

/** If nothing states the type of all keys, they are strings when all of them are text. */
function isStringKeyed(pairs: readonly (readonly [XmlElement, XmlElement])[]): boolean {
  return pairs.every(([key]) => {
    // A key may refer to an earlier string.
    if (key.type !== undefined) return scalarNamed(key.type) === "string";
    const only = key.onlyChild;
    return only?.kind === "text" && typeof only.value === "string";
  });
}

/** The scalars that the name of an entry names: `KeyValueOfstringint` has string keys and int values. */
function scalarsOfEntry(local: string): readonly [ScalarKind | undefined, ScalarKind | undefined] {
  const rest = /^KeyValue(?:Pair)?Of(.*)$/.exec(local)?.[1] ?? "";
  const key = scalarLocals.find((scalar) => rest.startsWith(scalar));
  if (key === undefined) return [undefined, undefined];
  const value = rest.slice(key.length);
  const nullable = /^NullableOf(.*)$/.exec(value)?.[1];
  // The name may end with a digest of the namespaces.
  const inner = nullable === undefined ? undefined : scalarLocals.find((scalar) => nullable.startsWith(scalar));
  return [scalarOfLocal(key), scalarOfLocal(inner ?? value)];
}

/** The scalar that the name of an element shows: a root in one of .NET's namespaces, or an item of an array of scalars. */
export function scalarOfElement(element: XmlElement, xmlSerializer: boolean): ScalarKind | undefined {
  const { namespace, local, parent } = element;
  if (namespace === arrays || namespace === serialization || namespace === system) return scalarNamed(element);
  if (!xmlSerializer || namespace !== "") return undefined;
  const scalar = scalarOfLocal(local);
  if (scalar === undefined || scalar === "any") return scalar;
  // `<Tags><string>…`: an item is named after its type, and its siblings are alike. Members and roots may have such
  // a name, too, e.g. `<duration>90 min</duration>`.
  return (parent === undefined ? fits(element, scalar) : isUniform(parent, scalar)) ? scalar : undefined;
}

/** Whether an element's text is valid for a scalar; an element with attributes is accepted, since these describe it further. */
function fits(element: XmlElement, scalar: ScalarKind): boolean {
  if (element.firstAttribute !== undefined || scalar === "qname") return true;
  return !element.holdsElements && scalarOfText(lexical(contentOf(element).value, undefined), scalar) !== undefined;
}

/** Whether the name of an item shows that it is a scalar other than a string. */
export function isNamedScalar(element: XmlElement, xmlSerializer: boolean): boolean {
  const scalar = scalarOfElement(element, xmlSerializer);
  return scalar !== undefined && scalar !== "any" && scalar !== "string";
}

/** Cached, since the result is needed for every item. */
const uniform = new WeakMap<XmlElement, boolean>();

/** Whether all child elements have the same name, that of a scalar type, and contain such a scalar. */
function isUniform(element: XmlElement, scalar: ScalarKind): boolean {
  const known = uniform.get(element);
  if (known !== undefined) return known;
  const first = element.children.find(({ kind }) => kind === "element");
  const name = first?.kind === "element" ? first.local : "";
  const found = element.children.every(
    (child) => child.kind !== "element" || (child.local === name && fits(child, scalar)),
  );
  uniform.set(element, found);
  return found;
}

/** The children of a DateTimeOffset or Version as data contracts show them, by name, or `undefined`. */
export function systemStruct(element: XmlElement): ReadonlyMap<string, XmlElement> | undefined {
  const { size } = element;
  if (size !== 2 && size !== 4) return undefined;
  // Nearly all elements end here, before anything is made for them.
  const first = element.at(0);
  if (first?.kind !== "element" || first.namespace !== system) return undefined;
  const members = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (child.kind !== "element" || child.namespace !== system) return undefined;
    members.set(child.local, child);
  }
  return members;
}
