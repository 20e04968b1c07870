import type { FileReading } from "./file-reading.ts";
import { parseAttributes } from "./parse-attributes.ts";
import { isModifier, type MemberParts, parseMember, parseModifiers, positionalMembers } from "./parse-members.ts";
import { parseType } from "./parse-type.ts";
import { NotUnderstood } from "./source-problem.ts";
import type { AttributeSyntax, EnumMemberSyntax, NameScope, TypeDeclaration, TypeSyntax } from "./syntax.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** The start of a declaration: its attributes are read. */
export interface DeclarationStart {
  readonly cursor: TokenCursor;
  readonly scope: NameScope;
  readonly attributes: readonly AttributeSyntax[];
  readonly reading: FileReading;
  readonly depth?: number;
}

/** Types nest no deeper, since reading them is recursive. */
const maxDepth = 32;

const kinds: ReadonlySet<string> = new Set(["class", "struct", "interface", "enum", "delegate", "record"]);

/** Whether a type is declared here, after its attributes. */
export function isDeclaration(cursor: TokenCursor): boolean {
  let ahead = 0;
  while (cursor.ahead(ahead).kind === "name" && isModifier(cursor.ahead(ahead).text)) ahead++;
  const { kind, text, isEscaped } = cursor.ahead(ahead);
  if (kind !== "name" || isEscaped === true || !kinds.has(text)) return false;
  const next = cursor.ahead(ahead + 1);
  // `record` may be a name: `record Order(` declares, `record Order;` may be a field.
  return next.kind === "name" || text === "delegate";
}

/** Reads a declared type. @throws NotUnderstood */
export function parseDeclaration(start: DeclarationStart): TypeDeclaration {
  const { cursor, scope, attributes, depth = 0 } = start;
  const { line } = cursor.token;
  if (depth > maxDepth) throw new NotUnderstood(line, "nests types too deeply");
  const modifiers = parseModifiers(cursor);
  const word = cursor.name();
  const base = { modifiers, attributes, line, scope, members: [], enumMembers: [], nested: [], bases: [] } as const;
  if (word === "delegate") {
    const name = delegateName(cursor);
    return { ...base, kind: "delegate", name, parameters: [], constructors: noConstructors };
  }
  const isStruct = word === "struct" || (word === "record" && cursor.is("struct"));
  if (word === "record" && (cursor.is("struct") || cursor.is("class"))) cursor.at++;
  const name = cursor.name();
  if (word === "enum") {
    const bases = cursor.took(":") ? [parseType(cursor)] : [];
    const enumMembers = parseEnum(cursor, scope);
    return { ...base, kind: "enum", name, parameters: [], bases, enumMembers, constructors: noConstructors };
  }
  const parameters = typeParameters(cursor);
  const positional = cursor.is("(") ? positionalMembers(cursor, scope, word === "record") : undefined;
  const bases = cursor.took(":") ? baseTypes(cursor) : [];
  while (cursor.is("where")) skipConstraint(cursor);
  const body = cursor.took(";") ? emptyBody() : parseBody({ ...start, depth }, name);
  cursor.took(";");
  const { constructors } = body;
  if (positional !== undefined) constructors.add(1);
  return {
    ...base,
    kind: word === "interface" ? "interface" : isStruct ? "struct" : "class",
    name,
    parameters,
    bases,
    members: [...(positional ?? []), ...body.members],
    nested: body.nested,
    constructors: isStruct ? noConstructors : constructors,
  };
}

function delegateName(cursor: TokenCursor): string {
  parseType(cursor);
  const name = cursor.name();
  cursor.recover();
  return name;
}

function typeParameters(cursor: TokenCursor): readonly string[] {
  if (!cursor.took("<")) return [];
  const names: string[] = [];
  do {
    while (cursor.is("[")) cursor.skipBrackets();
    if (cursor.is("in") || cursor.is("out")) cursor.at++;
    names.push(cursor.name());
  } while (cursor.took(","));
  cursor.expect(">");
  return names;
}

function baseTypes(cursor: TokenCursor): readonly TypeSyntax[] {
  const bases: TypeSyntax[] = [];
  do {
    bases.push(parseType(cursor));
    // The arguments of a record's base.
    if (cursor.is("(")) cursor.skipBrackets();
  } while (cursor.took(","));
  return bases;
}

function skipConstraint(cursor: TokenCursor): void {
  cursor.at++;
  while (!cursor.isAtEnd && !cursor.is("where") && !cursor.is("{") && !cursor.is(";")) cursor.at++;
}

function parseEnum(cursor: TokenCursor, scope: NameScope): readonly EnumMemberSyntax[] {
  const end = openedBody(cursor);
  const members: EnumMemberSyntax[] = [];
  while (cursor.at < end) {
    const attributes = parseAttributes(cursor, scope);
    const { line } = cursor.token;
    const name = cursor.name();
    const from = cursor.took("=") ? cursor.at : undefined;
    if (from !== undefined) cursor.skipExpression();
    const value = from === undefined ? undefined : cursor.slice(from, cursor.at);
    members.push({ name, attributes, value, line });
    if (!cursor.took(",")) break;
  }
  cursor.expect("}");
  cursor.took(";");
  return members;
}

/** Opens a body; returns where it ends. @throws NotUnderstood */
function openedBody(cursor: TokenCursor): number {
  const end = cursor.is("{") ? cursor.closing() : cursor.at;
  cursor.expect("{");
  return end;
}

interface Body extends MemberParts {
  readonly nested: TypeDeclaration[];
}

const emptyBody = (): Body => ({ members: [], nested: [], constructors: new Set() });

const noConstructors: ReadonlySet<number> = new Set();

function parseBody({ cursor, scope, reading, depth = 0 }: DeclarationStart, name: string): Body {
  const body = emptyBody();
  const end = openedBody(cursor);
  while (cursor.at < end) {
    const from = cursor.at;
    reading.attempt(() => {
      if (cursor.took(";")) return;
      const attributes = parseAttributes(cursor, scope);
      if (isDeclaration(cursor))
        body.nested.push(parseDeclaration({ cursor, scope, attributes, reading, depth: depth + 1 }));
      else parseMember({ cursor, scope, attributes, owner: name }, body);
    });
    // One that closes nothing stops every attempt.
    if (cursor.at === from) cursor.at++;
    if (cursor.at > end) cursor.at = end;
  }
  cursor.expect("}");
  return body;
}
