import { encodeName } from "../../../codecs/dotnet/data-contract/element-facts.ts";
import { xmlNameOf } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { genericName } from "../../../codecs/dotnet/data-contract/type-names.ts";
import { arrays, clrNamespaces, serialization, system, xsd } from "../../../codecs/dotnet/xml/namespaces.ts";
import type { XmlName } from "../../../codecs/dotnet/xml/node.ts";
import type { Constants } from "./constants.ts";
import { attributeNamed, type DeclaredType } from "./declared-type.ts";
import type { FrameworkClass, NetType } from "./net-type.ts";
import { NotUnderstood } from "./source-problem.ts";
import type { Instance, TypeFacts } from "./type-facts.ts";

/** Collections nest no deeper, since naming them is recursive. */
const maxDepth = 64;

/** The names of data contracts: what .NET calls types on the wire. */
export class ContractNames {
  readonly #constants: Constants;
  readonly #facts: TypeFacts;
  /** `[assembly: ContractNamespace]`: the XML namespace of a CLR namespace. */
  readonly #assembly: ReadonlyMap<string, string>;

  #depth = 0;

  constructor(constants: Constants, facts: TypeFacts, assembly: ReadonlyMap<string, string>) {
    this.#constants = constants;
    this.#facts = facts;
    this.#assembly = assembly;
  }

  /** The name of a type on the wire. @throws NotUnderstood for a collection of itself. */
  of(type: NetType): XmlName {
    if (this.#depth > maxDepth) throw new NotUnderstood(1, "a collection that holds itself has no name");
    this.#depth++;
    try {
      return this.#name(type);
    } finally {
      this.#depth--;
    }
  }

  #name(type: NetType): XmlName {
    switch (type.kind) {
      case "scalar": {
        const local = type.scalar === "version" ? "Version" : "DateTimeOffset";
        return xmlNameOf(type.scalar) ?? { namespace: system, local };
      }
      case "nullable":
        return { namespace: system, local: genericName("Nullable", [this.of(type.inner)]) };
      case "list": {
        const item = this.of(type.item);
        const isBuiltIn = item.namespace === xsd || item.namespace === serialization;
        return { namespace: isBuiltIn ? arrays : item.namespace, local: `ArrayOf${item.local}` };
      }
      case "map":
        return {
          namespace: arrays,
          local: `ArrayOf${genericName("KeyValue", [this.of(type.key), this.of(type.value)])}`,
        };
      case "framework":
        return this.#framework(type.type, type.args);
      default:
        return this.declared(type);
    }
  }

  /** The name of a declared type. */
  declared(instance: Instance): XmlName {
    const { type, args } = instance;
    const attribute = attributeNamed(type, "CollectionDataContract") ?? attributeNamed(type, "DataContract");
    const { collection } = this.#facts.basesOf(instance);
    if (attribute === undefined && collection !== undefined) return this.of(collection);
    const text = (name: string): string | undefined => {
      const value = attribute && this.#constants.argument(attribute, type, name);
      return typeof value === "string" ? value : undefined;
    };
    const names = args.map((arg) => this.of(arg));
    const given = text("Name");
    const local = given === undefined ? this.#plain(type, names) : formatted(given, names);
    const clr = `${clrNamespaces}${type.namespace}`;
    // The assembly does not decide for enumerations and types that are only [Serializable].
    const isOld = type.kind === "enum" || attributeNamed(type, "Serializable") !== undefined;
    const assembly = attribute === undefined && isOld ? undefined : this.#assembly.get(type.namespace);
    return { namespace: text("Namespace") ?? assembly ?? clr, local };
  }

  #plain(type: DeclaredType, args: readonly XmlName[]): string {
    const own = encodeName(localOf(type));
    return args.length === 0 ? own : genericName(own, args);
  }

  #framework({ name, namespace }: FrameworkClass, args: readonly NetType[]): XmlName {
    const names = args.map((arg) => this.of(arg));
    return { namespace: `${clrNamespaces}${namespace}`, local: genericName(name, names) };
  }
}

/** `Outer.Inner`. */
function localOf({ name, outer }: DeclaredType): string {
  return outer === undefined ? name : `${localOf(outer)}.${name}`;
}

/** `DataContract.Name` with the names of the type arguments: `{0}`, and `{#}` for their digest. */
function formatted(name: string, args: readonly XmlName[]): string {
  if (args.length === 0) return encodeName(name);
  return name.replaceAll(/\{(\d+|#)\}/g, (whole, key: string) => {
    if (key !== "#") return args[Number(key)]?.local ?? whole;
    return genericName("", args).slice(2 + args.map(({ local }) => local).join("").length);
  });
}
