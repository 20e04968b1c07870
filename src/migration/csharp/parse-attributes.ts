import type { ArgumentSyntax, AttributeSyntax, NameScope } from "./syntax.ts";
import type { TokenCursor } from "./token-cursor.ts";

/** Reads the attributes in front of a declaration. @throws NotUnderstood */
export function parseAttributes(cursor: TokenCursor, scope: NameScope): readonly AttributeSyntax[] {
  const attributes: AttributeSyntax[] = [];
  while (cursor.is("[")) {
    const end = cursor.closing();
    cursor.at++;
    const target = cursor.token.kind === "name" && cursor.ahead(1).text === ":" ? cursor.name() : undefined;
    if (target !== undefined) cursor.at++;
    while (cursor.at < end) {
      attributes.push(attribute(cursor, scope, target));
      if (!cursor.took(",")) break;
    }
    cursor.at = end;
    cursor.expect("]");
  }
  return attributes;
}

/** Names that end with Attribute by themselves. */
const ownNames: ReadonlySet<string> = new Set(["Attribute", "XmlAttribute", "XmlAnyAttribute"]);

function attribute(cursor: TokenCursor, scope: NameScope, target: string | undefined): AttributeSyntax {
  const { line } = cursor.token;
  let last = cursor.name();
  while (cursor.took(".") || cursor.took("::")) last = cursor.name();
  // The arguments of a generic attribute are not among those that are understood.
  if (cursor.is("<")) while (!cursor.isAtEnd && !cursor.is("(") && !cursor.is("]")) cursor.at++;
  const name = last.endsWith("Attribute") && !ownNames.has(last) ? last.slice(0, -9) : last;
  return { name, target, args: cursor.is("(") ? parseArguments(cursor) : [], line, scope };
}

function parseArguments(cursor: TokenCursor): readonly ArgumentSyntax[] {
  const end = cursor.closing();
  const args: ArgumentSyntax[] = [];
  cursor.at++;
  while (cursor.at < end) {
    const isNamed = cursor.token.kind === "name" && /^[=:]$/.test(cursor.ahead(1).text);
    const name = isNamed ? cursor.name() : undefined;
    if (isNamed) cursor.at++;
    const from = cursor.at;
    cursor.skipExpression();
    if (cursor.at > end) cursor.at = end;
    args.push({ name, tokens: cursor.slice(from, cursor.at) });
    if (!cursor.took(",")) break;
  }
  cursor.at = end + 1;
  return args;
}
