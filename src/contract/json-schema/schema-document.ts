import { metaSchema } from "../../core/json-schema/ajv.ts";
import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { type Dialect, dialectOf, isOldDialect, unknownDialect, schemaKeywords, schemaMapKeywords } from "./dialect.ts";
import { isObject } from "./json-value.ts";

/** A schema within a document. */
export interface SchemaNode {
  readonly schema: unknown;
  /** URI against which its references are resolved. */
  readonly base: string;
  /** JSON Pointer within the document. */
  readonly pointer: string;
  readonly document: SchemaDocument;
}

/** A schema document with its identifiers; resolves references within it, and never fetches. */
export class SchemaDocument {
  readonly root: SchemaNode;
  readonly dialect: Dialect;
  /** Tells documents apart in the names of references. */
  readonly name: string;
  /** The name of the document whose references led here; dynamic references depend on it. */
  readonly origin: string;
  readonly #byUri = new Map<string, SchemaNode>();
  readonly #dynamicAnchors = new Map<string, SchemaNode[]>();
  readonly #others = new Map<string, SchemaDocument>();
  /** Whether the document contains a `$recursiveAnchor: true`. */
  recursive = false;

  constructor(schema: unknown, name: string, origin: string = name) {
    if (typeof schema !== "boolean" && !isObject(schema)) {
      throw new SobreError("InvalidArgument", "A JSON Schema must be an object or a boolean.", { path: "#" });
    }
    const foreign = unknownDialect(schema);
    if (foreign !== undefined)
      throw new SobreError(
        "InvalidArgument",
        `The dialect ${JSON.stringify(foreign)} of $schema is not supported. Expected one of: draft-04, draft-06, draft-07, 2019-09, 2020-12.`,
        { path: "#/$schema" },
      );
    this.name = name;
    this.origin = origin;
    this.dialect = dialectOf(schema);
    const given = name.includes("://") ? name : "https://schema.invalid/root";
    const id = this.#identifier(schema);
    const base = id === undefined || id.startsWith("#") ? given : resolveUri(id, given);
    this.root = { schema, base, pointer: "", document: this };
    this.#byUri.set(withoutFragment(given), this.root);
    this.#byUri.set(withoutFragment(base), this.root);
    this.#index(this.root, 0);
  }

  /** The schema at a keyword of `node`, with the base URI that applies there. */
  child(node: SchemaNode, ...path: readonly (string | number)[]): SchemaNode {
    let schema = node.schema;
    let { base, pointer } = node;
    for (const step of path) {
      schema = Array.isArray(schema)
        ? schema[Number(step)]
        : isObject(schema) && Object.hasOwn(schema, step)
          ? schema[step]
          : undefined;
      pointer += `/${escapeToken(String(step))}`;
    }
    const id = this.#identifier(schema);
    if (id !== undefined && !id.startsWith("#")) base = resolveUri(id, base);
    return { schema, base, pointer, document: this };
  }

  /**
   * The schema that a reference in `node` means.
   *
   * @throws SobreError `InvalidArgument` when it is neither in the document nor known.
   */
  resolve(node: SchemaNode, reference: string): SchemaNode {
    const uri = resolveUri(reference, node.base);
    const resource = withoutFragment(uri);
    const fragment = decode(uri.slice(resource.length + 1));
    const found = this.#byUri.get(fragment === "" || fragment.startsWith("/") ? resource : `${resource}#${fragment}`);
    if (found === undefined) return this.#resolveElsewhere(node, reference, uri);
    if (!fragment.startsWith("/")) return found;
    const target = fragment
      .slice(1)
      .split("/")
      .reduce((at, token) => this.child(at, unescapeToken(token)), found);
    if (typeof target.schema === "boolean" || isObject(target.schema)) return target;
    throw unresolved(node, reference);
  }

  /** The schemas that could be meant by a dynamic reference to `anchor`. */
  dynamicTargets(anchor: string): readonly SchemaNode[] {
    return this.#dynamicAnchors.get(anchor) ?? [];
  }

  #resolveElsewhere(node: SchemaNode, reference: string, uri: string): SchemaNode {
    const resource = withoutFragment(uri);
    const other = this.#others.get(resource);
    if (other !== undefined) return other.resolve(other.root, uri);
    const schema = this.name === resource ? undefined : metaSchema(resource);
    if (schema === undefined) throw unresolved(node, reference);
    const document = new SchemaDocument(schema, resource, this.origin);
    this.#others.set(resource, document);
    return document.resolve(document.root, uri);
  }

  #identifier(schema: unknown): string | undefined {
    if (!isObject(schema)) return undefined;
    // Old dialects ignore an identifier next to $ref.
    if (isOldDialect(this.dialect) && typeof schema["$ref"] === "string") return undefined;
    const id = this.dialect === "draft-04" ? schema["id"] : schema["$id"];
    return typeof id === "string" ? id : undefined;
  }

  #index(node: SchemaNode, depth: number): void {
    if (depth > maxDepth) throw new SobreError("LimitExceeded", `A JSON Schema nests deeper than ${maxDepth} levels.`);
    if (!isObject(node.schema)) return;
    this.#register(node, node.schema);
    for (const keyword of schemaKeywords) {
      const value = node.schema[keyword];
      if (Array.isArray(value)) value.forEach((_, at) => this.#index(this.child(node, keyword, at), depth + 1));
      else if (isObject(value)) this.#index(this.child(node, keyword), depth + 1);
    }
    for (const keyword of schemaMapKeywords) {
      const value = node.schema[keyword];
      if (!isObject(value)) continue;
      for (const name of Object.keys(value)) this.#index(this.child(node, keyword, name), depth + 1);
    }
  }

  #register(node: SchemaNode, schema: Readonly<Record<string, unknown>>): void {
    const resource = withoutFragment(node.base);
    const id = this.#identifier(schema);
    if (id?.startsWith("#")) this.#byUri.set(`${resource}${id}`, node);
    else if (id !== undefined) this.#byUri.set(withoutFragment(node.base), node);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = schema[keyword];
      if (typeof anchor !== "string" || isOldDialect(this.dialect)) continue;
      this.#byUri.set(`${withoutFragment(node.base)}#${anchor}`, node);
      if (keyword === "$dynamicAnchor") this.#dynamicAnchors.set(anchor, [...this.dynamicTargets(anchor), node]);
    }
    if (schema["$recursiveAnchor"] === true) this.recursive = true;
  }
}

const maxDepth = 500;

function unresolved({ pointer }: SchemaNode, reference: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `The reference ${JSON.stringify(reference)} does not resolve in the schema, and schemas are never fetched. Put its target under $defs.`,
    { path: `#${pointer}` },
  );
}

function resolveUri(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference.startsWith("#") ? `${withoutFragment(base)}${reference}` : reference;
  }
}

function withoutFragment(uri: string): string {
  const at = uri.indexOf("#");
  return at < 0 ? uri : uri.slice(0, at);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** One reference token as RFC 6901 writes it. */
export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
