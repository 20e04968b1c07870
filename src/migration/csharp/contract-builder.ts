import { decodeName, encodeName } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { clrNamespaces } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlName } from "../../../codecs/dotnet/xml/node.ts";
import type { Constants } from "./constants.ts";
import type { ContractNames } from "./contract-names.ts";
import { type ContractNode, nullableNode, scalarNode, wholeContract, withHints } from "./contract-node.ts";
import { attempted, type DataMember, DataMembers, usesXmlSerializer } from "./data-members.ts";
import { attributeNamed, clrNameOf, type DeclaredType, shownName } from "./declared-type.ts";
import { enumHints } from "./enum-hints.ts";
import { identityOf, isLargerThan, type NetType } from "./net-type.ts";
import type { TypeResolver } from "./resolve-type.ts";
import type { SourceProblem } from "./source-problem.ts";
import type { AttributeSyntax, NameScope, TypeSyntax } from "./syntax.ts";
import { argumentsOf, type Instance, type TypeFacts } from "./type-facts.ts";

/** A generic type of more parts, e.g. one that holds itself in itself, is refused. */
const maxParts = 64;

/** Makes contracts of types. */
export class ContractBuilder {
  readonly problems: SourceProblem[] = [];
  readonly #constants: Constants;
  readonly #resolver: TypeResolver;
  readonly #facts: TypeFacts;
  readonly #names: ContractNames;
  /** The keys of the types in `#definitions`, by identity. */
  readonly #keys = new Map<string, string>();
  readonly #definitions = new Map<string, ContractNode>();
  readonly #named = new Map<string, string>();
  /** Types that are not described yet. */
  readonly #waiting: (readonly [key: string, instance: Instance, name: XmlName])[] = [];
  readonly #held = new Set<string>();
  readonly #noted = new Set<string>();

  constructor(parts: {
    readonly constants: Constants;
    readonly resolver: TypeResolver;
    readonly facts: TypeFacts;
    readonly names: ContractNames;
  }) {
    this.#constants = parts.constants;
    this.#resolver = parts.resolver;
    this.#facts = parts.facts;
    this.#names = parts.names;
  }

  /** The contract of some types: the root is the only one, or the only class that no other one holds. */
  contract(roots: readonly NetType[]): ContractNode {
    const nodes = roots.map((type) => this.#node(type, undefined, 1));
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#define(...next);
    const free = nodes.filter(({ $ref }) => typeof $ref !== "string" || !this.#held.has($ref));
    const root = nodes.length === 1 ? nodes[0] : free.length === 1 ? free[0] : undefined;
    return wholeContract(root ?? {}, this.#definitions);
  }

  /** Whether a type is described. */
  describes(type: DeclaredType): boolean {
    const name = clrNameOf(type);
    return [...this.#keys.keys()].some((identity) => identity.startsWith(`${name}<`));
  }

  /** Notes a problem, once. */
  note(scope: NameScope | undefined, line: number, message: string): void {
    const file = scope?.file ?? "";
    const place = `${file}:${line}: ${message}`;
    if (this.#noted.size < this.#noted.add(place).size) this.problems.push({ file, line, message });
  }

  #node(type: NetType, scope: NameScope | undefined, line: number, depth: number = 0): ContractNode {
    switch (type.kind) {
      case "scalar":
        return scalarNode(type.scalar);
      case "nullable":
        return nullableNode(this.#node(type.inner, scope, line, depth + 1));
      case "list": {
        const items = this.#node(type.item, scope, line, depth + 1);
        return type.isArray ? { "x-dotnet": "array", items } : { type: "array", items };
      }
      case "map": {
        const values = { additionalProperties: this.#node(type.value, scope, line, depth + 1) };
        const isNamed = type.key.kind === "scalar" && type.key.scalar === "string";
        if (isNamed) return values;
        const key = type.key.kind === "scalar" ? type.key.scalar : this.#node(type.key, scope, line, depth + 1);
        return { ...values, "x-dotnet": { type: "map", key } };
      }
      case "framework":
        return this.#frameworkNode(type, scope, line);
      default:
        return this.#declaredNode(type, scope, line, depth);
    }
  }

  #declaredNode(
    type: NetType & { readonly kind: "declared" },
    scope: NameScope | undefined,
    line: number,
    depth: number,
  ): ContractNode {
    if (isLargerThan(maxParts, type)) {
      this.note(scope, line, `${shownName(type.type)} is of more than ${maxParts} type arguments`);
      return scalarNode("any");
    }
    const { collection } = this.#facts.basesOf(type);
    if (collection !== undefined && attributeNamed(type.type, "CollectionDataContract") === undefined) {
      if (depth < maxParts) return this.#node(collection, scope, line, depth + 1);
      this.note(scope, line, `${shownName(type.type)} is a collection of itself`);
      return scalarNode("any");
    }
    return { $ref: `#/$defs/${this.#keyOf(type, type)}` };
  }

  /** The key of a type, which is described later if it is a new one. */
  #keyOf(type: NetType, instance: Instance): string {
    const identity = identityOf(type);
    const known = this.#keys.get(identity);
    if (known !== undefined) return known;
    const { scope, line } = instance.type;
    const fallback: XmlName = { namespace: "", local: encodeName(instance.type.name) };
    const name =
      attempted(
        () => this.#names.of(type),
        (at, message) => this.note(scope, at, message),
      ) ?? fallback;
    const other = this.#named.get(`${name.namespace} ${name.local}`);
    if (other !== undefined) {
      const message = `${shownName(instance.type)} has the name of ${other} on the wire; a contract can have one of them`;
      this.note(scope, line, message);
    }
    this.#named.set(`${name.namespace} ${name.local}`, shownName(instance.type));
    const key = this.#freeKey(name, instance.type);
    this.#keys.set(identity, key);
    // Keeps its place while it is described.
    this.#definitions.set(key, {});
    this.#waiting.push([key, instance, name]);
    return key;
  }

  #freeKey({ local }: XmlName, type: DeclaredType): string {
    const own = decodeName(local).replaceAll("/", "_");
    if (!this.#definitions.has(own)) return own;
    const whole = clrNameOf(type);
    let key = whole;
    for (let count = 2; this.#definitions.has(key); count++) key = `${whole} ${count}`;
    return key;
  }

  #define(key: string, instance: Instance, name: XmlName): void {
    const { type } = instance;
    const note = (line: number, message: string): void => this.note(type.scope, line, message);
    const node = attempted(() => this.#described(instance, name), note) ?? { properties: {} };
    this.#definitions.set(
      key,
      withHints(node, {
        ...(name.local === key || hasType(node, "list", "map") ? {} : { name: name.local }),
        namespace: name.namespace,
      }),
    );
    this.#knownTypes(instance);
  }

  #described(instance: Instance, name: XmlName): ContractNode {
    const { type } = instance;
    const { collection } = this.#facts.basesOf(instance);
    if (type.kind === "enum") return this.#enum(type, name);
    if (collection !== undefined) return this.#collection(type, collection, name);
    return this.#class(instance, name);
  }

  #enum(type: DeclaredType, name: XmlName): ContractNode {
    const note = (line: number, message: string): void => this.note(type.scope, line, message);
    const hints = enumHints(type, this.#constants, note);
    return { "x-dotnet": { type: "enum", ...this.#clrName(type, name), ...hints } };
  }

  #collection(type: DeclaredType, collection: NetType, { local }: XmlName): ContractNode {
    const attribute = attributeNamed(type, "CollectionDataContract");
    const text = (argument: string): string | undefined => {
      const value = attribute && this.#constants.argument(attribute, type, argument);
      return typeof value === "string" ? value : undefined;
    };
    const node = this.#node(collection, type.scope, type.line);
    if (collection.kind === "map") {
      const names = { entryName: text("ItemName"), keyName: text("KeyName"), valueName: text("ValueName") };
      return withHints(withHints(node, { type: "map" }), { name: local, ...names });
    }
    return withHints(withHints(node, { type: "list" }), { name: local, itemName: text("ItemName") });
  }

  #class(instance: Instance, name: XmlName): ContractNode {
    const { type } = instance;
    const note = (line: number, message: string): void => this.note(type.scope, line, message);
    const kind = this.#facts.kindOf(instance);
    const { base, problems } = this.#facts.basesOf(instance);
    for (const problem of problems) note(type.line, `${shownName(type)}: ${problem}`);
    if (kind === "selfmade")
      note(type.line, `${shownName(type)} writes its members itself (ISerializable): add those of GetObjectData`);
    if (kind === "plain" && type.needsArguments)
      note(
        type.line,
        `${shownName(type)} has no constructor without parameters, which serializers need where nothing is marked`,
      );
    const members = new DataMembers(this.#constants, this.#facts, {
      resolve: (written, owner, { scope }) => this.#typeOf(written, owner, scope),
      note: (line, message, scope) => this.note(scope, line, message),
    });
    const isForXml = kind === "serializable" || usesXmlSerializer(type);
    const properties: Record<string, ContractNode> = {};
    for (const member of attempted(() => members.of(instance), note) ?? []) {
      const key = member.name ?? (isForXml ? member.xmlName : undefined);
      if (key === undefined) continue;
      if (Object.hasOwn(properties, key)) {
        this.note(
          member.syntax.scope,
          member.syntax.line,
          `${member.syntax.name} is written as ${key}, like another member of ${shownName(type)}`,
        );
        continue;
      }
      Object.defineProperty(properties, key, {
        value: this.#member(member, instance, isForXml),
        enumerable: true,
        configurable: true,
      });
    }
    const reference = attributeNamed(type, "DataContract");
    const isReference = reference && attempted(() => this.#constants.argument(reference, type, "IsReference"), note);
    const hints = {
      ...this.#clrName(type, name),
      struct: type.kind === "struct",
      reference: isReference === true,
      serializable: kind === "selfmade",
      xmlNames: attempted(() => this.#xmlNames(type), note),
    };
    const parent = base?.kind === "declared" ? { allOf: [this.#node(base, type.scope, type.line)] } : {};
    return withHints({ ...parent, properties }, hints);
  }

  #member(member: DataMember, instance: Instance, isForXml: boolean): ContractNode {
    const { syntax, name, xmlName, order, omitDefault, isText, isFlat } = member;
    const written = this.#typeOf(member.type, instance, syntax.scope, (message) =>
      this.note(syntax.scope, syntax.line, `${shownName(instance.type)}.${syntax.name}: ${message}`),
    );
    const node = written === undefined ? scalarNode("any") : this.#node(written, syntax.scope, syntax.line);
    this.#hold(node);
    const serializer = isForXml
      ? name === undefined
        ? "xml"
        : xmlName === undefined
          ? "dataContract"
          : undefined
      : undefined;
    const own = isForXml ? xmlName : syntax.name;
    return withHints(node, {
      order,
      omitDefault,
      member: name === undefined || own === undefined || own === name ? undefined : own,
      serializer,
      text: isForXml && isText,
      flat: isForXml && isFlat,
    });
  }

  /** Notes that a class is part of others. */
  #hold(node: ContractNode): void {
    for (const value of [node, node["items"], node["additionalProperties"]]) {
      if (typeof value !== "object" || value === null) continue;
      if ("$ref" in value && typeof value.$ref === "string") this.#held.add(value.$ref);
      if (value !== node) this.#hold(Object.fromEntries(Object.entries(value)));
    }
  }

  /** The type of a member, by the names that its own part of the class uses. */
  #typeOf(
    written: TypeSyntax,
    instance: Instance,
    scope: NameScope,
    tell?: (message: string) => void,
  ): NetType | undefined {
    const { type } = instance;
    const place = { scope, inside: type, args: argumentsOf(instance) };
    const found = this.#resolver.resolve(written, place);
    if (typeof found === "object") return found;
    tell?.(found);
    return undefined;
  }

  /** The CLR name, if it does not follow from the name on the wire. */
  #clrName(type: DeclaredType, { namespace, local }: XmlName): { readonly clrName?: string } {
    const clrName = clrNameOf(type);
    const space = namespace.startsWith(clrNamespaces) ? namespace.slice(clrNamespaces.length) : "";
    return clrName === (space === "" ? local : `${space}.${local}`) ? {} : { clrName };
  }

  /** The names that XmlSerializer gives a class, if they are not its own. */
  #xmlNames(type: DeclaredType): readonly string[] | undefined {
    const names = new Set<string>();
    for (const [name, key] of [
      ["XmlRoot", "ElementName"],
      ["XmlType", "TypeName"],
    ] as const) {
      const attribute = attributeNamed(type, name);
      const given = attribute && this.#constants.argument(attribute, type, key, 0);
      if (typeof given === "string" && given !== "" && given !== type.name) names.add(given);
    }
    return names.size === 0 ? undefined : [...names];
  }

  /** Describes the types that a class may be replaced by. */
  #knownTypes(instance: Instance): void {
    const { type } = instance;
    for (const attribute of type.attributes) {
      if (attribute.name !== "KnownType" && attribute.name !== "XmlInclude") continue;
      const value = attempted(
        () => this.#typeArgument(attribute, type),
        (line, message) => this.note(attribute.scope, line, message),
      );
      if (value === undefined) continue;
      const found = this.#typeOf(value, instance, attribute.scope, (message) =>
        this.note(attribute.scope, attribute.line, message),
      );
      if (found !== undefined) this.#hold(this.#node(found, attribute.scope, attribute.line));
    }
  }

  #typeArgument(attribute: AttributeSyntax, type: DeclaredType): TypeSyntax | undefined {
    const value = this.#constants.argument(attribute, type, "type", 0);
    if (typeof value === "object" && value !== null) return value.type;
    this.note(attribute.scope, attribute.line, `[${attribute.name}] names a method, which is not run; give the types`);
    return undefined;
  }

  #frameworkNode(
    type: NetType & { readonly kind: "framework" },
    scope: NameScope | undefined,
    line: number,
  ): ContractNode {
    const identity = identityOf(type);
    const known = this.#keys.get(identity);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const note = (at: number, message: string): void => this.note(scope, at, message);
    const name = attempted(() => this.#names.of(type), note);
    if (name === undefined || isLargerThan(maxParts, type)) return scalarNode("any");
    const key = this.#definitions.has(name.local) ? `${type.type.namespace}.${name.local}` : name.local;
    this.#keys.set(identity, key);
    this.#definitions.set(key, {});
    const { members, isStruct, namespace, name: own } = type.type;
    const properties = members.map((member, index) => [member, this.#node(type.args[index] ?? type, scope, line)]);
    const clrName = `${namespace}.${own}\`${members.length}`;
    const node = { properties: Object.fromEntries(properties) };
    this.#definitions.set(key, withHints(node, { namespace: name.namespace, clrName, struct: isStruct }));
    return { $ref: `#/$defs/${key}` };
  }
}

function hasType(node: ContractNode, ...types: readonly string[]): boolean {
  const hint = node["x-dotnet"];
  return typeof hint === "object" && hint !== null && "type" in hint && types.some((type) => type === hint.type);
}
