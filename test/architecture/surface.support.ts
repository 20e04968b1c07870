import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vitest/node";
import packageJson from "../../package.json" with { type: "json" };

// Reads the public surface from the sources: the names of every entry point and the types that they name. The compiler
// holds every export to a written type (`isolatedDeclarations`), so that the sources say all that the declarations do.

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The declarations of one name in one file. */
export interface Declared {
  /** File and name, e.g. `src/core/time/clock.ts#Clock`. */
  readonly id: string;
  readonly name: string;
  /** Whether it exists at run time: a class, function or constant. */
  readonly isValue: boolean;
  /** Whether its file keeps it to itself and computes it from type parameters, so that nobody else can name it. */
  readonly isComputed: boolean;
  /** The declared names that its signature names, in order, without repetition. */
  readonly names: () => readonly Declared[];
  /** Its methods, if it is an interface. */
  readonly methods: readonly string[];
  /** The names of the types in the parameters of its methods, if it is an interface. */
  readonly methodTypes: readonly string[];
  /** The types of its parameters by their names, if it is a function; `""` for a type without one. */
  readonly parameters: readonly string[];
  /** The declarations that its return type names, if it is a function. */
  readonly returned: () => readonly Declared[];
  /** Its properties, if it is an interface. */
  readonly members: readonly string[];
  /** Its properties and the parameters of its functions and methods, each with the names in its type. */
  readonly typed: readonly TypedName[];
}

/** A property or parameter. */
export interface TypedName {
  /** Within its declaration, e.g. `removeOlderThan.age`. */
  readonly path: string;
  /** `number`, `string`, and the names of other types. */
  readonly types: readonly string[];
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

interface Place {
  readonly file: string;
  readonly name: string;
}

interface Module {
  readonly declarations: ReadonlyMap<string, readonly Node[]>;
  readonly imports: ReadonlyMap<string, Place | undefined>;
  readonly exports: ReadonlyMap<string, Place | undefined>;
  /** Sources of `export *`. */
  readonly wildcards: readonly string[];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function nodesIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter((one) => isNode(one)) : [];
}

/** The text of an identifier. */
function textOf(node: unknown): string {
  if (isNode(node) && typeof node["name"] === "string") return node["name"];
  return isNode(node) && typeof node["value"] === "string" ? node["value"] : "";
}

const modules = new Map<string, Module>();

function moduleAt(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const module = readModule(file);
  modules.set(file, module);
  return module;
}

function readModule(file: string): Module {
  const declarations = new Map<string, Node[]>();
  const imports = new Map<string, Place | undefined>();
  const exports = new Map<string, Place | undefined>();
  const wildcards: string[] = [];
  const sourceOf = (node: Node): string | undefined => {
    const from = textOf(node["source"]);
    return from.startsWith(".") ? join(dirname(file), from) : undefined;
  };
  const declare = (node: Node): readonly string[] => {
    const declarators = node.type === "VariableDeclaration" ? nodesIn(node["declarations"]) : [node];
    return declarators.map((declarator) => {
      const name = textOf(declarator["id"]);
      declarations.set(name, [...(declarations.get(name) ?? []), declarator]);
      return name;
    });
  };
  for (const node of nodesIn(parseAst(readFileSync(join(root, file), "utf8"), { lang: "ts" }).body)) {
    if (node.type === "ImportDeclaration") {
      const from = sourceOf(node);
      for (const specifier of nodesIn(node["specifiers"])) {
        const name = textOf(specifier["imported"]);
        imports.set(textOf(specifier["local"]), from === undefined ? undefined : { file: from, name });
      }
    } else if (node.type === "ExportAllDeclaration") {
      wildcards.push(textOf(node["source"]));
    } else if (node.type === "ExportNamedDeclaration") {
      const { declaration } = node;
      if (isNode(declaration)) for (const name of declare(declaration)) exports.set(name, { file, name });
      const from = isNode(node["source"]) ? sourceOf(node) : file;
      for (const specifier of nodesIn(node["specifiers"])) {
        const name = textOf(specifier["local"]);
        exports.set(textOf(specifier["exported"]), from === undefined ? undefined : { file: from, name });
      }
    } else if ("id" in node || node.type === "VariableDeclaration") {
      declare(node);
    }
  }
  return { declarations, imports, exports, wildcards };
}

/** Follows imports and exports to where a name is declared; undefined for what another package or the platform declares. */
function declaredAt(file: string, name: string): Declared | undefined {
  const module = moduleAt(file);
  const nodes = module.declarations.get(name);
  if (nodes !== undefined) {
    const isComputed = !module.exports.has(name) && nodes.every(({ typeParameters }) => isNode(typeParameters));
    return {
      id: `${file}#${name}`,
      name,
      isValue: nodes.some(exists),
      isComputed,
      names: () => named(file, name, nodes),
      methods: nodes.flatMap((node) => signatures(node, "TSMethodSignature")),
      methodTypes: nodes.flatMap((node) => methodTypes(node)),
      parameters: nodes.flatMap((node) => parameterTypes(node)),
      returned: () => declarationsOf(file, returnTypes(nodes)),
      members: nodes.flatMap((node) => signatures(node, "TSPropertySignature")),
      typed: nodes.flatMap((node) => typedNames(node)),
    };
  }
  const place = module.imports.get(name) ?? module.exports.get(name);
  return place === undefined ? undefined : exportedAt(place);
}

function exportedAt({ file, name }: Place): Declared | undefined {
  const place = moduleAt(file).exports.get(name);
  if (place === undefined) return undefined;
  return place.file === file ? declaredAt(file, place.name) : exportedAt(place);
}

function parameterTypes({ type, params }: Node): readonly string[] {
  if (type !== "FunctionDeclaration") return [];
  return nodesIn(params).map((parameter) => {
    const { typeAnnotation } =
      parameter.type === "AssignmentPattern" && isNode(parameter["left"]) ? parameter["left"] : parameter;
    const written = isNode(typeAnnotation) ? typeAnnotation["typeAnnotation"] : undefined;
    return isNode(written) ? firstOf(written["typeName"]) : "";
  });
}

function methodTypes(node: Node): readonly string[] {
  if (node.type !== "TSInterfaceDeclaration" || !isNode(node["body"])) return [];
  return nodesIn(node["body"]["body"])
    .filter(({ type }) => type === "TSMethodSignature")
    .flatMap(({ params }) => namesIn(params));
}

function signatures(node: Node, kind: string): readonly string[] {
  if (node.type !== "TSInterfaceDeclaration" || !isNode(node["body"])) return [];
  return nodesIn(node["body"]["body"])
    .filter(({ type }) => type === kind)
    .map(({ key }) => textOf(key));
}

/** The properties and parameters below a node, whose bodies do not count. */
function typedNames(node: unknown, path: readonly string[] = []): readonly TypedName[] {
  if (Array.isArray(node)) return node.flatMap((one) => typedNames(one, path));
  if (!isNode(node) || node.type === "BlockStatement" || node["accessibility"] === "private") return [];
  const isProperty = node.type === "TSPropertySignature";
  const isMethod = node.type === "TSMethodSignature" || node.type === "MethodDefinition";
  const own = isProperty || isMethod ? node["key"] : node.type === "Identifier" ? node : undefined;
  const within = own === undefined ? path : [...path, textOf(own)];
  const below = Object.values(node).flatMap((value) => typedNames(value, within));
  const annotation = isProperty || node.type === "Identifier" ? node["typeAnnotation"] : undefined;
  if (!isNode(annotation)) return below;
  return [{ path: within.join("."), types: typeWords(annotation) }, ...below];
}

/** The names in a type, except those within functions and members. */
function typeWords(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((one) => typeWords(one));
  if (!isNode(node) || node.type === "TSFunctionType" || node.type === "TSTypeLiteral") return [];
  if (node.type === "TSNumberKeyword") return ["number"];
  if (node.type === "TSStringKeyword") return ["string"];
  if (node.type === "TSTypeReference") return [firstOf(node["typeName"]), ...typeWords(node["typeArguments"])];
  return Object.values(node).flatMap((value) => typeWords(value));
}

function exists({ type }: Node): boolean {
  return !type.startsWith("TSInterface") && !type.startsWith("TSTypeAlias");
}

function named(file: string, own: string, nodes: readonly Node[]): readonly Declared[] {
  return declarationsOf(
    file,
    nodes.flatMap((node) => namesIn(node)).filter((name) => name !== own),
  );
}

function declarationsOf(file: string, names: readonly string[]): readonly Declared[] {
  const found = names.map((name) => declaredAt(file, name)).filter((one) => one !== undefined);
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

function returnTypes(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap(({ type, returnType }) => (type === "FunctionDeclaration" ? namesIn(returnType) : []));
}

/** The names that a signature names: no body, no initial value and nothing private counts. */
function namesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((one) => namesIn(one));
  if (!isNode(node)) return [];
  if (node["accessibility"] === "private" || (isNode(node["key"]) && node["key"].type === "PrivateIdentifier"))
    return [];
  switch (node.type) {
    case "TSTypeReference":
      return [firstOf(node["typeName"]), ...namesIn(node["typeArguments"])];
    // Names a value, whose type the compiler writes out.
    case "TSTypeQuery":
      return [];
    case "TSInterfaceHeritage":
    case "TSClassImplements":
      return [firstOf(node["expression"]), ...namesIn(node["typeArguments"])];
    case "ClassDeclaration":
      return [
        firstOf(node["superClass"]),
        ...members(node, "typeParameters", "superTypeArguments", "implements", "body"),
      ];
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "FunctionExpression":
    case "TSEmptyBodyFunctionExpression":
      return members(node, "typeParameters", "params", "returnType");
    case "MethodDefinition":
      return members(node, "value");
    case "PropertyDefinition":
      return members(node, "typeAnnotation");
    case "VariableDeclarator":
      return members(node, "id");
    case "StaticBlock":
      return [];
    case "AssignmentPattern":
      return members(node, "left");
    default:
      return Object.values(node).flatMap((value) => namesIn(value));
  }
}

function members(node: Node, ...keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => namesIn(node[key]));
}

function firstOf(node: unknown): string {
  return isNode(node) && "left" in node ? firstOf(node["left"]) : textOf(node);
}

/** One entry point of the package. */
export interface EntryPoint {
  /** The module to import, e.g. `sobre/engine`. */
  readonly specifier: string;
  readonly file: string;
  /** The exported names with their declarations. */
  readonly names: ReadonlyMap<string, Declared | undefined>;
  /** Sources of `export *`. */
  readonly wildcards: readonly string[];
}

/** Every entry point of package.json that is code. */
export const entryPoints: readonly EntryPoint[] = Object.entries(packageJson.exports)
  .flatMap(([subpath, target]) => (typeof target === "string" ? [] : entriesOf(subpath, target["sobre-source"])))
  .toSorted((a, b) => (a.specifier < b.specifier ? -1 : 1));

function entriesOf(subpath: string, source: string): readonly EntryPoint[] {
  const [before = ""] = join(source).split("*");
  return globSync(source, { cwd: root }).map((file) => {
    const { exports, wildcards } = moduleAt(file);
    return {
      specifier: join("sobre", subpath.replace("*", file.slice(before.length).split("/")[0] ?? "")),
      names: new Map(Array.from(exports.keys(), (name) => [name, exportedAt({ file, name })])),
      wildcards,
      file,
    };
  });
}
