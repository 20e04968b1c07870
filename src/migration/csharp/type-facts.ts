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
    const own = this.#statedBases(instance);
    const chain = [...own];
    let at = own.find(isDeclared)?.type;
    for (let count = 1; at !== undefined && count < maxBases; count++) {
      if (at.type === instance.type)
        return { base: undefined, collection: undefined, isSelfmade: false, problems: ["it derives from itself"] };
      const stated = this.#statedBases(at);
      chain.push(...stated);
      at = stated.find(isDeclared)?.type;
    }
    const isContract = attributeNamed(instance.type, "DataContract") !== undefined;
    return {
      base: own.find(isDeclared)?.type,
      collection: isContract ? undefined : collectionOf(chain),
      isSelfmade: chain.some(({ name }) => isNamed(name, "ISerializable")),
      problems: own.flatMap(({ name, type }) => (typeof type === "string" && !isInterface(name) ? [type] : [])),
    };
  }

  /** The bases that a declaration names itself, in its order, without those that hold no data. */
  #statedBases(instance: Instance): readonly StatedBase[] {
    const { bases, members } = instance.type;
    const canAdd = members.some((member) => member.kind === "method" && member.name === "Add");
    return bases.flatMap((written) => {
      const name = written.kind === "name" ? written.parts.map((part) => part.name).join(".") : "";
      return emptyBases.has(name) ? [] : [{ name, type: this.#resolved(written, instance), canAdd }];
    });
  }
}

/** A base that a declaration names, and its type, or why that is not known. */
interface StatedBase {
  readonly name: string;
  readonly type: NetType | string;
  /** Whether the declaration has a method `Add`. */
  readonly canAdd: boolean;
}

const isNamed = (name: string, last: string): boolean => name === last || name.endsWith(`.${last}`);

/** Interfaces have the usual form of their names. */
const isInterface = (name: string): boolean => /^I[A-Z]/.test(name.slice(name.lastIndexOf(".") + 1));

const isDeclared = (base: StatedBase): base is StatedBase & { readonly type: Extract<NetType, { kind: "declared" }> } =>
  typeof base.type !== "string" && base.type.kind === "declared";

/** The dictionary, or else the last list: a dictionary is a collection of pairs, too. A bare IEnumerable counts with `Add`. */
function collectionOf(chain: readonly StatedBase[]): NetType | undefined {
  const collections = chain.flatMap(({ name, type, canAdd }) =>
    typeof type !== "string" &&
    (type.kind === "list" || type.kind === "map") &&
    (canAdd || !isNamed(name, "IEnumerable"))
      ? [type]
      : [],
  );
  return collections.find(({ kind }) => kind === "map") ?? collections.at(-1);
}
