import type { XmlElement } from "../xml/node.ts";
import { rootNameOf } from "./type-names.ts";
import type { ElementFacts } from "./element-facts.ts";
import { scalarOfElement } from "./plan.ts";
import { scalarNamed, scalarOfClr } from "./scalar-kind.ts";
import { type Contract, nameText, resolved, type ResolvedShape, type ContractShape } from "./shape.ts";

/** A shape, and the name of its type if it is not the declared one. */
interface ChosenShape {
  readonly shape: ResolvedShape | undefined;
  readonly typeName: string | undefined;
}

/** The choice for an element that is read by its form. */
export const noShape: ChosenShape = { shape: undefined, typeName: undefined };

/** Chooses the contract of a document, and the shape of each of its elements. */
export class ShapeChoice {
  readonly #root: XmlElement;
  readonly #xmlSerializer: boolean;
  #contract: Contract | undefined;
  /** The shape of the root, or `undefined` when no contract applies. */
  readonly root: ResolvedShape | undefined;

  constructor(root: XmlElement, contracts: readonly Contract[], xmlSerializer: boolean) {
    this.#root = root;
    this.#xmlSerializer = xmlSerializer;
    this.root = this.#chooseRoot(contracts);
  }

  /** {@link of} for an element without attributes, which is of its declared type. */
  plain(element: XmlElement, declaredShape: ContractShape | undefined): ResolvedShape | undefined {
    const declared = declaredShape === undefined ? undefined : resolved(declaredShape);
    if (declared !== undefined && (declared.kind !== "scalar" || declared.scalar !== "any")) return declared;
    const named = scalarOfElement(element, this.#xmlSerializer);
    return named === undefined || named === "any" ? undefined : { kind: "scalar", scalar: named };
  }

  /**
   * The shape that applies: what the document says of this element comes before what the contract declares of its place, since
   * the serializer names a type only where it differs from the declared one. In this order: the attribute `xsi:type`, the
   * `z:Type` of NetDataContractSerializer, the declared shape, and the form of an element that has none.
   */
  of(element: XmlElement, facts: ElementFacts, declaredShape: ContractShape | undefined): ChosenShape {
    const whole = declaredShape === undefined ? undefined : resolved(declaredShape);
    const declared = whole?.kind === "scalar" && whole.scalar === "any" ? undefined : whole;
    if (element.type !== undefined) return this.#byXsiType(element.type, declared);
    const isRoot = element === this.#root;
    const byClr = this.#byClrType(facts.clrType, isRoot ? this.#contract?.root : declared);
    if (byClr !== undefined) return byClr;
    // NetDataContractSerializer always names the type of the root, and that of members if it is not the declared one.
    const typeName = isRoot ? undefined : facts.clrType;
    if (declared !== undefined) return { shape: declared, typeName };
    const scalar = scalarOfElement(element, this.#xmlSerializer);
    if (scalar === undefined || scalar === "any")
      return typeName === undefined ? noShape : { shape: undefined, typeName };
    return { shape: { kind: "scalar", scalar }, typeName: undefined };
  }

  /** A type of the schema that the document names: a scalar, one of the contract, or one of which only the name is known. */
  #byXsiType(type: NonNullable<XmlElement["type"]>, declared: ResolvedShape | undefined): ChosenShape {
    const scalar = scalarNamed(type);
    if (scalar !== undefined)
      return { shape: scalar === "any" ? declared : { kind: "scalar", scalar }, typeName: undefined };
    const known =
      this.#contract?.known.get(nameText(type)) ??
      (this.#xmlSerializer ? this.#contract?.clr.get(type.local) : undefined);
    if (known !== undefined) return { shape: known, typeName: runtimeName(known, declared) };
    if (type.local.startsWith("ArrayOf")) return { shape: declared, typeName: undefined };
    return { shape: declared?.kind === "object" ? declared : undefined, typeName: nameText(type) };
  }

  /** A type of .NET that the document names; `undefined` for none, and for one that is unknown. */
  #byClrType(clrType: string | undefined, base: ResolvedShape | undefined): ChosenShape | undefined {
    if (clrType === undefined) return undefined;
    const scalar = scalarOfClr(clrType);
    if (scalar !== undefined && scalar !== "any") return { shape: { kind: "scalar", scalar }, typeName: undefined };
    const known = this.#contract?.clr.get(clrType);
    return known === undefined ? undefined : { shape: known, typeName: runtimeName(known, base) };
  }

  /** The contract whose root, or one of whose types, matches the document. */
  #chooseRoot(contracts: readonly Contract[]): ResolvedShape | undefined {
    const name = nameText(this.#root);
    const exact = contracts.find(({ root }) => nameText(rootNameOf(root)) === name);
    if (exact !== undefined) {
      this.#contract = exact;
      return exact.root;
    }
    for (const contract of contracts) {
      const known =
        contract.known.get(name) ?? (this.#xmlSerializer ? xmlSerializerRoot(contract, this.#root) : undefined);
      if (known === undefined) continue;
      this.#contract = contract;
      return known;
    }
    return undefined;
  }
}

/** XmlSerializer names a root by its CLR type, and says ArrayOfInt where data contracts say ArrayOfint. */
function xmlSerializerRoot({ root, clr }: Contract, { local }: XmlElement): ResolvedShape | undefined {
  if (local === "TimeSpan" && root.kind === "scalar" && root.scalar === "timespan") return root;
  return clr.get(local) ?? (rootNameOf(root).local.toLowerCase() === local.toLowerCase() ? root : undefined);
}

function runtimeName(known: ResolvedShape, declared: ResolvedShape | undefined): string | undefined {
  return known.kind === "object" && known !== declared ? nameText(known.name) : undefined;
}
