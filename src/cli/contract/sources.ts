import { createRequire } from "node:module";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject } from "../../contract/json-schema/json-value.ts";
import { SchemaDocument } from "../../contract/json-schema/schema-document.ts";
import { openProtobufSchema } from "../../contract/protobuf/schema.ts";
import type { CodeSchema } from "../../contract/subjects/code-check.ts";
import { isMessageType, jsonSchemaOf, madeBy, schemaVendor } from "../../contract/subjects/schema-source.ts";
import { bundledSchema } from "../../contract/sources/json-bundle.ts";
import { FileIndex } from "../../contract/sources/file-index.ts";
import { importingProto } from "../../contract/sources/proto-files.ts";
import { folderFiles, parseSchemaText, readOnce } from "../../contract/subjects/subject-files.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { readText } from "./files.ts";
import { Misuse } from "../terminal.ts";

/** A schema that a source has, for the next version of a subject. */
export interface SchemaDraft extends CodeSchema {
  /** Whether readers see what an upcaster makes of older majors. */
  readonly isUpcast?: boolean;
}

/** A source of schemas, and what to take from it. */
export interface SchemaSourceChoice {
  /** The export of the module. Default: the default one, or else every one that is a schema. */
  readonly export?: string | undefined;
  /** Name of the subject. Default: the message type's name, the export, or the file. */
  readonly subject?: string | undefined;
}

/** The exports of a module of the user's own. @throws Misuse when it cannot be loaded. */
async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
    return module;
  } catch (error) {
    throw new Misuse(`${path} cannot be loaded: ${error instanceof Error ? error.message : "unknown error"}`);
  }
}

/** The message types that a module exports. @throws Misuse when it exports none. */
export async function typesOf(path: string | undefined): Promise<readonly MessageType[]> {
  if (path === undefined) return [];
  const types = Object.values(await importModule(path)).filter(isMessageType);
  if (types.length === 0) throw new Misuse(`${path} exports no message type made by defineMessage`);
  return Array.from(new Set(types));
}

/** The schemas of a module, or of a .json or .proto file. @throws Misuse when there is none. */
export async function draftsOf(path: string, source: SchemaSourceChoice): Promise<readonly SchemaDraft[]> {
  return isSchemaFile(path) ? [draftOfFile(path, source)] : draftsOfModule(path, source);
}

/** Whether a source is a file of one schema rather than a module. */
export function isSchemaFile(path: string): boolean {
  return /\.(?:json|ya?ml|proto)$/.test(path);
}

/**
 * The schema of a file, with what it refers to next to it and below.
 *
 * @throws SobreError `InvalidArgument` when the file is not a schema.
 */
function draftOfFile(
  path: string,
  { subject = basename(path).replace(/(?:\.schema)?\.\w+$/, "") }: SchemaSourceChoice,
): SchemaDraft {
  const text = readText(path);
  const [files, file] = [readOnce(folderFiles(dirname(resolve(path)))), basename(path)];
  if (path.endsWith(".proto")) {
    const { schema } = importingProto(files, file, text);
    openProtobufSchema(schema);
    return { subject, schema, isProto: true };
  }
  const { schema } = bundledSchema(new FileIndex(files), file, parseSchemaText(text, path));
  return { subject, schema: new SchemaDocument(schema, path).root.schema };
}

async function draftsOfModule(path: string, command: SchemaSourceChoice): Promise<readonly SchemaDraft[]> {
  const module = await importModule(path);
  const fallback = basename(path).replace(/\.[^.]*$/, "");
  const wanted = command.export ?? (Object.hasOwn(module, "default") ? "default" : undefined);
  if (wanted !== undefined && !Object.hasOwn(module, wanted)) throw new Misuse(`${path} has no export ${wanted}`);
  const exports = Object.entries(module).filter(([name]) => wanted === undefined || name === wanted);
  const drafts: SchemaDraft[] = [];
  for (const [name, value] of exports) {
    const subject = command.subject ?? (name === "default" ? fallback : name);
    if (isMessageType(value))
      for (const version of value.versions) {
        const schema = await convert(value.schemaOf(version), `${value.name}, version ${version}`, path);
        const isUpcast = value.versions.length > 1;
        drafts.push({ subject: command.subject ?? value.name, major: version, schema, isUpcast });
      }
    else if (isSchema(value) || wanted !== undefined)
      drafts.push({ subject, schema: await convert(value, name, path) });
  }
  if (drafts.length === 0) throw new Misuse(`${path} exports no schema and no message type`);
  return drafts;
}

function isSchema(value: unknown): boolean {
  return schemaVendor(value) !== undefined || (isObject(value) && ("$schema" in value || "type" in value));
}

/** The converters of libraries that do not follow Standard JSON Schema. */
const converters: Readonly<Record<string, readonly [module: string, name: string]>> = {
  valibot: ["@valibot/to-json-schema", "toJsonSchema"],
  zod: ["zod", "toJSONSchema"],
};

/**
 * @param what Names the schema in errors.
 * @throws SobreError `InvalidArgument` when it has no JSON Schema; Misuse when its library has no converter at hand.
 */
async function convert(schema: unknown, what: string, path: string): Promise<unknown> {
  try {
    const own = jsonSchemaOf(schema);
    return own === undefined ? await convertApart(schema, path) : own;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    throw new SobreError(error.code, `${path}: ${what}: ${error.message}`, { cause: error });
  }
}

async function convertApart(schema: unknown, path: string): Promise<unknown> {
  const vendor = schemaVendor(schema) ?? "";
  const [name, method] = converters[vendor] ?? [];
  if (name === undefined || method === undefined)
    throw new Misuse(`${path}: a schema of ${vendor || "an unknown library"} cannot be converted to JSON Schema`);
  const converter = await converterOf(path, name, method);
  if (converter === undefined)
    throw new Misuse(`${path}: install ${name}, which converts schemas of ${vendor} to JSON Schema`);
  return madeBy(vendor, () => converter(schema));
}

/** The function of a package, resolved from the user's module; `undefined` when it is not installed. */
async function converterOf(
  path: string,
  name: string,
  method: string,
): Promise<((schema: unknown) => unknown) | undefined> {
  try {
    const library = await importModule(createRequire(resolve(path)).resolve(name));
    const converter = library[method];
    return typeof converter === "function" ? (schema) => Reflect.apply(converter, undefined, [schema]) : undefined;
  } catch {
    return undefined;
  }
}
