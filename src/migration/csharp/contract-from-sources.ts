import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import { ContractBuilder } from "./contract-builder.ts";
import { ContractNames } from "./contract-names.ts";
import { Constants } from "./constants.ts";
import { attempted } from "./data-members.ts";
import { attributeNamed, type DeclaredType, shownName } from "./declared-type.ts";
import type { NetType } from "./net-type.ts";
import { type ParsedFile, parseFile } from "./parse-file.ts";
import { parseType } from "./parse-type.ts";
import { TypeResolver } from "./resolve-type.ts";
import type { SourceProblem } from "./source-problem.ts";
import type { NameScope, TypeSyntax } from "./syntax.ts";
import { TokenCursor } from "./token-cursor.ts";
import { tokensOf } from "./tokens.ts";
import { TypeFacts } from "./type-facts.ts";
import { TypeIndex } from "./type-index.ts";

/** A C# file. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The settings of {@link contractFromSources}. */
export interface SourceSettings {
  /** The root, in C#: `Order`, `List<Acme.Order>`. Default: every marked type. */
  readonly type?: string | undefined;
  /** Symbols for `#if`. */
  readonly symbols?: readonly string[];
}

/** A contract, and what of the sources it does not express. */
export interface ContractOfSources {
  readonly contract: DotnetContract;
  /** The number of described types. */
  readonly types: number;
  readonly problems: readonly SourceProblem[];
}

/** Attributes that mark types for serializers. */
const marks = ["DataContract", "CollectionDataContract", "Serializable", "XmlRoot", "XmlType"];

/**
 * Makes one contract of C# sources. Nothing is compiled or run; what the contract does not express is a problem with
 * file and line, and read by its form.
 *
 * @throws NotUnderstood for a type that is asked for and is not in the sources.
 */
export function contractFromSources(files: readonly SourceFile[], settings: SourceSettings = {}): ContractOfSources {
  const { symbols = [] } = settings;
  const parsed = files.map(({ path, text }) => parseFile(path, text, symbols));
  const index = new TypeIndex(parsed);
  const resolver = new TypeResolver(index, {
    usings: [...new Set(parsed.flatMap(({ globalUsings }) => globalUsings))].slice(0, 500),
    aliases: new Map(parsed.flatMap(({ globalAliases }) => [...globalAliases])),
  });
  const constants = new Constants(resolver);
  const facts = new TypeFacts(resolver);
  const problems: SourceProblem[] = [];
  const namespaces = assemblyNamespaces(parsed, constants, problems);
  const names = new ContractNames(constants, facts, namespaces);
  const builder = new ContractBuilder({ constants, resolver, facts, names });
  const asked = settings.type === undefined ? undefined : rootOf(settings.type, resolver);
  const marked = asked === undefined ? markedTypes(index.types) : [];
  const roots =
    asked === undefined ? marked.filter(({ parameters }) => parameters.length === 0).map(instance) : [asked];
  const contract = builder.contract(roots);
  for (const type of marked) {
    if (type.parameters.length === 0 || builder.describes(type)) continue;
    const example = `${shownName(type)}<${type.parameters.map(() => "int").join(", ")}>`;
    builder.note(
      type.scope,
      type.line,
      `${shownName(type)} is generic and no member uses it; ask for one, e.g. ${example}`,
    );
  }
  const all = [...parsed.flatMap((file) => file.problems), ...problems, ...builder.problems];
  const order = new Map(files.map(({ path }, at) => [path, at]));
  all.sort((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line);
  return { contract, types: countOf(contract), problems: all };
}

function countOf({ $defs }: DotnetContract): number {
  return typeof $defs === "object" && $defs !== null ? Object.keys($defs).length : 0;
}

function instance(type: DeclaredType): NetType {
  return { kind: "declared", type, args: [] };
}

/** The types that are marked for a serializer; if there are none, those that every serializer takes unmarked. */
function markedTypes(types: readonly DeclaredType[]): readonly DeclaredType[] {
  const own = types.filter(
    ({ kind, modifiers }) => kind !== "interface" && kind !== "delegate" && !modifiers.has("static"),
  );
  const marked = own.filter((type) => marks.some((mark) => attributeNamed(type, mark) !== undefined));
  if (marked.length > 0) return marked;
  return own.filter(
    ({ kind, modifiers, needsArguments, members }) =>
      kind !== "enum" &&
      modifiers.has("public") &&
      !needsArguments &&
      members.some((member) => member.kind !== "method" && member.modifiers.has("public")),
  );
}

/** @throws NotUnderstood */
function rootOf(text: string, resolver: TypeResolver): NetType {
  const scope: NameScope = { file: "", namespace: "", usings: [], aliases: new Map(), outer: undefined };
  const found = resolver.resolve(typeOfText(text), { scope, inside: undefined, args: new Map() });
  if (typeof found === "string") throw new UnknownType(found);
  return found;
}

/** A type that was asked for and is not there. */
export class UnknownType extends Error {}

function typeOfText(text: string): TypeSyntax {
  try {
    const cursor = new TokenCursor(tokensOf(text, []));
    const type = parseType(cursor);
    if (!cursor.isAtEnd) throw cursor.unexpected("the end of the type");
    return type;
  } catch (cause) {
    throw new UnknownType(`${text} is not a type as C# writes it`, { cause });
  }
}

function assemblyNamespaces(
  files: readonly ParsedFile[],
  constants: Constants,
  problems: SourceProblem[],
): ReadonlyMap<string, string> {
  const namespaces = new Map<string, string>();
  for (const attribute of files.flatMap((file) => file.attributes)) {
    if (attribute.name !== "ContractNamespace") continue;
    const note = (line: number, message: string): void =>
      void problems.push({ file: attribute.scope.file, line, message });
    attempted(() => {
      const given = constants.argument(attribute, undefined, "contractNamespace", 0);
      const clr = constants.argument(attribute, undefined, "ClrNamespace");
      if (typeof given === "string") namespaces.set(typeof clr === "string" ? clr : "", given);
    }, note);
  }
  return namespaces;
}
