import * as is from "../../../src/core/options/is.ts";
import { checkContract, invalidContract, isNode } from "./contract-check.ts";
import { scalarKinds } from "./scalar-kind.ts";
import {
  type Contract,
  type ContractEnumShape,
  isReferenceType,
  type ListShape,
  type MapShape,
  type MemberShape,
  nameOf,
  nameText,
  type ObjectShape,
  resolved,
  type ResolvedShape,
  type ContractShape,
} from "./shape.ts";
import { genericName, itemNameOf, typeNameOf } from "./type-names.ts";
import { encodeName } from "./element-facts.ts";
import { arrays, clrNamespaces, system } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";

/** A contract: a JSON Schema with the keyword `x-dotnet`; `schemas/dotnet-contract.schema.json` describes it. */
export interface DotnetContract {
  readonly [keyword: string]: unknown;
}

type ContractJsonNode = Readonly<Record<string, unknown>>;

/**
 * Compiles a contract.
 *
 * @throws SobreError `InvalidArgument` with the JSON path of the invalid part.
 */
export function compileContract(contract: DotnetContract): Contract {
  checkContract(contract, kindOf);
  return new Compiler(contract).compile();
}

/** The check of the option `contracts`; their contents are checked when they are compiled. */
export const contractList: is.OptionCheck = is.listOf("contracts", is.anything);

/** Compiles the contracts of a reader's options. @throws SobreError `InvalidArgument` for an invalid contract. */
export function compileContracts(contracts: readonly DotnetContract[] = []): readonly Contract[] {
  return contracts.map((contract) => compileContract(contract));
}

class Compiler {
  readonly #document: ContractJsonNode;
  readonly #namespace: string;
  readonly #types = new Map<string, ResolvedShape>();
  readonly #pending = new Set<string>();

  constructor(document: ContractJsonNode) {
    this.#document = document;
    this.#namespace = text(hints(document)["defaultNamespace"]) ?? "";
  }

  compile(): Contract {
    const known = new Map<string, ResolvedShape>();
    const clr = new Map<string, ResolvedShape>();
    const root = resolved(this.#shape(this.#document, "$", text(this.#document["title"])));
    const add = (shape: ResolvedShape): void => {
      const name = nameOf(shape);
      if (name !== undefined) known.set(nameText(name), shape);
      if (shape.kind !== "object" && shape.kind !== "enum") return;
      const full = shape.clrName;
      clr.set(full, shape);
      clr.set(full.slice(Math.max(full.lastIndexOf("."), full.lastIndexOf("+")) + 1), shape);
      if (shape.kind === "object") for (const own of shape.xmlNames) clr.set(own, shape);
    };
    add(root);
    for (const name of Object.keys(object(this.#document["$defs"]) ?? {})) add(this.#type(name));
    return { root, known, clr };
  }

  /** The type of `$defs` with this name. */
  #type(name: string): ResolvedShape {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const path = `$.$defs.${name}`;
    const node = object(object(this.#document["$defs"])?.[name]);
    if (node === undefined) throw invalidContract(path, "is not declared");
    if (this.#pending.has(name)) throw invalidContract(path, "is declared by itself");
    this.#pending.add(name);
    const shape = resolved(this.#shape(node, path, name));
    this.#pending.delete(name);
    this.#types.set(name, shape);
    return shape;
  }

  #shape(node: ContractJsonNode, path: string, title: string | undefined): ContractShape {
    const reference = text(node["$ref"]);
    if (reference !== undefined) {
      const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
      if (name === undefined) throw invalidContract(path, "has a $ref that is not #/$defs/NAME");
      // Only the root is needed immediately; members may refer back to their class.
      return path === "$" ? this.#type(name) : () => this.#type(name);
    }
    const hint = hints(node);
    const kind = kindOf(node);
    switch (kind) {
      case "class":
        return this.#class(node, hint, path, title);
      case "enum":
        return this.#enum(hint, path, title);
      case "array":
      case "list":
        return this.#list(node, hint, path);
      case "map":
        return this.#map(node, hint, path);
      default: {
        const scalar = scalarKinds.find((candidate) => candidate === kind);
        if (scalar === undefined) {
          const known = [...scalarKinds, "class", "enum", "list", "array", "map"].join(", ");
          throw invalidContract(path, `has the unknown x-dotnet type ${JSON.stringify(kind)}; there are ${known}`);
        }
        return { kind: "scalar", scalar };
      }
    }
  }

  #name(hint: ContractJsonNode, local: string | undefined, path: string): XmlName {
    const name = text(hint["name"]) ?? local;
    if (name === undefined) throw invalidContract(path, "needs a name: a title, a key of $defs, or x-dotnet.name");
    return { namespace: text(hint["namespace"]) ?? this.#namespace, local: name };
  }

  #class(node: ContractJsonNode, hint: ContractJsonNode, path: string, title: string | undefined): ObjectShape {
    const name = this.#name(hint, title, path);
    const bases = list(node["allOf"]).map((base, index) => {
      const shape = resolved(this.#shape(object(base) ?? {}, `${path}.allOf[${index}]`, undefined));
      const target = typeof shape === "object" && shape.kind === "object" ? shape : undefined;
      if (target === undefined) throw invalidContract(`${path}.allOf[${index}]`, "is not a class");
      return target;
    });
    const declared = Object.entries(object(node["properties"]) ?? {});
    const own = declared.map(([key, property]) =>
      this.#member(key, object(property) ?? {}, name.namespace, `${path}.properties.${key}`),
    );
    own.sort((a, b) => a.order - b.order || ordinal(encodeName(a.member.name), encodeName(b.member.name)));
    const members = [
      ...bases.flatMap((base) => base.members),
      ...own.map(({ member }) => member).filter(({ serializer }) => serializer !== "xml"),
    ];
    const xmlMembers = [
      ...bases.flatMap((base) => base.xmlMembers),
      ...own.map(({ member }) => member).filter(({ serializer }) => serializer !== "dataContract"),
    ];
    return {
      kind: "object",
      name,
      clrName: text(hint["clrName"]) ?? clrNameOf(name),
      members,
      byName: new Map(members.map((member) => [member.name, member])),
      byClrName: new Map(xmlMembers.map((member) => [member.clrName, member])),
      xmlMembers,
      textMember: xmlMembers.find(({ isText }) => isText),
      xmlNames: list(hint["xmlNames"]).filter((one) => typeof one === "string"),
      reference: hint["reference"] === true || bases.some(({ reference }) => reference),
      serializable: hint["serializable"] === true,
      isStruct: hint["struct"] === true,
    };
  }

  #member(
    key: string,
    property: ContractJsonNode,
    namespace: string,
    path: string,
  ): { readonly order: number; readonly member: MemberShape } {
    const hint = hints(property);
    const shape = this.#shape(property, path, undefined);
    const order = typeof hint["order"] === "number" ? hint["order"] : -1;
    const types = list(property["type"]);
    return {
      order,
      member: {
        name: key,
        clrName: text(hint["member"]) ?? key,
        namespace,
        shape,
        // Lazy: the referenced type may need the class that contains it.
        get nullable() {
          return types.includes("null") || isReferenceType(resolved(shape));
        },
        omitDefault: hint["omitDefault"] === true,
        serializer:
          hint["serializer"] === "xml" || hint["serializer"] === "dataContract" ? hint["serializer"] : undefined,
        isText: hint["text"] === true,
        isFlat: hint["flat"] === true,
      },
    };
  }

  #enum(hint: ContractJsonNode, path: string, title: string | undefined): ContractEnumShape {
    const name = this.#name(hint, title, path);
    return {
      kind: "enum",
      name,
      clrName: text(hint["clrName"]) ?? clrNameOf(name),
      members: integers(hint["members"], `${path}.x-dotnet.members`),
      clrMembers: integers(hint["clrMembers"] ?? {}, `${path}.x-dotnet.clrMembers`),
      flags: hint["flags"] === true,
    };
  }

  #list(node: ContractJsonNode, hint: ContractJsonNode, path: string): ListShape {
    const itemNode = object(node["items"]) ?? {};
    const items = this.#shape(itemNode, `${path}.items`, undefined);
    // Lazy: the name of an item may need the class around the list.
    const self = { kind: "list", items, isArray: hint["type"] === "array" } as const;
    const nullable = (): boolean => isNullableStruct(itemNode, items);
    const given = { name: text(hint["name"]), namespace: text(hint["namespace"]), item: text(hint["itemName"]) };
    return {
      ...self,
      get itemsNullable() {
        return nullable();
      },
      get item() {
        const item = itemNameOf(resolved(items));
        const namespace = given.namespace ?? (nullable() ? system : item.namespace);
        return { namespace, local: given.item ?? item.local };
      },
      get name() {
        const item = itemNameOf(resolved(items));
        const { local } = typeNameOf(resolved(items), nullable());
        const namespace = given.namespace ?? (nullable() ? system : item.namespace);
        return { namespace, local: given.name ?? `ArrayOf${local}` };
      },
    };
  }

  #map(node: ContractJsonNode, hint: ContractJsonNode, path: string): MapShape {
    const keyNode = object(hint["key"]) ?? { "x-dotnet": hint["key"] ?? "string" };
    const key = this.#shape(keyNode, `${path}.x-dotnet.key`, undefined);
    const valueNode = object(node["additionalProperties"]) ?? {};
    const value = this.#shape(valueNode, `${path}.additionalProperties`, undefined);
    const nullable = (): boolean => isNullableStruct(valueNode, value);
    const namespace = text(hint["namespace"]) ?? arrays;
    const entryName = (): string =>
      text(hint["entryName"]) ??
      genericName("KeyValue", [typeNameOf(resolved(key)), typeNameOf(resolved(value), nullable())]);
    return {
      kind: "map",
      key,
      value,
      keyName: text(hint["keyName"]) ?? "Key",
      valueName: text(hint["valueName"]) ?? "Value",
      get valuesNullable() {
        return nullable();
      },
      get entry() {
        return { namespace, local: entryName() };
      },
      get name() {
        return { namespace, local: text(hint["name"]) ?? `ArrayOf${entryName()}` };
      },
    };
  }
}

/** The type according to x-dotnet, otherwise to the rest of the schema. */
function kindOf(node: ContractJsonNode): string {
  const named = text(hints(node)["type"]);
  if (named !== undefined) return named;
  const type = Array.isArray(node["type"]) ? node["type"].find((one) => one !== "null") : node["type"];
  switch (type) {
    case "boolean":
    case "string":
      return type;
    case "integer":
      return "int";
    case "number":
      return "double";
    case "array":
      return "list";
    default:
      if (node["properties"] !== undefined || node["allOf"] !== undefined) return "class";
      if (object(node["additionalProperties"]) !== undefined) return "map";
      if (type === "object") return "class";
      return node["items"] === undefined ? "any" : "list";
  }
}

function clrNameOf({ namespace, local }: XmlName): string {
  const space = namespace.startsWith(clrNamespaces) ? `${namespace.slice(clrNamespaces.length)}.` : "";
  return `${space}${local}`;
}

/** Whether a type of items or values is a `Nullable<T>`: null in addition to a type that is not nullable itself. */
function isNullableStruct(node: ContractJsonNode, shape: ContractShape): boolean {
  return list(node["type"]).includes("null") && !isReferenceType(resolved(shape));
}

/** By UTF-16 units, as .NET's ordinal comparison does. */
function ordinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hints(node: ContractJsonNode): ContractJsonNode {
  const hint = node["x-dotnet"];
  return typeof hint === "string" ? { type: hint } : (object(hint) ?? {});
}

function integers(value: unknown, path: string): ReadonlyMap<string, bigint> {
  const entries = Object.entries(object(value) ?? {});
  return new Map(
    entries.map(([name, number]) => {
      if (typeof number === "number" && Number.isSafeInteger(number)) return [name, BigInt(number)];
      if (typeof number === "string" && /^-?\d+$/.test(number)) return [name, BigInt(number)];
      throw invalidContract(`${path}.${name}`, "is not an integer");
    }),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function object(value: unknown): ContractJsonNode | undefined {
  return isNode(value) ? value : undefined;
}
