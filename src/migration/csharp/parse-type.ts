import { NotUnderstood } from "./source-problem.ts";
import type { NamePart, TypeSyntax } from "./syntax.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** Types nest no deeper, since reading them is recursive. */
const maxDepth = 64;

/** Reads a type. @throws NotUnderstood */
export function parseType(cursor: TokenCursor, depth: number = 0): TypeSyntax {
  const { line } = cursor.token;
  if (depth > maxDepth) throw new NotUnderstood(line, "has a type that nests too deeply");
  let type: TypeSyntax = cursor.is("(") ? tuple(cursor, depth) : { kind: "name", parts: names(cursor, depth), line };
  for (let suffixes = 0; ; suffixes++) {
    if (suffixes > maxDepth) throw new NotUnderstood(line, "has a type that nests too deeply");
    if (cursor.took("?")) type = { kind: "nullable", inner: type, line };
    else if (cursor.is("[") && /^[\],]$/.test(cursor.ahead(1).text)) {
      let rank = 1;
      for (cursor.at++; cursor.took(",");) rank++;
      cursor.expect("]");
      type = { kind: "array", item: type, rank, line };
    } else if (cursor.is("*")) throw new NotUnderstood(line, "has a pointer, which no serializer writes");
    else return type;
  }
}

function names(cursor: TokenCursor, depth: number): readonly NamePart[] {
  const parts: NamePart[] = [];
  do {
    const name = cursor.name();
    // `global::` and aliases of assemblies say nothing here.
    if (cursor.took("::")) {
      parts.push({ name: cursor.name(), args: args(cursor, depth) });
      continue;
    }
    parts.push({ name, args: args(cursor, depth) });
  } while (cursor.took("."));
  return parts;
}

function args(cursor: TokenCursor, depth: number): readonly TypeSyntax[] {
  if (!cursor.took("<")) return [];
  const types: TypeSyntax[] = [];
  // `typeof(Page<>)`
  if (cursor.is(">") || cursor.is(",")) {
    while (cursor.took(","));
    cursor.expect(">");
    return types;
  }
  do {
    skipVariance(cursor);
    types.push(parseType(cursor, depth + 1));
  } while (cursor.took(","));
  cursor.expect(">");
  return types;
}

function skipVariance(cursor: TokenCursor): void {
  if (cursor.is("in") || cursor.is("out")) cursor.at++;
}

function tuple(cursor: TokenCursor, depth: number): TypeSyntax {
  const { line } = cursor.token;
  cursor.expect("(");
  const items: TypeSyntax[] = [];
  do {
    items.push(parseType(cursor, depth + 1));
    if (cursor.token.kind === "name") cursor.at++;
  } while (cursor.took(","));
  cursor.expect(")");
  return { kind: "tuple", items, line };
}

/** A type as text, for messages. */
export function typeText(type: TypeSyntax): string {
  switch (type.kind) {
    case "array":
      return `${typeText(type.item)}[${",".repeat(type.rank - 1)}]`;
    case "nullable":
      return `${typeText(type.inner)}?`;
    case "tuple":
      return `(${type.items.map(typeText).join(", ")})`;
    default:
      return type.parts
        .map(({ name, args: given }) => (given.length === 0 ? name : `${name}<${given.map(typeText).join(", ")}>`))
        .join(".");
  }
}
