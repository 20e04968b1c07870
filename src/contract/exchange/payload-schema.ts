import { schemaMapKeywords } from "../json-schema/dialect.ts";
import { isObject, objectOf } from "../json-schema/json-value.ts";
import { escapeToken } from "../json-schema/schema-document.ts";
import { type AsyncApiDocument, decodedToken, invalidDocument } from "./asyncapi-document.ts";

const components = "#/components/schemas/";

/** Members whose values are data rather than schemas. */
const data: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** The schema with its references replaced. */
function withReferences(value: unknown, replace: (reference: string) => string): unknown {
  const schema = (own: unknown): unknown => {
    if (Array.isArray(own)) return own.map(schema);
    if (!isObject(own)) return own;
    return objectOf(
      Object.entries(own).map(([name, member]) => {
        if (name === "$ref" && typeof member === "string") return [name, replace(member)] as const;
        if (data.has(name)) return [name, member] as const;
        const isMap = schemaMapKeywords.includes(name) && isObject(member);
        return [name, isMap ? map(member) : schema(member)] as const;
      }),
    );
  };
  const map = (own: Readonly<Record<string, unknown>>): unknown =>
    objectOf(Object.entries(own).map(([name, member]) => [name, schema(member)] as const));
  return schema(value);
}

/**
 * A schema of a document as one that depends on nothing: the components that it refers to are its `definitions`.
 *
 * @throws SobreError `InvalidArgument` for a reference to anything else.
 */
export function selfContained(document: AsyncApiDocument, schema: unknown, pointer: string): unknown {
  const definitions = new Map<string, unknown>();
  const open: string[] = [];
  const replace = (reference: string): string => {
    if (!reference.startsWith(components))
      throw invalidDocument(pointer, `refers to ${JSON.stringify(reference)}. Put what is shared under ${components}`);
    const [token = "", ...rest] = reference.slice(components.length).split("/");
    const name = decodedToken(token);
    document.at(reference, pointer);
    if (!definitions.has(name)) {
      definitions.set(name, undefined);
      open.push(name);
    }
    return ["#", "definitions", encodeURIComponent(escapeToken(name)), ...rest].join("/");
  };
  const own = withReferences(schema, replace);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const place = `${components}${escapeToken(name)}`;
    document.use(place.slice(1));
    definitions.set(name, withReferences(document.at(place, pointer), replace));
  }
  if (!isObject(own) || definitions.size === 0) return own;
  const before = isObject(own["definitions"]) ? own["definitions"] : {};
  return { ...own, definitions: { ...before, ...Object.fromEntries(definitions) } };
}

/** Schemas under the names by which a document refers to them. */
export class SchemaComponents {
  readonly #schemas = new Map<string, unknown>();

  /**
   * A schema with references that count from the root of the document, where it is at `pointer`: its definitions become
   * components, under a name of `owner` where another schema has theirs.
   */
  placed(schema: unknown, pointer: string, owner: string): unknown {
    if (!isObject(schema)) return schema;
    const { definitions, $defs, ...own } = schema;
    const held = Object.entries({ ...(isObject($defs) ? $defs : {}), ...(isObject(definitions) ? definitions : {}) });
    // Components have no other names.
    const names = new Map(held.map(([name]) => [name, name.replaceAll(/[^\w.-]/g, "_")]));
    const replace = (reference: string): string => {
      const [, container, token = "", rest = ""] = /^#\/(definitions|\$defs)\/([^/]+)(.*)$/s.exec(reference) ?? [];
      if (container !== undefined)
        return `${components}${escapeToken(names.get(decodedToken(token)) ?? decodedToken(token))}${rest}`;
      return reference === "#" || reference.startsWith("#/") ? `#${pointer}${reference.slice(1)}` : reference;
    };
    for (const [name, definition] of held) {
      const text = JSON.stringify(withReferences(definition, replace));
      const free = names.get(name) ?? name;
      const isTaken = this.#schemas.has(free) && JSON.stringify(this.#schemas.get(free)) !== text;
      if (isTaken) names.set(name, `${owner}.${free}`);
    }
    for (const [name, definition] of held)
      this.#schemas.set(names.get(name) ?? name, withReferences(definition, replace));
    return withReferences(own, replace);
  }

  add(name: string, schema: unknown): void {
    this.#schemas.set(name, schema);
  }

  all(): Readonly<Record<string, unknown>> {
    return objectOf(Array.from(this.#schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
