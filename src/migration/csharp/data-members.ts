import type { Constants } from "./constants.ts";
import { attributeNamed, type DeclaredType } from "./declared-type.ts";
import type { NetType } from "./net-type.ts";
import { NotUnderstood } from "./source-problem.ts";
import type { AttributeSyntax, MemberSyntax, NameScope, TypeSyntax } from "./syntax.ts";
import type { Instance, TypeFacts, TypeKind } from "./type-facts.ts";

/** A member of a class as serializers write it. */
export interface DataMember {
  readonly syntax: MemberSyntax;
  readonly type: TypeSyntax;
  /** Name for data contracts; `undefined` if only XmlSerializer writes it. */
  readonly name: string | undefined;
  /** Name for XmlSerializer; `undefined` if it does not write it. */
  readonly xmlName: string | undefined;
  readonly order: number | undefined;
  readonly omitDefault: boolean;
  /** XmlSerializer writes it as the text of the element. */
  readonly isText: boolean;
  /** XmlSerializer writes each of its items as an element of the class. */
  readonly isFlat: boolean;
}

/** The attributes of XmlSerializer that make a member what a contract does not express. */
const unknownToContracts = ["XmlAnyElement", "XmlAnyAttribute", "XmlChoiceIdentifier", "XmlNamespaceDeclarations"];

/** Whether attributes of XmlSerializer are in a class: it is then meant for it. */
export function usesXmlSerializer({ attributes, members }: DeclaredType): boolean {
  return attributes.some(isOfXml) || members.some((member) => member.attributes.some(isOfXml));
}

function isOfXml({ name }: AttributeSyntax): boolean {
  return /^Xml[A-Z]/.test(name);
}

/** Finds the members that serializers write. */
export class DataMembers {
  readonly #constants: Constants;
  readonly #facts: TypeFacts;
  readonly #resolve: (type: TypeSyntax, instance: Instance, member: MemberSyntax) => NetType | undefined;
  readonly #note: (line: number, message: string, scope: NameScope) => void;

  constructor(
    constants: Constants,
    facts: TypeFacts,
    {
      resolve,
      note,
    }: {
      readonly resolve: (type: TypeSyntax, instance: Instance, member: MemberSyntax) => NetType | undefined;
      readonly note: (line: number, message: string, scope: NameScope) => void;
    },
  ) {
    this.#constants = constants;
    this.#facts = facts;
    this.#resolve = resolve;
    this.#note = note;
  }

  /** The members that a class declares itself, in the order of its sources. */
  of(instance: Instance): readonly DataMember[] {
    const kind = this.#facts.kindOf(instance);
    return instance.type.members.flatMap((member) => {
      const found = this.#member(member, instance, kind);
      return found === undefined ? [] : [found];
    });
  }

  #member(syntax: MemberSyntax, instance: Instance, kind: TypeKind): DataMember | undefined {
    const { type, modifiers, line } = syntax;
    const isStatic = modifiers.has("static") || modifiers.has("const");
    if (type === undefined || isStatic || syntax.kind === "method") return undefined;
    if (syntax.kind === "event") {
      const isWritten = kind === "serializable" && !hasFieldAttribute(syntax, "NonSerialized");
      if (isWritten)
        this.#note(
          line,
          `${syntax.name} is an event, whose field no serializer but BinaryFormatter writes`,
          syntax.scope,
        );
      return undefined;
    }
    const base = { syntax, type, order: undefined, omitDefault: false };
    const xml = this.#forXml(syntax, instance);
    const named = this.#forContracts(syntax, instance, kind);
    if (named === undefined && xml?.xmlName === undefined) return undefined;
    return { ...base, name: undefined, ...noXmlNames, ...named, ...xml };
  }

  #forContracts(
    syntax: MemberSyntax,
    instance: Instance,
    kind: TypeKind,
  ): Pick<DataMember, "name" | "order" | "omitDefault"> | undefined {
    const { name, accessors, modifiers } = syntax;
    const plain = { order: undefined, omitDefault: false };
    switch (kind) {
      case "contract": {
        const attribute = attributeNamed(syntax, "DataMember");
        return attribute && { ...plain, ...this.#settings(attribute, name, instance.type) };
      }
      case "serializable": {
        if (hasFieldAttribute(syntax, "NonSerialized") || attributeNamed(syntax, "NonSerialized")) return undefined;
        if (syntax.kind === "field") return { ...plain, name };
        const isAuto = accessors?.isAuto === true && !modifiers.has("abstract");
        return isAuto ? { ...plain, name: `<${name}>k__BackingField` } : undefined;
      }
      case "plain":
        if (attributeNamed(syntax, "IgnoreDataMember") || modifiers.has("readonly")) return undefined;
        return this.#isPublic(syntax, instance) ? { ...plain, name } : undefined;
      default:
        return undefined;
    }
  }

  #settings(
    attribute: AttributeSyntax,
    name: string,
    inside: DeclaredType,
  ): Pick<DataMember, "name" | "order" | "omitDefault"> {
    const argument = (key: string): unknown => this.#constants.argument(attribute, inside, key);
    const given = argument("Name");
    const order = argument("Order");
    return {
      name: typeof given === "string" ? given : name,
      order: typeof order === "bigint" && order >= 0n ? Number(order) : undefined,
      omitDefault: argument("EmitDefaultValue") === false,
    };
  }

  /** Whether a member is public and can be read and written; a list needs no setter. */
  #isPublic(syntax: MemberSyntax, instance: Instance): boolean {
    const { modifiers, accessors, kind } = syntax;
    if (instance.type.kind !== "interface" && !modifiers.has("public")) return false;
    if (kind === "field") return true;
    // The base class writes the members that are overridden.
    if (accessors?.reads !== "public" || modifiers.has("override")) return false;
    if (accessors.writes !== "none") return accessors.writes === "public";
    const type = syntax.type && this.#resolve(syntax.type, instance, syntax);
    return (type?.kind === "list" && !type.isArray) || type?.kind === "map";
  }

  #forXml(syntax: MemberSyntax, instance: Instance): Pick<DataMember, "xmlName" | "isText" | "isFlat"> | undefined {
    const { type } = instance;
    if (attributeNamed(syntax, "XmlIgnore") || !this.#isPublic(syntax, instance)) return undefined;
    const other = unknownToContracts.find((name) => attributeNamed(syntax, name) !== undefined);
    if (other !== undefined) {
      this.#note(syntax.line, `${syntax.name} has [${other}], which contracts do not express`, syntax.scope);
      return undefined;
    }
    const elements = syntax.attributes.filter(({ name }) => name === "XmlElement");
    if (elements.length > 1 || elements.some(({ args }) => args.some(({ name }) => name === "Type")))
      this.#note(
        syntax.line,
        `${syntax.name} has elements of several types, and a contract can express only one`,
        syntax.scope,
      );
    const attribute = (["XmlElement", "XmlAttribute", "XmlArray"] as const)
      .map((name) => attributeNamed(syntax, name))
      .find((one) => one !== undefined);
    const key = attribute?.name === "XmlAttribute" ? "AttributeName" : "ElementName";
    const given = attribute && this.#constants.argument(attribute, type, key, 0);
    const isList = this.#isList(syntax, instance);
    return {
      xmlName: typeof given === "string" && given !== "" ? given : syntax.name,
      isText: attributeNamed(syntax, "XmlText") !== undefined,
      isFlat: isList && elements.length > 0,
    };
  }

  #isList(syntax: MemberSyntax, instance: Instance): boolean {
    const type = syntax.type && this.#resolve(syntax.type, instance, syntax);
    return type?.kind === "list";
  }
}

const noXmlNames = { xmlName: undefined, isText: false, isFlat: false } as const;

function hasFieldAttribute({ attributes }: MemberSyntax, name: string): boolean {
  return attributes.some((one) => one.target === "field" && one.name === name);
}

/** Runs what may meet a constant that is not understood; notes it and returns `undefined`. */
export function attempted<T>(read: () => T, note: (line: number, message: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    note(error.line, error.message);
    return undefined;
  }
}
