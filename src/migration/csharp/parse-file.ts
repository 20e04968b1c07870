import { parseAttributes } from "./parse-attributes.ts";
import { FileReading } from "./file-reading.ts";
import { isDeclaration, parseDeclaration } from "./parse-declaration.ts";
import { parseType } from "./parse-type.ts";
import { NotUnderstood, type SourceProblem } from "./source-problem.ts";
import type { AttributeSyntax, NameScope, TypeDeclaration } from "./syntax.ts";
import { TokenCursor } from "./token-cursor.ts";
import { tokensOf } from "./tokens.ts";

/** The declarations of one C# file. */
export interface ParsedFile {
  readonly types: readonly TypeDeclaration[];
  /** Attributes of the assembly. */
  readonly attributes: readonly AttributeSyntax[];
  /** The namespaces of `global using`. */
  readonly globalUsings: readonly string[];
  readonly globalAliases: NameScope["aliases"];
  readonly problems: readonly SourceProblem[];
}

/** More of one file or namespace are left out. */
const maxUsings = 500;
/** Namespaces nest no deeper. */
const maxNamespaces = 64;

/** Reads the declarations of a file; parts that are not understood are problems, and the rest is read. */
export function parseFile(file: string, text: string, symbols: readonly string[]): ParsedFile {
  const scope: NameScope = { file, namespace: "", usings: [], aliases: new Map(), outer: undefined };
  try {
    return new FileParser(file, new TokenCursor(tokensOf(text, symbols))).read(scope);
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    const problems = [{ file, line: error.line, message: error.message }];
    return { types: [], attributes: [], globalUsings: [], globalAliases: new Map(), problems };
  }
}

class FileParser {
  readonly #reading: FileReading;
  readonly #cursor: TokenCursor;
  readonly #types: TypeDeclaration[] = [];
  readonly #attributes: AttributeSyntax[] = [];
  readonly #globalUsings: string[] = [];
  readonly #globalAliases: NameScope["aliases"] = new Map();

  constructor(file: string, cursor: TokenCursor) {
    this.#cursor = cursor;
    this.#reading = new FileReading(file, cursor);
  }

  read(scope: NameScope): ParsedFile {
    this.#declarations(scope, 0);
    return {
      types: this.#types,
      attributes: this.#attributes,
      globalUsings: this.#globalUsings,
      globalAliases: this.#globalAliases,
      problems: this.#reading.problems,
    };
  }

  /** The contents of a file or a namespace. */
  #declarations(outer: NameScope, depth: number): void {
    const cursor = this.#cursor;
    let scope = outer;
    const isInner = depth > 0;
    for (;;) {
      if (cursor.isAtEnd || (isInner && cursor.is("}"))) return;
      this.#reading.attempt(() => {
        scope = this.#declaration(scope, depth);
      });
      // One that closes nothing.
      if (depth === 0 && cursor.is("}")) cursor.at++;
    }
  }

  /** Reads one; returns the scope of what follows it. */
  #declaration(scope: NameScope, depth: number): NameScope {
    const cursor = this.#cursor;
    if (cursor.took(";")) return scope;
    if (cursor.is("extern") && cursor.ahead(1).text === "alias") {
      cursor.at += 3;
      return scope;
    }
    if (cursor.is("using") || (cursor.is("global") && cursor.ahead(1).text === "using")) {
      this.#using(scope);
      return scope;
    }
    const attributes = parseAttributes(cursor, scope);
    const own = attributes.filter(({ target }) => target === "assembly");
    this.#attributes.push(...own);
    if (own.length > 0 && own.length === attributes.length) return scope;
    if (cursor.is("namespace")) return this.#namespace(scope, depth);
    if (isDeclaration(cursor)) {
      const type = parseDeclaration({ cursor, scope, attributes, reading: this.#reading });
      this.#types.push(type);
      return scope;
    }
    // Top-level statements declare nothing.
    cursor.recover();
    return scope;
  }

  #using(scope: NameScope): void {
    const cursor = this.#cursor;
    const isGlobal = cursor.took("global");
    cursor.expect("using");
    if (cursor.took("static")) return cursor.recover();
    cursor.took("unsafe");
    if (cursor.token.kind === "name" && cursor.ahead(1).text === "=") {
      const name = cursor.name();
      cursor.at++;
      const type = parseType(cursor);
      scope.aliases.set(name, type);
      if (isGlobal) this.#globalAliases.set(name, type);
      return cursor.expect(";");
    }
    const type = parseType(cursor);
    const name = type.kind === "name" ? type.parts.map((part) => part.name).join(".") : "";
    if (scope.usings.length < maxUsings) scope.usings.push(name);
    if (isGlobal) this.#globalUsings.push(name);
    cursor.expect(";");
  }

  #namespace(outer: NameScope, depth: number): NameScope {
    const cursor = this.#cursor;
    const { line } = cursor.token;
    if (depth >= maxNamespaces) throw new NotUnderstood(line, "nests namespaces too deeply");
    cursor.expect("namespace");
    const names = [cursor.name()];
    while (cursor.took(".")) names.push(cursor.name());
    const namespace = [...(outer.namespace === "" ? [] : [outer.namespace]), ...names].join(".");
    const scope: NameScope = { file: outer.file, namespace, usings: [], aliases: new Map(), outer };
    // `namespace Acme;` holds for the rest of the file.
    if (cursor.took(";")) return scope;
    cursor.expect("{");
    this.#declarations(scope, depth + 1);
    cursor.expect("}");
    return outer;
  }
}
