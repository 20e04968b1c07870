import { broken } from "../xml/scope.ts";
import { memo } from "../../../src/core/values/memo.ts";
import { limitExceeded } from "../../../src/core/codec/limits.ts";
import { emptyBag } from "../../../src/core/envelope/bag.ts";
import { annotate, annotateDouble, annotateTyped } from "../../../src/core/values/annotations.ts";
import { memberStep } from "../../../src/core/values/member-step.ts";
import {
  declaresNamespace,
  decodeName,
  propertyName,
  type ElementFacts,
  factsOf,
  isBlank,
  isDataContract,
  isPlainDocument,
  isSerializers,
  isXmlSerializer,
  namesIn,
  namesItsType,
} from "./element-facts.ts";
import { dataSetOf, diffgramIn } from "../data-set/data-set.ts";
import { bclValue } from "./bcl-values.ts";
import { fitsForm, wordsOf } from "./contract-fit.ts";
import {
  append,
  containerOf,
  type EntriesFrame,
  fillNulls,
  type ContainerFrame,
  isFlattened,
  type ListFrame,
  type ObjectFrame,
  openedFrame,
  followsAlike,
  place,
  placeDerived,
} from "./frames.ts";
import { framePath } from "./frame-path.ts";
import type { MapOptions, MappedDocument } from "./document-mapping.ts";
import { ListEvidence } from "./list-evidence.ts";
import { MappingWarnings } from "./mapping-warnings.ts";
import { collectionFields, isNamedScalar, objectPlan, type ElementPlan, ElementPlanner, systemStruct } from "./plan.ts";
import { References } from "./references.ts";
import { isFloating, lostToXmlSerializer } from "./scalar-kind.ts";
import {
  contentOf,
  declaredQName,
  enumValue,
  fittingScalar,
  rawScalar,
  type ScalarContent,
  type ScalarPlace,
  untypedScalar,
  withType,
} from "./scalar.ts";
import { noShape, ShapeChoice } from "./shape-choice.ts";
import {
  type MemberShape,
  nameText,
  type ObjectShape,
  resolved,
  type ResolvedShape,
  type ContractShape,
} from "./shape.ts";
import { systemValue } from "./system-values.ts";
import { lexical } from "../xml/lexical.ts";
import type { XmlArray, XmlDocument, XmlElement, XmlText } from "../xml/node.ts";

/**
 * Maps the nodes of a data contract document to plain values, by a contract or by the document's own types; not recursive.
 *
 * Objects have no prototype members; shared references are preserved.
 *
 * @throws SobreError `DecodeFailed` with the offset where content and type contradict, `LimitExceeded`.
 */
export function mapDocument({ root }: XmlDocument, options: MapOptions): MappedDocument {
  return new Mapper(root, options).map();
}

class Mapper {
  readonly #root: XmlElement;
  readonly #options: MapOptions;
  readonly #xmlSerializer: boolean;
  readonly #isPlain: boolean;
  /** Whether DataContractSerializer or NetDataContractSerializer wrote it, in which members of the same name belong to different classes. */
  readonly #isDataContract: boolean;
  /** Whether untyped text may be read as a number or boolean. */
  readonly #guess: boolean;
  readonly #references: References;
  readonly #shapes: ShapeChoice;
  readonly #lists: ListEvidence;
  readonly #planner: ElementPlanner;
  /** The open frames, followed by closed ones that can be reused. */
  readonly #frames: ContainerFrame[] = [];
  #depth = 0;
  readonly #warnings = new MappingWarnings();
  readonly #memberNames = new Map<string, string>();
  #items = 0;
  /** Whether the last scalar read is a floating-point number that looks like an integer. */
  #isWhole = false;

  constructor(root: XmlElement, options: MapOptions) {
    this.#root = root;
    this.#options = options;
    this.#xmlSerializer = isXmlSerializer(root);
    this.#isDataContract = isDataContract(root);
    this.#references = new References(root, (element) => this.#scalar(element, undefined));
    this.#shapes = new ShapeChoice(root, options.contracts, this.#xmlSerializer);
    this.#lists = new ListEvidence(root);
    this.#planner = new ElementPlanner(this.#xmlSerializer, this.#lists, this.#warnings);
    this.#isPlain =
      options.plainDocuments === true &&
      this.#shapes.root === undefined &&
      isPlainDocument(root) &&
      diffgramIn(root) === undefined;
    this.#guess = options.guess && !this.#isPlain;
  }

  map(): MappedDocument {
    const root = this.#root;
    const name = nameText(root);
    if (this.#options.contracts.length > 0 && this.#shapes.root === undefined) {
      this.#warnings.noContract(root, this.#options.contracts);
    }
    const body = this.#whole(this.#start(root, this.#shapes.root));
    for (let frame = this.#innermost; frame !== undefined; frame = this.#innermost) {
      if (frame.kind === "object") this.#stepObject(frame);
      else if (frame.kind === "list") this.#stepList(frame);
      else this.#stepEntries(frame);
    }
    return { body, typeName: root.type === undefined ? name : nameText(root.type), warnings: this.#warnings.texts };
  }

  get #innermost(): ContainerFrame | undefined {
    return this.#frames[this.#depth - 1];
  }

  /** Only the root of a serializer is replaced by its value; other documents keep their root as a member. */
  #whole(content: unknown): unknown {
    if (!this.#isPlain) return content;
    const document = emptyBag<unknown>();
    document[decodeName(this.#root.local)] = content;
    return document;
  }

  #stepObject(frame: ObjectFrame): void {
    const child = frame.element.at(frame.index++);
    if (child === undefined) {
      this.#depth--;
      if (this.#xmlSerializer && frame.shape !== undefined) fillNulls(frame.bag, frame.shape);
      return;
    }
    if (child.kind === "element") {
      const name = decodeName(child.local);
      const member = this.#memberOf(frame, name);
      const own = this.#nameOf(member, name);
      const list = this.#xmlSerializer && member !== undefined ? resolved(member.shape) : undefined;
      if (namesItsType(child)) annotateTyped(frame.bag, own);
      if (list?.kind === "list" && (member?.isFlat === true || isFlattened(child, list)))
        append(frame, own, this.#start(child, list.items));
      else this.#place(frame, child, own, this.#start(child, member?.shape));
      this.#noteWhole(frame.bag, own);
    } else if (child.kind === "array") {
      const name = decodeName(child.item.local);
      const member = this.#memberOf(frame, name);
      const values = this.#arrayValues(child, member?.shape, Infinity);
      for (const value of values) place(frame, this.#nameOf(member, name), value);
    } else if (child.kind === "text") this.#text(frame, child);
  }

  /** Text between elements: the member that XmlSerializer writes so, or what no contract describes. */
  #text(frame: ObjectFrame, child: XmlText): void {
    const { element } = frame;
    const member = this.#xmlSerializer ? frame.shape?.textMember : undefined;
    if (!isBlank(child) && element.holdsElements) this.#warnings.warnOfMixedContent(element);
    if (!isBlank(child) && member === undefined) {
      if (frame.shape !== undefined) this.#warnings.warnOfMember(element, "#text", frame.shape);
      place(frame, "#text", child.value);
    }
    if (member === undefined || member.clrName in frame.bag) return;
    const shape = resolved(member.shape);
    const content = { value: lexical(child.value, undefined), type: undefined, offset: child.offset };
    const isTyped = shape.kind === "enum" || (shape.kind === "scalar" && shape.scalar !== "any");
    frame.bag[member.clrName] = isTyped ? this.#typed(content, shape, { element }) : content.value;
    this.#noteWhole(frame.bag, member.clrName);
  }

  #place(frame: ObjectFrame, child: XmlElement, name: string, value: unknown): void {
    if (this.#isDataContract) placeDerived(frame, name, value);
    else {
      const isRepeated = place(frame, name, value);
      if (isRepeated && !followsAlike(frame, child)) this.#warnings.warnOfRepeated(frame.element, name);
    }
  }

  /** The member of an open object; warns about one that its contract lacks. */
  #memberOf({ shape, element }: ObjectFrame, name: string): MemberShape | undefined {
    const member = this.#member(shape, name);
    if (member === undefined && shape !== undefined) this.#warnings.warnOfMember(element, name, shape);
    return member;
  }

  #member(shape: ObjectShape | undefined, name: string): MemberShape | undefined {
    if (shape === undefined) return undefined;
    return this.#xmlSerializer ? (shape.byClrName.get(name) ?? shape.byName.get(name)) : shape.byName.get(name);
  }

  #nameOf(member: MemberShape | undefined, name: string): string {
    if (this.#xmlSerializer) return member?.clrName ?? name;
    return propertyName(member?.name ?? name);
  }

  /** XmlSerializer writes members as attributes on request; other attributes become members `@name`. */
  #addAttributes(element: XmlElement, shape: ResolvedShape | undefined): void {
    const frame = this.#innermost;
    if (frame?.kind !== "object") return;
    const elements = this.#xmlSerializer && declaresNamespace(this.#root) ? namesIn(element) : undefined;
    for (let attribute = element.firstAttribute; attribute !== undefined; attribute = attribute.next) {
      if (isSerializers(attribute)) continue;
      const name = decodeName(attribute.local);
      const member = this.#member(shape?.kind === "object" ? shape : undefined, name);
      if (member === undefined && shape?.kind === "object") this.#warnings.warnOfMember(element, `@${name}`, shape);
      const scalar = member && resolved(member.shape);
      const content = { value: lexical(attribute.value, undefined), type: undefined, offset: attribute.offset };
      const isTyped = scalar?.kind === "enum" || (scalar?.kind === "scalar" && scalar.scalar !== "any");
      const read = isTyped
        ? this.#typed(content, scalar, { element, attribute: name })
        : untypedScalar(content.value, this.#guess);
      const own = this.#nameOf(member, name);
      // An element or another attribute of the same name is a separate member.
      const isMember = elements !== undefined && !elements.has(attribute.local) && !(own in frame.bag);
      const other = isMember ? own : memo(this.#memberNames, name, () => `@${name}`);
      frame.bag[other in frame.bag ? `@${attribute.prefix}:${name}` : other] = read;
    }
  }

  #stepList(frame: ListFrame): void {
    const child = frame.children[frame.index++];
    if (child === undefined || frame.list.length >= frame.count) {
      this.#depth--;
      return;
    }
    if (child.kind === "element") {
      if (namesItsType(child)) annotateTyped(frame.list, frame.list.length);
      else if (frame.index === 1 && isNamedScalar(child, this.#xmlSerializer)) annotateTyped(frame.list);
      frame.list.push(this.#start(child, frame.shape));
      this.#noteWhole(frame.list, frame.list.length - 1);
    } else if (child.kind === "array") {
      annotateTyped(frame.list);
      // In a loop: spreading a million arguments would overflow the stack.
      const values = this.#arrayValues(child, frame.shape, frame.count - frame.list.length);
      if (this.#isWhole) annotateDouble(frame.list);
      this.#isWhole = false;
      for (const value of values) frame.list.push(value);
    }
  }

  #stepEntries(frame: EntriesFrame): void {
    const { plan, target } = frame;
    const pair = plan.pairs[frame.index];
    if (pair === undefined) {
      this.#depth--;
      return;
    }
    if (frame.key === undefined) {
      // The contents of a key are read before its value, which may refer to them.
      frame.key = { value: this.#start(pair[0], plan.key) };
      return;
    }
    const key = frame.key.value;
    frame.key = undefined;
    frame.index++;
    if (plan.value !== undefined || namesItsType(pair[1])) annotateTyped(target, key);
    const value = this.#start(pair[1], plan.value);
    this.#noteWhole(target, key);
    if (target instanceof Map) target.set(key, value);
    else if (typeof key === "string") target[key] = value;
    else throw broken("has a key that is not a string", pair[0].offset);
  }

  /** The value of an element; its contents are filled in through a frame. */
  #start(element: XmlElement, declared: ContractShape | undefined): unknown {
    if (++this.#items > this.#options.limits.maxItems) {
      throw limitExceeded("maxItems", this.#options.limits, { offset: element.offset });
    }
    if (element.firstAttribute === undefined && (element.isEmpty || element.onlyChild?.kind === "text")) {
      // Most elements are plain scalars; an empty one is a list only by its name.
      const plain = this.#shapes.plain(element, declared);
      const isScalar = plain === undefined && !(element.isEmpty && this.#lists.mayBeList(element));
      if (isScalar || plain?.kind === "scalar" || plain?.kind === "enum") return this.#scalar(element, plain);
    }
    const facts = factsOf(element);
    // Before nil: a reference carries both.
    if (facts.ref !== undefined) return this.#references.resolve(facts.ref, element);
    if (facts.nil) return null;
    const chosen = this.#shapes.of(element, facts, declared);
    const members = systemStruct(element);
    const struct = members && systemValue(members);
    if (struct !== undefined) return this.#references.remember(facts.id, struct);
    const rows = dataSetOf(element, this.#options.limits, (what) => this.#warnings.warn(element, what));
    if (rows !== undefined) return this.#references.remember(facts.id, rows);
    const bcl = bclValue(element);
    if (bcl !== undefined) return this.#references.remember(facts.id, bcl.value);
    const fits = this.#fits(element, facts, chosen.shape);
    const { shape, typeName } = fits ? chosen : noShape;
    const plan = this.#planner.planOf(element, facts, shape);
    const foreign = facts.others && (shape === undefined || (this.#xmlSerializer && shape.kind === "object"));
    if (plan.kind === "scalar" && !foreign) {
      const scalar = fits ? this.#scalar(element, shape) : rawScalar(contentOf(element));
      return this.#references.remember(facts.id, scalar);
    }
    // An element with its own attributes is an object, though its contents may look like a list.
    const whole = plan.kind === "scalar" || (foreign && shape === undefined) ? objectPlan : plan;
    const container = this.#open(whole, shape, element);
    if (foreign) this.#addAttributes(element, shape);
    if (typeName !== undefined && whole.kind === "object") annotate(container, { typeName });
    return this.#references.remember(facts.id, container);
  }

  /** Whether an element has the form of its contract; otherwise it is read by its own form. */
  #fits(element: XmlElement, facts: ElementFacts, shape: ResolvedShape | undefined): boolean {
    if (shape === undefined || this.#shapes.root === undefined) return true;
    if (fitsForm(element, shape, this.#xmlSerializer)) return true;
    if ((shape.kind === "list" || shape.kind === "map") && collectionFields(element, facts) !== undefined) return true;
    this.#warnings.misfit(this.#pathTo(element), wordsOf(shape));
    return false;
  }

  #open(
    plan: Exclude<ElementPlan, { readonly kind: "scalar" }>,
    shape: ResolvedShape | undefined,
    element: XmlElement,
  ): object {
    if (this.#depth >= this.#options.limits.maxDepth) {
      throw limitExceeded("maxDepth", this.#options.limits, { offset: element.offset });
    }
    const frame = openedFrame(plan, shape, element, this.#frames[this.#depth]);
    this.#frames[this.#depth++] = frame;
    return containerOf(frame);
  }

  #scalar(element: XmlElement, shape: ResolvedShape | undefined): unknown {
    // A direct result, since very many elements are empty.
    if (shape === undefined && element.isEmpty) return "";
    const content = contentOf(element);
    if (shape?.kind === "enum") return this.#typed(content, shape, { element });
    if (shape?.kind === "scalar" && shape.scalar !== "any") {
      if (this.#xmlSerializer && content.value === "" && lostToXmlSerializer.has(shape.scalar)) {
        this.#warnings.warn(element, `is a ${shape.scalar}, which XmlSerializer did not write`);
        return null;
      }
      const value = this.#typed(content, shape, { element });
      return this.#options.keepTypes === true && element.type !== undefined ? withType(value, shape.scalar) : value;
    }
    return declaredQName(content, element) ?? untypedScalar(content.value, this.#guess, content.type);
  }

  /** Records a member or item that was read as a floating-point number but looks like an integer. */
  #noteWhole(container: object, key: unknown): void {
    if (!this.#isWhole) return;
    annotateDouble(container, key);
    this.#isWhole = false;
  }

  /** A scalar or an enumeration; a value that does not fit its contract is kept as written. */
  #typed(content: ScalarContent, shape: ResolvedShape, { element, attribute }: ScalarPlace): unknown {
    const read =
      shape.kind === "scalar"
        ? fittingScalar(content, shape.scalar, element)
        : shape.kind === "enum"
          ? enumValue(content, shape, this.#xmlSerializer)
          : undefined;
    if (read !== undefined) {
      this.#isWhole = Number.isInteger(read) && shape.kind === "scalar" && isFloating(shape.scalar);
      return read;
    }
    if (this.#shapes.root === undefined)
      throw broken(`has content that is not a valid ${wordsOf(shape)}`, content.offset);
    const path = attribute === undefined ? this.#pathTo(element) : `${this.#pathTo(element)}${memberStep(attribute)}`;
    this.#warnings.misfit(path, wordsOf(shape));
    return rawScalar(content);
  }

  #pathTo(element: XmlElement): string {
    return framePath(this.#frames, this.#depth, element);
  }

  #arrayValues(
    { item, values, type, offset }: XmlArray,
    declared: ContractShape | undefined,
    most: number,
  ): readonly unknown[] {
    const kept = values.length <= most ? values : values.slice(0, most);
    this.#items += kept.length;
    if (this.#items > this.#options.limits.maxItems) throw limitExceeded("maxItems", this.#options.limits, { offset });
    const { shape } = this.#shapes.of(item, factsOf(item), declared);
    if (shape?.kind !== "scalar") return kept.map((value) => untypedScalar(value, false, type));
    return kept.map((value) => this.#typed({ value, type, offset }, shape, { element: item }));
  }
}
