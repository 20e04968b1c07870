import { type Constant, constantOf } from "./constant.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { TypeResolver } from "./resolve-type.ts";
import { NotUnderstood } from "./source-problem.ts";
import type { AttributeSyntax, MemberSyntax, NameScope } from "./syntax.ts";
import type { CSharpToken } from "./tokens.ts";

/** A constant that refers to others this deeply refers to itself. */
const maxReferences = 32;

/** Evaluates the constants of sources. */
export class Constants {
  readonly #resolver: TypeResolver;
  readonly #known = new Map<readonly CSharpToken[], Constant>();
  readonly #enums = new Map<DeclaredType, ReadonlyMap<string, bigint>>();
  readonly #enumNames = new Map<DeclaredType, ReadonlySet<string>>();
  readonly #constantMembers = new Map<DeclaredType, ReadonlyMap<string, MemberSyntax>>();

  constructor(resolver: TypeResolver) {
    this.#resolver = resolver;
  }

  /** The value of an expression inside a type. @throws NotUnderstood */
  valueOf(
    tokens: readonly CSharpToken[],
    inside: DeclaredType | undefined,
    scope: NameScope,
    depth: number = 0,
  ): Constant {
    const known = this.#known.get(tokens);
    if (known !== undefined) return known;
    if (depth > maxReferences) throw new NotUnderstood(tokens[0]?.line ?? 1, "has a constant that refers to itself");
    const value = constantOf(tokens, (names) => this.#named(names, inside, scope, depth));
    this.#known.set(tokens, value);
    return value;
  }

  /** The values of an enumeration, by its C# names. @throws NotUnderstood */
  enumOf(type: DeclaredType, depth: number = 0): ReadonlyMap<string, bigint> {
    const known = this.#enums.get(type);
    if (known !== undefined) return known;
    const values = new Map<string, bigint>();
    let next = 0n;
    for (const { name, value, line } of type.enumMembers) {
      if (value !== undefined) {
        if (depth > maxReferences) throw new NotUnderstood(line, "has a constant that refers to itself");
        const own = constantOf(value, (names) => {
          const sibling = this.#isOfEnum(names.slice(0, -1), type) ? values.get(names.at(-1) ?? "") : undefined;
          return sibling ?? this.#named(names, type, type.scope, depth);
        });
        if (typeof own !== "bigint") throw new NotUnderstood(line, "has a value that is not a whole number");
        next = own;
      }
      values.set(name, next++);
    }
    this.#enums.set(type, values);
    return values;
  }

  /** Whether no names precede a member, or only those of the enumeration in which they are written. */
  #isOfEnum(path: readonly string[], type: DeclaredType): boolean {
    if (path.length === 0) return true;
    return this.#resolver.declared(path, 0, { scope: type.scope, inside: type, args: new Map() }) === type;
  }

  /** An argument of an attribute: by its name, or the one without a name at an index. @throws NotUnderstood */
  argument(
    { args, scope }: AttributeSyntax,
    inside: DeclaredType | undefined,
    name: string,
    index?: number,
  ): Constant | undefined {
    const unnamed = args.filter((one) => one.name === undefined);
    const lower = `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
    const found =
      args.find((one) => one.name === name || one.name === lower) ?? (index === undefined ? undefined : unnamed[index]);
    return found && this.valueOf(found.tokens, inside, scope);
  }

  #named(
    names: readonly string[],
    inside: DeclaredType | undefined,
    scope: NameScope,
    depth: number,
  ): Constant | undefined {
    const own = names.at(-1) ?? "";
    const path = names.slice(0, -1);
    if (path.length > 0) {
      const owner = this.#resolver.declared(path, 0, { scope, inside, args: new Map() });
      return owner && this.#member(owner, own, depth);
    }
    for (let outer = inside; outer !== undefined; outer = outer.outer) {
      const found = this.#member(outer, own, depth);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #member(owner: DeclaredType, name: string, depth: number): Constant | undefined {
    if (owner.kind === "enum") {
      // Its own names come first while it is evaluated.
      return this.#namesOf(owner).has(name) ? this.enumOf(owner, depth + 1).get(name) : undefined;
    }
    const member = this.#constantsOf(owner).get(name);
    return member?.value && this.valueOf(member.value, owner, member.scope, depth + 1);
  }

  #namesOf(type: DeclaredType): ReadonlySet<string> {
    const known = this.#enumNames.get(type);
    if (known !== undefined) return known;
    const names = new Set(type.enumMembers.map(({ name }) => name));
    this.#enumNames.set(type, names);
    return names;
  }

  /** The members of a type that are constants, the first of each name. */
  #constantsOf(type: DeclaredType): ReadonlyMap<string, MemberSyntax> {
    const known = this.#constantMembers.get(type);
    if (known !== undefined) return known;
    const members = new Map<string, MemberSyntax>();
    for (const member of type.members)
      if (member.value !== undefined && !members.has(member.name)) members.set(member.name, member);
    this.#constantMembers.set(type, members);
    return members;
  }
}
