import { parseAttributes } from "./parse-attributes.ts";
import { parseType } from "./parse-type.ts";
import type { Accessors, AttributeSyntax, MemberSyntax, NameScope, TypeSyntax } from "./syntax.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** The members of a body that have been read so far. */
export interface MemberParts {
  readonly members: MemberSyntax[];
  /** How many parameters the constructors have: 0, or 1 for one or more. */
  readonly constructors: Set<number>;
}

interface MemberStart {
  readonly cursor: TokenCursor;
  readonly scope: NameScope;
  readonly attributes: readonly AttributeSyntax[];
  /** The name of the type around it. */
  readonly owner: string;
}

const modifierWords: ReadonlySet<string> = new Set(
  (
    "public private protected internal static abstract sealed partial new unsafe readonly ref file required virtual " +
    "override async extern volatile const fixed"
  ).split(" "),
);

/** Whether a word may be in front of a declaration. */
export function isModifier(word: string): boolean {
  return modifierWords.has(word);
}

/** Takes the modifiers at the cursor. */
export function parseModifiers(cursor: TokenCursor): ReadonlySet<string> {
  const modifiers = new Set<string>();
  while (cursor.token.kind === "name" && cursor.token.isEscaped !== true && modifierWords.has(cursor.token.text))
    modifiers.add(cursor.name());
  return modifiers;
}

/** Reads a member into `parts`. @throws NotUnderstood */
export function parseMember({ cursor, scope, attributes, owner }: MemberStart, parts: MemberParts): void {
  const { line } = cursor.token;
  const modifiers = parseModifiers(cursor);
  const base = { modifiers, attributes, accessors: undefined, value: undefined, line, scope } as const;
  if (cursor.is("~") || cursor.is("implicit") || cursor.is("explicit")) return cursor.recover();
  const isEvent = cursor.is("event") && cursor.ahead(1).kind === "name";
  if (isEvent) cursor.at++;
  if (cursor.token.text === owner && cursor.ahead(1).text === "(") {
    cursor.at++;
    if (!modifiers.has("static")) parts.constructors.add(parameterCount(cursor));
    return skipMethod(cursor);
  }
  const type = parseType(cursor);
  if (cursor.is("operator") || cursor.is("this")) return skipMethod(cursor);
  let name = cursor.name();
  // The interface in `IList<T>.Count` is skipped.
  let isExplicit = false;
  for (;;) {
    if (cursor.is("<")) skipTypeParameters(cursor);
    if (!cursor.took(".")) break;
    isExplicit = true;
    if (cursor.is("this")) return skipMethod(cursor);
    name = cursor.name();
  }
  if (cursor.is("(")) {
    parts.members.push({ ...base, kind: "method", name, type: undefined });
    return skipMethod(cursor);
  }
  if (cursor.is("{") || cursor.is("=>")) {
    const accessors = parseAccessors(cursor);
    if (!isExplicit && !isEvent) parts.members.push({ ...base, kind: "property", name, type, accessors });
    return;
  }
  const kind = isEvent ? "event" : "field";
  for (;;) {
    const value = cursor.took("=") ? expression(cursor) : undefined;
    parts.members.push({ ...base, kind, name, type, value: modifiers.has("const") ? value : undefined });
    if (!cursor.took(",")) break;
    name = cursor.name();
  }
  cursor.expect(";");
}

function expression(cursor: TokenCursor): MemberSyntax["value"] {
  const from = cursor.at;
  cursor.skipExpression();
  return cursor.slice(from, cursor.at);
}

function skipTypeParameters(cursor: TokenCursor): void {
  let depth = 0;
  do {
    if (cursor.is("<")) depth++;
    if (cursor.is(">")) depth--;
    cursor.at++;
  } while (depth > 0 && !cursor.isAtEnd);
}

function parameterCount(cursor: TokenCursor): number {
  return cursor.ahead(1).text === ")" ? 0 : 1;
}

function skipMethod(cursor: TokenCursor): void {
  while (!cursor.isAtEnd && !cursor.is("{") && !cursor.is(";") && !cursor.is("=>") && !cursor.is("}")) {
    if (cursor.is("(") || cursor.is("[")) cursor.skipBrackets();
    else cursor.at++;
  }
  if (cursor.is("{")) return cursor.skipBrackets();
  if (cursor.is("=>")) {
    while (!cursor.isAtEnd && !cursor.is(";") && !cursor.is("}")) {
      cursor.skipExpression();
      // The commas of type arguments, which look like comparisons, end an expression too early.
      if (cursor.is(",") || cursor.is(")") || cursor.is("]")) cursor.at++;
    }
  }
  cursor.expect(";");
}

function parseAccessors(cursor: TokenCursor): Accessors {
  if (cursor.is("=>")) {
    skipMethod(cursor);
    return { isAuto: false, reads: "public", writes: "none" };
  }
  const end = cursor.closing();
  cursor.at++;
  let isAuto = true;
  const access: Record<string, Accessors["reads"]> = {};
  while (cursor.at < end) {
    while (cursor.is("[")) cursor.skipBrackets();
    const isHidden = parseModifiers(cursor).size > 0 && !cursor.is("}");
    const isReadonly = isHidden && cursor.ahead(-1).text === "readonly";
    const word = cursor.name();
    access[word === "init" ? "set" : word] = isHidden && !isReadonly ? "hidden" : "public";
    if (cursor.took(";")) continue;
    isAuto = false;
    if (cursor.is("=>")) skipMethod(cursor);
    else cursor.skipBrackets();
  }
  cursor.at = end + 1;
  if (cursor.took("=")) {
    cursor.skipExpression();
    cursor.expect(";");
  }
  return { isAuto, reads: access["get"] ?? "none", writes: access["set"] ?? "none" };
}

/** The properties that a record has for its parameters; those of a class are not members. */
export function positionalMembers(cursor: TokenCursor, scope: NameScope, areMembers: boolean): readonly MemberSyntax[] {
  const end = cursor.closing();
  cursor.at++;
  const members: MemberSyntax[] = [];
  while (cursor.at < end) {
    const written = parseAttributes(cursor, scope);
    const { line } = cursor.token;
    while (["params", "in", "ref", "out", "this", "scoped", "readonly"].some((word) => cursor.took(word)));
    const type: TypeSyntax = parseType(cursor);
    const name = cursor.name();
    if (cursor.took("=")) cursor.skipExpression();
    const attributes = written.flatMap((one) =>
      one.target === "property" ? [{ ...one, target: undefined }] : one.target === "field" ? [one] : [],
    );
    const accessors: Accessors = { isAuto: true, reads: "public", writes: "public" };
    const modifiers = new Set(["public"]);
    if (areMembers)
      members.push({ kind: "property", name, type, modifiers, attributes, accessors, value: undefined, line, scope });
    if (!cursor.took(",")) break;
  }
  cursor.at = end;
  cursor.expect(")");
  return members;
}
