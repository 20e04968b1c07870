import { SobreError } from "../../core/errors/sobre-error.ts";
import { metaSchema } from "../../core/json-schema/ajv.ts";
import { isOldDialect, namedDialect, unknownDialect } from "../json-schema/dialect.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { FileIndex } from "./file-index.ts";
import { placeOfFiles, rewritten, JsonSchemaFile } from "./schema-file.ts";
import type { SchemaPart } from "./schema-part.ts";

/**
 * A JSON Schema with the schemas of other files that its references lead to, by path or `$id`, under its `$defs`. One that
 * refers to no other file stays as it is.
 *
 * @throws SobreError `InvalidArgument` for a reference that leads to no file, out of the folder or to several files, and for
 *   files whose dialects differ or that have dynamic references.
 */
export function bundledSchema(
  index: FileIndex,
  file: string,
  schema: unknown,
): { readonly schema: unknown; readonly parts: readonly SchemaPart[] } {
  const bundle = new Bundle(index, new JsonSchemaFile(file, schema));
  return bundle.made();
}

class Bundle {
  readonly #own: JsonSchemaFile;
  readonly #index: FileIndex;
  readonly #parts = new Map<string, JsonSchemaFile>();

  constructor(index: FileIndex, own: JsonSchemaFile) {
    this.#own = own;
    this.#index = index;
  }

  made(): { readonly schema: unknown; readonly parts: readonly SchemaPart[] } {
    const open = [this.#own];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const { reference, base } of next.references) {
        const target = this.#targetOf(next, reference, base)?.holder;
        if (target === undefined || target === this.#own || this.#parts.has(target.file)) continue;
        this.#parts.set(target.file, target);
        open.push(target);
      }
    const { schema } = this.#own;
    if (this.#parts.size === 0 || !isObject(schema)) return { schema, parts: [] };
    const named = this.#dialect();
    const container = containerOf(named);
    const added = Array.from(this.#parts.values(), (part) => [
      part.file,
      this.#rewrittenPart(part, { container, isOwn: false }),
    ]);
    const own = this.#rewrittenPart(this.#own, { container, isOwn: true });
    const held = isObject(own) ? own : {};
    const definitions = isObject(held[container]) ? held[container] : {};
    const clash = added.find(([name]) => Object.hasOwn(definitions, String(name)));
    if (clash !== undefined)
      throw invalidSchemaFile(this.#own.file, `${container} already has a member ${JSON.stringify(clash[0])}`);
    const dialect = named === undefined || held["$schema"] !== undefined ? {} : { $schema: named };
    return {
      schema: { ...dialect, ...held, [container]: { ...definitions, ...Object.fromEntries(added) } },
      parts: Array.from(this.#parts.keys(), (name) => ({ file: name, text: this.#index.textOf(name) })),
    };
  }

  /** The one `$schema` of all files that have one. */
  #dialect(): string | undefined {
    const all = [this.#own, ...this.#parts.values()];
    const named = all.filter(({ schema }) => isObject(schema) && schema["$schema"] !== undefined);
    for (const { file, schema } of named) {
      const foreign = unknownDialect(schema);
      if (foreign !== undefined)
        throw invalidSchemaFile(file, `the dialect ${JSON.stringify(foreign)} is not supported`);
    }
    const other = named.find(({ schema }) => namedDialect(schema) !== namedDialect(named[0]?.schema));
    if (other !== undefined)
      throw invalidSchemaFile(
        other.file,
        `its $schema differs from that of ${named[0]?.file ?? ""}. Give both the same`,
      );
    const dynamic = all.find(({ isDynamic }) => isDynamic);
    if (dynamic !== undefined)
      throw invalidSchemaFile(dynamic.file, "a schema of several files must not have dynamic or recursive references");
    const first = named[0]?.schema;
    return isObject(first) && typeof first["$schema"] === "string" ? first["$schema"] : undefined;
  }

  #rewrittenPart(
    part: JsonSchemaFile,
    { container, isOwn }: { readonly container: string; readonly isOwn: boolean },
  ): unknown {
    return rewritten(part, {
      isOwn,
      reference: (text, base) => {
        const target = this.#targetOf(part, text, base);
        if (target === undefined) return text;
        const { holder, path } = target;
        const start = holder === this.#own ? "" : `/${container}/${encodedToken(holder.file)}`;
        return `#${start}${path}`;
      },
    });
  }

  /** The file and the encoded pointer in it that a reference leads to; `undefined` for a meta-schema. */
  #targetOf(
    from: JsonSchemaFile,
    reference: string,
    base: string,
  ): { readonly holder: JsonSchemaFile; readonly path: string } | undefined {
    const uri = URL.canParse(reference, base) ? new URL(reference, base).href : reference;
    const at = uri.indexOf("#");
    const [resource, fragment] = at < 0 ? [uri, ""] : [uri.slice(0, at), uri.slice(at + 1)];
    const holder = from.has(resource) ? from : this.#fileOf(from, reference, resource);
    if (holder === undefined) return undefined;
    const path = holder.pathOf(holder.has(resource) ? resource : holder.base, fragment);
    if (path !== undefined) return { holder, path };
    throw invalidSchemaFile(from.file, `the reference ${JSON.stringify(reference)} leads to nothing in ${holder.file}`);
  }

  #fileOf(from: JsonSchemaFile, reference: string, resource: string): JsonSchemaFile | undefined {
    // A file without an identifier is known only by its path.
    const byId = resource.startsWith(placeOfFiles) ? undefined : this.#index.byId(resource, this.#own.file);
    const found = byId ?? this.#index.byPath(from.file, reference, this.#own.file);
    if (found === this.#own.file) return this.#own;
    if (found !== undefined) return this.#parts.get(found) ?? this.#index.open(found);
    if (metaSchema(resource) !== undefined) return undefined;
    throw invalidSchemaFile(
      from.file,
      `the reference ${JSON.stringify(reference)} does not resolve to a file in the folder of subjects, and schemas are never fetched. Put its target there, or under $defs`,
    );
  }
}

/** The keyword for schemas of other files; where no dialect is named, one that all dialects know, so that it suggests none. */
function containerOf(dialect: string | undefined): "$defs" | "definitions" {
  const named = dialect === undefined ? undefined : namedDialect({ $schema: dialect });
  return named === undefined || isOldDialect(named) ? "definitions" : "$defs";
}

function encodedToken(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function invalidSchemaFile(file: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${file}: ${what}.`);
}
