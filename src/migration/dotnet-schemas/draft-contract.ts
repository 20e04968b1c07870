import { isObject } from "../../core/values/plain-object.ts";
import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import type { ScalarKind } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { type ContractNode, nullableNode, scalarNode, wholeContract, withHints } from "../csharp/contract-node.ts";

type ContractSchema = Readonly<Record<string, unknown>>;

/** Schemas nest no deeper, since reading them is recursive. */
const maxDepth = 200;

/** The scalars of the formats that `migrate --schema-out` writes. */
const formats: Readonly<Record<string, ScalarKind>> = {
  "date-time": "dateTime",
  decimal: "decimal",
  duration: "timespan",
  qname: "qname",
  uri: "uri",
  uuid: "guid",
  version: "version",
};

/** Whether a JSON Schema was inferred from samples by `migrate --schema-out`. */
export function isInferred(schema: ContractSchema): boolean {
  return typeof schema["description"] === "string" && /^Inferred from \d+ messages? of /.test(schema["description"]);
}

/**
 * A draft of a contract from a schema that was inferred from samples: integers are int, and classes inside have the
 * names of their members.
 */
export function draftContract(schema: ContractSchema): DotnetContract {
  const definitions = new Map<string, ContractNode>();
  const { description } = schema;
  const [, described = ""] =
    /^Inferred from \d+ messages? of (.*)\.$/.exec(typeof description === "string" ? description : "") ?? [];
  const written = typeof schema["x-type-name"] === "string" ? schema["x-type-name"] : described;
  const [, namespace = "", local = "Root"] = /^(?:\{([^}]*)\})?([^{}(]+)$/.exec(written) ?? [];
  const root = new ContractDraft(definitions, namespace).node(schema, local, 0);
  return wholeContract(root, definitions);
}

class ContractDraft {
  readonly #definitions: Map<string, ContractNode>;
  readonly #namespace: string;

  constructor(definitions: Map<string, ContractNode>, namespace: string) {
    this.#definitions = definitions;
    this.#namespace = namespace;
  }

  node(schema: unknown, name: string, depth: number): ContractNode {
    if (!isObject(schema) || depth > maxDepth) return scalarNode("any");
    const { type } = schema;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    const [only, ...others] = types.filter((one) => one !== "null");
    if (typeof only !== "string" || others.length > 0) return scalarNode("any");
    const node = this.#typed(only, schema, name, depth);
    const isValue =
      node["$ref"] === undefined && node["items"] === undefined && node["additionalProperties"] === undefined;
    return types.includes("null") && isValue && node["type"] !== "string" ? nullableNode(node) : node;
  }

  #typed(type: string, schema: ContractSchema, name: string, depth: number): ContractNode {
    switch (type) {
      case "boolean":
      case "integer":
      case "number":
        return { type };
      case "string":
        return this.#text(schema);
      case "array":
        return this.#list(schema, name, depth);
      case "object":
        return this.#object(schema, name, depth);
      default:
        return scalarNode("any");
    }
  }

  #text(schema: ContractSchema): ContractNode {
    if (schema["contentEncoding"] === "base64") return scalarNode("bytes");
    if (schema["pattern"] === "^-?[0-9]+$") return scalarNode("long");
    const format = schema["format"] ?? schema["x-format"];
    const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
    return scalarNode(known ?? "string");
  }

  #list({ items }: ContractSchema, name: string, depth: number): ContractNode {
    const pair = isObject(items) && Array.isArray(items["prefixItems"]) ? items["prefixItems"] : undefined;
    if (pair === undefined) return { type: "array", items: this.node(items, `${name}Item`, depth + 1) };
    const key = this.node(pair[0], `${name}Key`, depth + 1);
    const value = this.node(pair[1], `${name}Value`, depth + 1);
    return { additionalProperties: value, "x-dotnet": { type: "map", key } };
  }

  #object(schema: ContractSchema, name: string, depth: number): ContractNode {
    const { properties, additionalProperties, "x-type-name": written } = schema;
    if (!isObject(properties) && additionalProperties !== undefined)
      return { additionalProperties: this.node(additionalProperties, `${name}Value`, depth + 1) };
    const [, namespace, local = name] =
      /^(?:\{([^}]*)\})?([^{}()]+)$/.exec(typeof written === "string" ? written : "") ?? [];
    const key = this.#freeKey(local);
    // Keeps its place before the classes in it.
    this.#definitions.set(key, {});
    const members = Object.entries(isObject(properties) ? properties : {}).map(
      ([member, inner]) => [member, this.node(inner, capitalised(member), depth + 1)] as const,
    );
    const hints = { name: key === local ? undefined : local, namespace: namespace ?? this.#namespace };
    this.#definitions.set(key, withHints({ properties: Object.fromEntries(members) }, hints));
    return { $ref: `#/$defs/${key}` };
  }

  #freeKey(local: string): string {
    const own = local.replaceAll("/", "_");
    let key = own;
    for (let count = 2; this.#definitions.has(key); count++) key = `${own}${count}`;
    return key;
  }
}

function capitalised(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
