import type { AttributeSyntax, TypeDeclaration } from "./syntax.ts";

/** A type with all its parts. */
export interface DeclaredType extends Omit<TypeDeclaration, "nested" | "constructors"> {
  /** The CLR namespace. */
  readonly namespace: string;
  readonly outer: DeclaredType | undefined;
  readonly needsArguments: boolean;
}

/** The CLR name without the namespace: `Outer+Inner`, and `Page`1` of a generic type. */
function clrLocalOf({ name, parameters, outer }: DeclaredType): string {
  const own = parameters.length === 0 ? name : `${name}\`${parameters.length}`;
  return outer === undefined ? own : `${clrLocalOf(outer)}+${own}`;
}

/** The CLR name. */
export function clrNameOf(type: DeclaredType): string {
  return type.namespace === "" ? clrLocalOf(type) : `${type.namespace}.${clrLocalOf(type)}`;
}

/** The name as it is written in C#, for messages. */
export function shownName({ name, outer, namespace }: DeclaredType): string {
  const around = outer === undefined ? namespace : shownName(outer);
  return around === "" ? name : `${around}.${name}`;
}

/** An attribute of a member, type or parameter by its name; not one for the field behind a property. */
export function attributeNamed(
  { attributes }: { readonly attributes: readonly AttributeSyntax[] },
  name: string,
): AttributeSyntax | undefined {
  return attributes.find((one) => one.name === name && one.target !== "field" && one.target !== "return");
}
