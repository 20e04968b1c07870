import { SobreError } from "../errors/sobre-error.ts";
import { assembleMessageType, type UntypedOptions } from "./define-message.ts";
import type { JsonSchema } from "./json-schema-type.ts";
import { checkOption, methods } from "../options/option-checks.ts";
import type { MessageType } from "./message-type.ts";
import { isStandardSchema } from "./standard-schema.ts";

/** The schema files of a subject: their names, as `2.1.schema.json`, and what is in them. */
export type SchemaFiles = Readonly<Record<string, JsonSchema>>;

const fileName = /^(\d+)\.(\d+)\.schema\.json$/;

/**
 * Defines a message type from the schema files of its subject: each major is a version, its greatest minor counts.
 *
 * Other files are left out. `Body` is what you know of the latest version.
 *
 * @throws SobreError `InvalidArgument` as `defineMessage` does.
 */
export function messageTypeFromFiles<Body = unknown>(
  subject: string,
  files: SchemaFiles,
  options: UntypedOptions = {},
): MessageType<string, Body> {
  checkOption("files", files, (value) =>
    typeof value === "object" && value !== null ? undefined : 'must be an object, as { "1.0.schema.json": schema }',
  );
  const versions: Record<number, JsonSchema> = {};
  const minors = new Map<number, number>();
  for (const [name, schema] of Object.entries(files)) {
    const [, major, minor] = fileName.exec(name) ?? [];
    if (major === undefined || minor === undefined) continue;
    if (Number(minor) < (minors.get(Number(major)) ?? 0)) continue;
    minors.set(Number(major), Number(minor));
    versions[Number(major)] = schema;
  }
  return assembleMessageType<string, Body, Body>(subject, versions, options);
}

/**
 * The schema files of a message type, one per version, as `2.0.schema.json`.
 *
 * JSON Schemas are given as they are; libraries that follow Standard JSON Schema (zod, arktype) are asked for what
 * they take as input.
 *
 * @throws SobreError `InvalidArgument` for a schema of a library that offers none, or of what JSON Schema does not have.
 */
export function schemaFilesOf(type: MessageType): SchemaFiles {
  checkOption("type", type, methods("a message type, as defineMessage makes them", "message", "schemaOf"));
  return Object.fromEntries(type.versions.map((version) => [`${version}.0.schema.json`, jsonSchemaOf(type, version)]));
}

function jsonSchemaOf(type: MessageType, version: number): JsonSchema {
  const schema = type.schemaOf(version) ?? false;
  if (!isStandardSchema(schema)) return schema;
  const made: unknown = inputSchema(schema["~standard"], `${type.name}, version ${version}`);
  if (typeof made === "object" && made !== null) return { ...made };
  throw new SobreError(
    "InvalidArgument",
    `${type.name}, version ${version}: ${schema["~standard"].vendor} offers no JSON Schema. Write the file by hand, or use a library that follows Standard JSON Schema.`,
  );
}

/** `~standard.jsonSchema.input` of Standard JSON Schema 1. */
function inputSchema(standard: object, where: string): unknown {
  const jsonSchema: unknown = "jsonSchema" in standard ? standard.jsonSchema : undefined;
  if (typeof jsonSchema !== "object" || jsonSchema === null || !("input" in jsonSchema)) return undefined;
  const { input } = jsonSchema;
  if (typeof input !== "function") return undefined;
  try {
    return Reflect.apply(input, jsonSchema, [{ target: "draft-2020-12" }]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it said nothing";
    throw new SobreError("InvalidArgument", `${where}: its library cannot write it as JSON Schema: ${why}.`, { cause });
  }
}
