import { attributeNamed, type DeclaredType } from "./declared-type.ts";
import type { NetType } from "./net-type.ts";
import type { TypeResolver } from "./resolve-type.ts";
import type { TypeSyntax } from "./syntax.ts";

/** How serializers treat a declared type. */
export type TypeKind =
  | "enum"
  /** `[DataContract]`: the marked members. */
  | "contract"
  /** `[Serializable]`: all fields. */
  | "serializable"
  /** It writes its members itself. */
  | "selfmade"
  /** Not marked: public members that can be read and written. */
  | "plain";

/** A declared type with the types of its parameters. */
export interface Instance {
  readonly type: DeclaredType;
  readonly args: readonly NetType[];
}

/** The base class and interfaces of a declared type. */
export interface Bases {
  /** The base class, unless it is one of .NET's that holds no data. */
  readonly base: NetType | undefined;
  /** The list or dictionary that it is. */
  readonly collection: NetType | undefined;
  readonly isSelfmade: boolean;
  /** Bases that are not known. */
  readonly problems: readonly string[];
}

/** Base classes without data. */
const emptyBases: ReadonlySet<string> = new Set([
  "object",
  "Object",
  "System.Object",
  "MarshalByRefObject",
  "System.MarshalByRefObject",
]);
/** A chain of base classes that is longer than this is a circle. */
const maxBases = 64;

/** The types of a declared type's parameters. */
export function argumentsOf({ type, args }: Instance): ReadonlyMap<string, NetType> {
  const pairs: (readonly [string, NetType])[] = [];
  for (const [index, name] of type.parameters.entries()) {
    const arg = args[index];
    if (arg !== undefined) pairs.push([name, arg]);
  }
  return new Map(pairs);
}

/** Facts about declared types that follow from their bases. */
export class TypeFacts {
  readonly #resolver: TypeResolver;
  readonly #bases = new Map<DeclaredType, Bases>();
  readonly #written = new Map<TypeSyntax, NetType | string>();
  readonly #generic = new Map<readonly NetType[], Bases>();

  constructor(resolver: TypeResolver) {
    this.#resolver = resolver;
  }

  kindOf(instance: Instance): TypeKind {
    const { type } = instance;
    if (type.kind === "enum") return "enum";
    if (attributeNamed(type, "DataContract") !== undefined) return "contract";
    if (this.basesOf(instance).isSelfmade) return "selfmade";
    return attributeNamed(type, "Serializable") === undefined ? "plain" : "serializable";
  }

  /** The bases of a type; a collection base class makes it a collection. */
  basesOf(instance: Instance): Bases {
    // Each place that writes a type with arguments has an instance of its own.
    const isPlain = instance.args.length === 0;
    const known = isPlain ? this.#bases.get(instance.type) : this.#generic.get(instance.args);
    if (known !== undefined) return known;
    const bases = this.#findBases(instance);
    if (isPlain) this.#bases.set(instance.type, bases);
    else this.#generic.set(instance.args, bases);
    return bases;
  }

  #resolved(written: TypeSyntax, instance: Instance): NetType | string {
    const { type, args } = instance;
    const known = args.length === 0 ? this.#written.get(written) : undefined;
    if (known !== undefined) return known;
    const found = this.#resolver.resolve(written, { scope: type.scope, inside: type, args: argumentsOf(instance) });
    if (args.length === 0) this.#written.set(written, found);
    return found;
  }

  #findBases(instance: Instance): Bases {
    const problems: string[] = [];
    let base: NetType | undefined;
    let collection: NetType | undefined;
    let isSelfmade = false;
    let at: Instance | undefined = instance;
    for (let count = 0; at !== undefined && count < maxBases; count++) {
      const { type }: Instance = at;
      if (count > 0 && type === instance.type) {
        return { base: undefined, collection: undefined, isSelfmade: false, problems: ["it derives from itself"] };
      }
      let next: Instance | undefined;
      for (const written of type.bases) {
        const name = written.kind === "name" ? written.parts.map((part) => part.name).join(".") : "";
        if (emptyBases.has(name)) continue;
        if (name === "ISerializable" || name.endsWith(".ISerializable")) isSelfmade = true;
        const found = this.#resolved(written, at);
        if (typeof found === "string") {
          const last = name.slice(name.lastIndexOf(".") + 1);
          // Interfaces by the usual form of their names.
          if (at.type === instance.type && !/^I[A-Z]/.test(last)) problems.push(found);
        } else if (found.kind === "declared") {
          base ??= at.type === instance.type ? found : undefined;
          next ??= found;
        } else if (found.kind === "list" || found.kind === "map") {
          const isWeak = name === "IEnumerable" || name.endsWith(".IEnumerable");
          if (!isWeak || type.members.some((member) => member.kind === "method" && member.name === "Add")) {
            // A dictionary is a collection of pairs, too.
            if (collection?.kind !== "map") collection = found;
          }
        }
      }
      at = next;
    }
    const isContract = attributeNamed(instance.type, "DataContract") !== undefined;
    return { base, collection: isContract ? undefined : collection, isSelfmade, problems };
  }
}
