import { unescapeToken } from "../../core/json-schema/json-form.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { dialectOf, isOldDialect, schemaMapKeywords } from "../json-schema/dialect.ts";
import { isObject, objectOf } from "../json-schema/json-value.ts";
import { escapeToken } from "../json-schema/schema-document.ts";

/** A reference with the URI against which it is resolved. */
interface Reference {
  readonly reference: string;
  readonly base: string;
}

/** Members whose values are data rather than schemas. */
const data: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

const dynamic = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];

/** Begins the URI of a file without an identifier. */
export const placeOfFiles = "https://schema.invalid/";

/** The deepest nesting of schemas, counted in objects and lists. */
const maxDepth = 2000;

/** A file of one JSON Schema, with the identifiers in it. */
export class JsonSchemaFile {
  readonly file: string;
  readonly schema: unknown;
  /** The URI of the whole. */
  readonly base: string;
  readonly references: readonly Reference[];
  readonly isDynamic: boolean;
  readonly #isOld: boolean;
  readonly #idName: "id" | "$id";
  readonly #resources = new Map<string, string>();
  readonly #anchors = new Map<string, string>();

  constructor(file: string, schema: unknown) {
    this.file = file;
    this.schema = schema;
    const dialect = dialectOf(schema);
    this.#isOld = isOldDialect(dialect);
    this.#idName = dialect === "draft-04" ? "id" : "$id";
    const place = `${placeOfFiles}${file.split("/").map(encodeURIComponent).join("/")}`;
    this.base = withoutFragment(resolved(this.idOf(schema), place));
    this.#resources.set(this.base, "");
    const references: Reference[] = [];
    let isDynamic = false;
    visit(schema, { base: this.base, pointer: "" }, this, (own, { base, pointer }) => {
      const id = this.idOf(own);
      if (id?.startsWith("#") === true) this.#anchors.set(`${base}${id}`, pointer);
      else if (id !== undefined) this.#resources.set(base, pointer);
      if (typeof own["$anchor"] === "string") this.#anchors.set(`${base}#${own["$anchor"]}`, pointer);
      if (typeof own["$ref"] === "string") references.push({ reference: own["$ref"], base });
      isDynamic ||= dynamic.some((name) => ["string", "boolean"].includes(typeof own[name]));
    });
    this.references = references;
    this.isDynamic = isDynamic;
  }

  /** Its own identifier; `undefined` when it has none. */
  get absoluteId(): string | undefined {
    const id = this.idOf(this.schema);
    return id === undefined || id.startsWith("#") ? undefined : this.base;
  }

  /** Whether a URI without a fragment names this file or a schema in it. */
  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  /** The pointer, percent-encoded, that a fragment means in one of the file's resources; `undefined` when it leads nowhere. */
  pathOf(resource: string, fragment: string): string | undefined {
    const start = fragment === "" || fragment.startsWith("/") ? this.#resources.get(resource) : undefined;
    const anchored = this.#anchors.get(`${resource}#${fragment}`);
    const pointer = start ?? anchored;
    if (pointer === undefined) return undefined;
    const path = `${pointer.split("/").map(encodeURIComponent).join("/")}${start === undefined ? "" : fragment}`;
    return this.#leads(path) ? path : undefined;
  }

  #leads(path: string): boolean {
    let at = this.schema;
    for (const token of path.split("/").slice(1)) {
      const name = unescapeToken(decoded(token));
      if (Array.isArray(at)) at = at[Number(name)];
      else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }
    return isObject(at) || typeof at === "boolean";
  }

  /** The identifier of a schema; next to $ref it means nothing in old dialects. */
  idOf(schema: unknown): string | undefined {
    if (!isObject(schema) || (this.#isOld && typeof schema["$ref"] === "string")) return undefined;
    const id = schema[this.#idName];
    return typeof id === "string" ? id : undefined;
  }

  /** Whether a member says where a schema is, which it is no longer once it is part of another one. */
  isIdentifier(name: string, value: unknown): boolean {
    return typeof value === "string" && (name === this.#idName || name === "$anchor" || name === "$schema");
  }
}

/** The schema of a file with its references replaced, and without the identifiers that are no longer needed. */
export function rewritten(
  file: JsonSchemaFile,
  { isOwn, reference }: { readonly isOwn: boolean; readonly reference: (reference: string, base: string) => string },
): unknown {
  const copyMap = (value: unknown, base: string): unknown =>
    isObject(value)
      ? objectOf(Object.entries(value).map(([name, member]) => [name, copy(member, base)] as const))
      : copy(value, base);
  const copy = (value: unknown, outer: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, outer));
    if (!isObject(value)) return value;
    const isRoot = value === file.schema;
    const base = isRoot ? file.base : baseIn(file, value, outer);
    return objectOf(
      Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
        if (!(isOwn && isRoot) && file.isIdentifier(name, member)) return [];
        if (name === "$ref" && typeof member === "string") return [[name, reference(member, base)]];
        if (data.has(name)) return [[name, member]];
        return [[name, schemaMapKeywords.includes(name) ? copyMap(member, base) : copy(member, base)]];
      }),
    );
  };
  return copy(file.schema, file.base);
}

interface IdentifierPlace {
  readonly base: string;
  readonly pointer: string;
}

type See = (own: Readonly<Record<string, unknown>>, place: IdentifierPlace) => void;

function visit(value: unknown, { base, pointer }: IdentifierPlace, file: JsonSchemaFile, see: See, depth = 0): void {
  if (depth > maxDepth) throw new SobreError("LimitExceeded", `${file.file} nests deeper than ${maxDepth} levels.`);
  if (Array.isArray(value))
    value.forEach((item, at) => visit(item, { base, pointer: `${pointer}/${at}` }, file, see, depth + 1));
  if (!isObject(value)) return;
  const inner = depth === 0 ? base : baseIn(file, value, base);
  see(value, { base: inner, pointer });
  for (const [name, member] of Object.entries(value)) {
    const place = { base: inner, pointer: `${pointer}/${escapeToken(name)}` };
    if (data.has(name)) continue;
    if (!schemaMapKeywords.includes(name) || !isObject(member)) visit(member, place, file, see, depth + 1);
    else
      for (const [key, schema] of Object.entries(member))
        visit(schema, { base: inner, pointer: `${place.pointer}/${escapeToken(key)}` }, file, see, depth + 1);
  }
}

function baseIn(file: JsonSchemaFile, schema: unknown, base: string): string {
  const id = file.idOf(schema);
  return id === undefined || id.startsWith("#") ? base : withoutFragment(resolved(id, base));
}

function resolved(id: string | undefined, base: string): string {
  if (id === undefined || id.startsWith("#")) return base;
  return URL.canParse(id, base) ? new URL(id, base).href : id;
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, "");
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
