import type { CSharpToken } from "./tokens.ts";

/** A type as it is written. */
export type TypeSyntax =
  | { readonly kind: "name"; readonly parts: readonly NamePart[]; readonly line: number }
  | { readonly kind: "array"; readonly item: TypeSyntax; readonly rank: number; readonly line: number }
  | { readonly kind: "nullable"; readonly inner: TypeSyntax; readonly line: number }
  | { readonly kind: "tuple"; readonly items: readonly TypeSyntax[]; readonly line: number };

/** One name of a qualified one, with its type arguments. */
export interface NamePart {
  readonly name: string;
  readonly args: readonly TypeSyntax[];
}

/** The names that are visible at a place: a file or a namespace in it. */
export interface NameScope {
  readonly file: string;
  /** The whole name of the namespace. */
  readonly namespace: string;
  readonly usings: string[];
  readonly aliases: Map<string, TypeSyntax>;
  readonly outer: NameScope | undefined;
}

/** An attribute. */
export interface AttributeSyntax {
  /** The last part of its name, without `Attribute`. */
  readonly name: string;
  /** `field`, `property`, `assembly` …, if it is written. */
  readonly target: string | undefined;
  readonly args: readonly ArgumentSyntax[];
  readonly line: number;
  readonly scope: NameScope;
}

/** An argument of an attribute. */
export interface ArgumentSyntax {
  /** The name in `Name = value` or `name: value`. */
  readonly name: string | undefined;
  readonly tokens: readonly CSharpToken[];
}

/** A member that may be data; methods and the like only count by their names. */
export interface MemberSyntax {
  readonly kind: "field" | "property" | "event" | "method";
  readonly name: string;
  readonly type: TypeSyntax | undefined;
  readonly modifiers: ReadonlySet<string>;
  readonly attributes: readonly AttributeSyntax[];
  /** The accessors of a property; `isAuto` if the compiler makes its field. */
  readonly accessors: Accessors | undefined;
  /** The value of a constant. */
  readonly value: readonly CSharpToken[] | undefined;
  readonly line: number;
  readonly scope: NameScope;
}

/** The accessors of a property. */
export interface Accessors {
  readonly isAuto: boolean;
  readonly reads: "public" | "hidden" | "none";
  readonly writes: "public" | "hidden" | "none";
}

/** A member of an enumeration. */
export interface EnumMemberSyntax {
  readonly name: string;
  readonly attributes: readonly AttributeSyntax[];
  readonly value: readonly CSharpToken[] | undefined;
  readonly line: number;
}

/** A declared type, or one part of it. */
export interface TypeDeclaration {
  readonly kind: "class" | "struct" | "interface" | "enum" | "delegate";
  readonly name: string;
  readonly parameters: readonly string[];
  readonly modifiers: ReadonlySet<string>;
  readonly attributes: readonly AttributeSyntax[];
  readonly bases: readonly TypeSyntax[];
  readonly members: readonly MemberSyntax[];
  readonly enumMembers: readonly EnumMemberSyntax[];
  readonly nested: readonly TypeDeclaration[];
  /** How many parameters its constructors have: 0, or 1 for one or more. */
  readonly constructors: ReadonlySet<number>;
  readonly line: number;
  readonly scope: NameScope;
}
