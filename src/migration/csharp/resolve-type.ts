import { clrNameOf, type DeclaredType } from "./declared-type.ts";
import { frameworkType, keywordType } from "./framework-types.ts";
import { anyType, isValueType, type NetType } from "./net-type.ts";
import { typeText } from "./parse-type.ts";
import type { NamePart, NameScope, TypeSyntax } from "./syntax.ts";
import type { TypeIndex } from "./type-index.ts";

/** Where a type is written. */
export interface TypePlace {
  readonly scope: NameScope;
  /** The type in which it is written. */
  readonly inside: DeclaredType | undefined;
  /** The types of the parameters of `inside`. */
  readonly args: ReadonlyMap<string, NetType>;
}

/** The names that all files see: `global using`. */
export interface GlobalNames {
  readonly usings: readonly string[];
  readonly aliases: ReadonlyMap<string, TypeSyntax>;
}

/** An alias of an alias … */
const maxAliases = 16;
/** Base classes that are searched for nested types. */
const maxBases = 16;

/** Finds the types that sources name. */
export class TypeResolver {
  readonly #index: TypeIndex;
  readonly #global: GlobalNames;
  readonly #bases = new Map<DeclaredType, DeclaredType | undefined>();

  constructor(index: TypeIndex, global: GlobalNames) {
    this.#index = index;
    this.#global = global;
  }

  /** The type that is written at a place, or a sentence that says why there is none. */
  resolve(written: TypeSyntax, place: TypePlace, aliases: number = 0): NetType | string {
    switch (written.kind) {
      case "array": {
        if (written.rank > 1) return `${typeText(written)} has several dimensions, which data contracts do not write`;
        const item = this.resolve(written.item, place, aliases);
        if (typeof item === "string") return item;
        const isBytes = item.kind === "scalar" && item.scalar === "byte";
        return isBytes ? { kind: "scalar", scalar: "bytes" } : { kind: "list", item, isArray: true };
      }
      case "nullable": {
        const inner = this.resolve(written.inner, place, aliases);
        // `string?` says nothing about the wire.
        return typeof inner === "object" && isValueType(inner) ? { kind: "nullable", inner } : inner;
      }
      case "tuple": {
        const args = written.items.map((item) => this.resolve(item, place, aliases));
        const failed = args.find((arg) => typeof arg === "string");
        if (failed !== undefined) return failed;
        const found = frameworkType(
          "System.ValueTuple",
          args.filter((arg) => typeof arg === "object"),
        );
        return found ?? `${typeText(written)} has more than 7 items`;
      }
      default:
        return this.#named(written, place, aliases);
    }
  }

  /** The declared type with these names at a place. */
  declared(names: readonly string[], parameters: number, { scope, inside }: TypePlace): DeclaredType | undefined {
    const [first = "", ...others] = names;
    const walk = (type: DeclaredType | undefined): DeclaredType | undefined =>
      others.reduce<DeclaredType | undefined>(
        (outer, name, index) => outer && this.#index.nested(outer, name, index === others.length - 1 ? parameters : 0),
        type,
      );
    const own = others.length === 0 ? parameters : 0;
    for (let outer = inside; outer !== undefined; outer = outer.outer) {
      const found = walk(this.#member(outer, first, own));
      if (found !== undefined) return found;
      if (outer.name === first && outer.parameters.length === own) return walk(outer);
    }
    const path = names.join(".");
    for (let at: NameScope | undefined = scope; at !== undefined; at = at.outer) {
      for (const namespace of around(at.namespace, at.outer?.namespace)) {
        const found = this.#index.named(namespace === "" ? path : `${namespace}.${path}`, parameters);
        if (found !== undefined) return found;
      }
      const usings = at.outer === undefined ? [...at.usings, ...this.#global.usings] : at.usings;
      for (const using of usings) {
        const found = this.#index.named(`${using}.${path}`, parameters);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** A type in another one or in its base classes. */
  #member(type: DeclaredType, name: string, parameters: number): DeclaredType | undefined {
    let at: DeclaredType | undefined = type;
    for (let count = 0; at !== undefined && count < maxBases; count++) {
      const found = this.#index.nested(at, name, parameters);
      if (found !== undefined) return found;
      at = this.#baseOf(at);
    }
    return undefined;
  }

  /** The base class, by the names of its file alone, so that the search ends. */
  #baseOf(type: DeclaredType): DeclaredType | undefined {
    if (this.#bases.has(type)) return this.#bases.get(type);
    const { bases, scope } = type;
    const [base] = bases;
    const parts = base?.kind === "name" ? base.parts : [];
    const names = parts.map((part) => part.name);
    const place = { scope, inside: undefined, args: new Map<string, NetType>() };
    const found = names.length === 0 ? undefined : this.declared(names, parts.at(-1)?.args.length ?? 0, place);
    this.#bases.set(type, found);
    return found;
  }

  #named(written: TypeSyntax & { readonly kind: "name" }, place: TypePlace, aliases: number): NetType | string {
    const { parts } = written;
    const args: NetType[] = [];
    for (const arg of parts.flatMap((part) => part.args)) {
      const resolved = this.resolve(arg, place, aliases);
      if (typeof resolved === "string") return resolved;
      args.push(resolved);
    }
    const [first] = parts;
    const isSimple = parts.length === 1 && args.length === 0;
    if (isSimple && first !== undefined) {
      const own = place.args.get(first.name) ?? keywordType(first.name);
      if (own !== undefined) return own;
    }
    const names = parts.map(({ name }) => name);
    const isInner = parts.slice(0, -1).some((part) => part.args.length > 0);
    if (isInner) return `${typeText(written)} is nested in a generic type`;
    const found = this.declared(names, args.length, place);
    if (found !== undefined) return this.#instance(found, args, written);
    const alias = first === undefined ? undefined : this.#alias(first.name, place.scope);
    if (alias !== undefined && aliases < maxAliases) return this.#aliased(alias, parts, place, aliases);
    const known = frameworkType(names.join("."), args);
    if (known !== undefined) return known;
    const only = names.length === 1 ? this.#index.only(names[0] ?? "", args.length) : undefined;
    if (only !== undefined) return this.#instance(only, args, written);
    if (names.length > 1 && names[0] === "System") return `${typeText(written)} is not a type that contracts know`;
    return `${typeText(written)} is neither in these sources nor a type that contracts know`;
  }

  #instance(type: DeclaredType, args: readonly NetType[], written: TypeSyntax): NetType | string {
    if (type.kind === "delegate") return `${typeText(written)} is a delegate, which no serializer writes`;
    // Serializers write the values of other interfaces with their own types.
    if (type.kind === "interface") return anyType;
    if (type.outer !== undefined && hasParameters(type.outer)) return `${clrNameOf(type)} is nested in a generic type`;
    return { kind: "declared", type, args };
  }

  #alias(name: string, scope: NameScope): TypeSyntax | undefined {
    for (let at: NameScope | undefined = scope; at !== undefined; at = at.outer) {
      const alias = at.aliases.get(name);
      if (alias !== undefined) return alias;
    }
    return this.#global.aliases.get(name);
  }

  /** The type of an alias, or one in the namespace that it stands for. */
  #aliased(alias: TypeSyntax, [, ...others]: readonly NamePart[], place: TypePlace, aliases: number): NetType | string {
    const whole: TypeSyntax =
      others.length > 0 && alias.kind === "name" ? { ...alias, parts: [...alias.parts, ...others] } : alias;
    return this.resolve(whole, { ...place, inside: undefined, args: new Map() }, aliases + 1);
  }
}

function hasParameters({ parameters, outer }: DeclaredType): boolean {
  return parameters.length > 0 || (outer !== undefined && hasParameters(outer));
}

/** A namespace and those around it, down to the one of the outer scope, which follows. */
function around(namespace: string, outer: string | undefined): readonly string[] {
  const names: string[] = [];
  for (let at = namespace; at !== outer; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    names.push(at);
    if (at === "") break;
  }
  return names;
}
