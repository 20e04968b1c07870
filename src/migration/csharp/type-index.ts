import type { ParsedFile } from "./parse-file.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { TypeDeclaration } from "./syntax.ts";

/** The declared types of all files: parts of one type are one. */
export class TypeIndex {
  readonly types: readonly DeclaredType[];
  /** By namespace, outer types and name, and the number of type parameters. */
  readonly #byName = new Map<string, DeclaredType>();
  readonly #byShortName = new Map<string, DeclaredType[]>();

  constructor(files: readonly ParsedFile[]) {
    const waiting = files.flatMap(({ types }) => types.map((declaration) => ({ declaration, outer: "" })));
    const groups = new Map<string, { readonly outer: string; readonly parts: TypeDeclaration[] }>();
    // Outer types are made before those in them.
    for (const { declaration, outer } of waiting) {
      const { scope, name, parameters, nested } = declaration;
      const key = keyOf([outer === "" ? scope.namespace : outer, name], parameters.length);
      const group = groups.get(key) ?? { outer, parts: [] };
      group.parts.push(declaration);
      groups.set(key, group);
      for (const inner of nested) waiting.push({ declaration: inner, outer: key });
    }
    for (const [key, { outer, parts }] of groups) {
      const type = merged(parts, this.#byName.get(outer));
      if (type === undefined) continue;
      this.#byName.set(key, type);
      const same = this.#byShortName.get(key.slice(key.lastIndexOf(".") + 1)) ?? [];
      same.push(type);
      this.#byShortName.set(key.slice(key.lastIndexOf(".") + 1), same);
    }
    this.types = [...this.#byName.values()];
  }

  /** The type with a whole name, in which outer types are separated by dots. */
  named(name: string, parameters: number): DeclaredType | undefined {
    return this.#byName.get(keyOf([name], parameters));
  }

  /** A type inside another one. */
  nested(outer: DeclaredType, name: string, parameters: number): DeclaredType | undefined {
    return this.#byName.get(keyOf([pathOf(outer), name], parameters));
  }

  /** The only type with a name, in any namespace. */
  only(name: string, parameters: number): DeclaredType | undefined {
    const same = this.#byShortName.get(keyOf([name], parameters)) ?? [];
    return same.length === 1 ? same[0] : undefined;
  }
}

function pathOf({ name, parameters, outer, namespace }: DeclaredType): string {
  return keyOf([outer === undefined ? namespace : pathOf(outer), name], parameters.length);
}

function keyOf(names: readonly string[], parameters: number): string {
  const path = names.filter((name) => name !== "").join(".");
  return parameters === 0 ? path : `${path}\`${parameters}`;
}

function merged(parts: readonly TypeDeclaration[], outer: DeclaredType | undefined): DeclaredType | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const { kind, name, parameters, line, scope } = first;
  const constructors = new Set(parts.flatMap((part) => [...part.constructors]));
  return {
    kind,
    name,
    parameters,
    namespace: scope.namespace,
    outer,
    modifiers: new Set(parts.flatMap(({ modifiers }) => [...modifiers])),
    attributes: parts.flatMap(({ attributes }) => attributes),
    bases: parts.flatMap(({ bases }) => bases),
    members: parts.flatMap(({ members }) => members),
    enumMembers: parts.flatMap(({ enumMembers }) => enumMembers),
    needsArguments: constructors.size > 0 && !constructors.has(0),
    line,
    scope,
  };
}
