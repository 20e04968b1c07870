import { invalidInput } from "../errors/invalid-input.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { assembleMessageType, type UntypedOptions } from "./define-message.ts";
import { jsonSchema, type JsonSchemaOptions } from "../json-schema/json-schema.ts";
import type { JsonSchema } from "../json-schema/json-schema-type.ts";
import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { MessageType } from "./message-type.ts";
import type { Schema } from "./schema.ts";
import { standardJsonSchema } from "./standard-schema.ts";

/** The schema files of a subject: names, e.g. `2.1.schema.json`, and contents. */
export type SchemaFiles = Readonly<Record<string, JsonSchema>>;

/** The bodies of subjects by name. The module that `sobre contract types` writes adds to it, so that files are read with types. */
// oxlint-disable-next-line typescript/no-empty-object-type -- it is there to be merged with
export interface SubjectBodies {}

/** A version of a subject, read from the name of its file. */
export interface VersionFile {
  /** `major.minor`, as written. */
  readonly version: string;
  readonly major: number;
  readonly minor: number;
  readonly format: "json-schema" | "protobuf";
}

/** Parses the version from a file name, e.g. `2.1.schema.json` or `2.1.proto`; `undefined` for any other name. */
export function versionFile(name: string): VersionFile | undefined {
  // With leading zeros or more digits, two names would be one version.
  const [, major, minor, extension] =
    /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(schema\.(?:json|ya?ml)|proto)$/.exec(name) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const format = extension === "proto" ? "protobuf" : "json-schema";
  return { version: `${major}.${minor}`, major: Number(major), minor: Number(minor), format };
}

/**
 * Defines a message type from the schema files of its subject: each major is a version, with the schema of its greatest
 * minor.
 *
 * Other files are ignored. `formats` is as in `jsonSchema`. The body has the type that `sobre contract types` wrote.
 *
 * @throws SobreError `InvalidArgument` as `defineMessage` does.
 */
export function messageTypeFromFiles<Subject extends keyof SubjectBodies>(
  subject: Subject,
  files: SchemaFiles,
  options?: UntypedOptions & JsonSchemaOptions,
): MessageType<Subject, SubjectBodies[Subject]>;
/** For a subject whose type is not registered: `Body` is what you know of the latest version. */
export function messageTypeFromFiles<Body = unknown>(
  subject: string,
  files: SchemaFiles,
  options?: UntypedOptions & JsonSchemaOptions,
): MessageType<string, Body>;
export function messageTypeFromFiles(
  subject: string,
  files: SchemaFiles,
  { formats, ...options }: UntypedOptions & JsonSchemaOptions = {},
): MessageType {
  checkOption("files", files, (value) =>
    typeof value === "object" && value !== null ? undefined : 'must be an object, e.g. { "1.0.schema.json": schema }',
  );
  const schemas = new Map<number, JsonSchema>();
  const minors = new Map<number, number>();
  for (const [name, schema] of Object.entries(files)) {
    const file = versionFile(name);
    if (file?.format !== "json-schema" || file.minor < (minors.get(file.major) ?? 0)) continue;
    minors.set(file.major, file.minor);
    schemas.set(file.major, schema);
  }
  const versions: Record<number, Schema> = {};
  for (const [major, schema] of schemas)
    versions[major] = schemaOf(schema, { formats }, `${subject}, version ${major}`);
  return assembleMessageType(subject, versions, options);
}

/**
 * The schema files of a message type, one per version, e.g. `2.0.schema.json`.
 *
 * JSON Schemas are returned unchanged; schemas of libraries with Standard JSON Schema (zod, arktype) are converted, for
 * their input.
 *
 * @throws SobreError `InvalidArgument` for a schema that its library cannot convert to JSON Schema.
 */
export function schemaFilesOf(type: MessageType): SchemaFiles {
  checkOption("type", type, is.messageType);
  return Object.fromEntries(type.versions.map((version) => [`${version}.0.schema.json`, jsonSchemaOf(type, version)]));
}

function schemaOf(schema: JsonSchema, options: JsonSchemaOptions, where: string): Schema {
  try {
    return jsonSchema(schema, options);
  } catch (cause) {
    const { code, message } = SobreError.from(cause, "InvalidArgument", "The file is not a valid JSON Schema");
    throw new SobreError(code, `${where}: ${message}`, { cause });
  }
}

function jsonSchemaOf(type: MessageType, version: number): JsonSchema {
  const where = `${type.name}, version ${version}`;
  const schema = type.schemaOf(version);
  try {
    const made = schema === undefined ? undefined : standardJsonSchema(schema);
    if (typeof made === "boolean") return made;
    if (typeof made === "object" && made !== null) return { ...made };
  } catch (cause) {
    throw invalidInput(`${where}: its library cannot convert it to JSON Schema`, cause);
  }
  throw new SobreError(
    "InvalidArgument",
    `${where}: ${schema?.["~standard"].vendor ?? "its library"} does not support JSON Schema. Write the file by hand, or use a library that implements Standard JSON Schema.`,
  );
}
