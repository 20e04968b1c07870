import { checkOption } from "../core/options/option-checks.ts";
import * as is from "../core/options/is.ts";
import { isObject } from "../core/values/plain-object.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SobreError } from "../core/errors/sobre-error.ts";
import type { JsonSchema } from "../core/json-schema/json-schema-type.ts";
import type { JsonSchemaOptions } from "../core/json-schema/json-schema.ts";
import type { MessageType } from "../core/message/message-type.ts";
import { messageTypeFromFiles, schemaFilesOf, type SubjectBodies, versionFile } from "../core/message/schema-files.ts";
import type { UntypedOptions } from "../core/message/define-message.ts";
import { folderFiles, readOnce } from "./subjects/subject-files.ts";
import { readVersions } from "./subjects/subject-version.ts";

/**
 * Defines a message type from the files `<folder>/<subject>/<major>.<minor>.schema.json`: each major is a version, and its
 * greatest minor the schema. The body has the type that `sobre contract types` wrote.
 *
 * @throws SobreError `InvalidArgument` when the folder or a file cannot be read, and as `defineMessage` does.
 */
export function readMessageType<Subject extends keyof SubjectBodies>(
  folder: string,
  subject: Subject,
  options?: UntypedOptions & JsonSchemaOptions,
): MessageType<Subject, SubjectBodies[Subject]>;
/** For a subject without a registered type: `Body` is the type of the latest version. */
export function readMessageType<Body = unknown>(
  folder: string,
  subject: string,
  options?: UntypedOptions & JsonSchemaOptions,
): MessageType<string, Body>;
export function readMessageType(
  folder: string,
  subject: string,
  options: UntypedOptions & JsonSchemaOptions = {},
): MessageType {
  checkOption("folder", folder, is.name);
  checkOption("subject", subject, is.name);
  return messageTypeFromFiles(subject, filesOf(folder, subject), options);
}

/**
 * Writes the schemas of a message type into `<folder>/<name of the type>`, and returns the files that are new.
 *
 * Existing files are never changed: a version whose schema has changed becomes the next minor.
 *
 * @throws SobreError `InvalidArgument` for a schema that its library cannot convert to JSON Schema, and a name that is
 * not a valid folder.
 */
export function writeMessageType(folder: string, type: MessageType): readonly string[] {
  checkOption("folder", folder, is.name);
  checkOption("type", type, is.messageType);
  const { name } = type;
  const made = schemaFilesOf(type);
  mkdirSync(subjectFolder(folder, name), { recursive: true });
  const known = filesOf(folder, name);
  const written: string[] = [];
  for (const [first, schema] of Object.entries(made)) {
    const major = versionFile(first)?.major;
    const minors = Object.keys(known).flatMap((file) => {
      const version = versionFile(file);
      return version?.major === major && version !== undefined ? [version] : [];
    });
    const minor = Math.max(-1, ...minors.map((version) => version.minor)) + 1;
    const latest = Object.entries(known).find(([file]) => versionFile(file)?.version === `${major}.${minor - 1}`)?.[1];
    const text = `${JSON.stringify(schema, undefined, 2)}\n`;
    if (isDeepStrictEqual(latest, JSON.parse(text))) continue;
    const file = `${major}.${minor}.schema.json`;
    writeFileSync(join(subjectFolder(folder, name), file), text, { flag: "wx" });
    written.push(`${name}/${file}`);
  }
  return written;
}

/** The JSON Schemas of a subject by the names of their files. */
function filesOf(folder: string, subject: string): Readonly<Record<string, JsonSchema>> {
  const name = relative(folder, subjectFolder(folder, subject)).replaceAll("\\", "/");
  // A folder that is missing is reported by its own path.
  folderFiles(join(folder, name)).list();
  const versions = readVersions(readOnce(folderFiles(folder)), name).get(name) ?? [];
  return Object.fromEntries(
    versions.flatMap(({ format, file, schema }) =>
      format === "protobuf" ? [] : [[basename(file), schemaOf(schema, file)] as const],
    ),
  );
}

function schemaOf(schema: unknown, file: string): JsonSchema {
  if (typeof schema === "boolean") return schema;
  if (isObject(schema)) return { ...schema };
  throw new SobreError("InvalidArgument", `${file} does not contain a JSON Schema.`);
}

/** The folder of a subject, whose name may contain slashes but must not lead out of the folder of subjects. */
function subjectFolder(folder: string, subject: string): string {
  if (typeof folder !== "string" || folder === "")
    throw new SobreError("InvalidArgument", "The folder of schemas must be a path.");
  const steps = typeof subject === "string" ? subject.split(/[/\\]/) : [""];
  if (steps.every((step) => !["", ".", ".."].includes(step))) return join(folder, ...steps);
  throw new SobreError(
    "InvalidArgument",
    `The subject ${JSON.stringify(subject)} must be a folder inside the folder of schemas.`,
  );
}
