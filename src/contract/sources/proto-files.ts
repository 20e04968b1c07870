import { importsOf } from "../../core/protobuf/known-imports.ts";
import { type ImportingProto, protoFiles } from "../protobuf/schema.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { SubjectFiles } from "../subjects/subject-files.ts";
import { importedFile, type SchemaPart } from "./schema-part.ts";

/** A .proto file with the files that it imports; just its text if it imports none from the folder. */
export function importingProto(
  files: SubjectFiles,
  file: string,
  text: string,
): { readonly schema: string | ImportingProto; readonly parts: readonly SchemaPart[] } {
  const imports = new Map<string, string>();
  const parts = new Map<string, SchemaPart>();
  const open = [...importsOf(text)];
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    // A missing file is reported when the schema is opened, if anything in it is used.
    const found = imports.has(name) ? undefined : importedFile(files, file, name);
    if (found === undefined || found === file) continue;
    const part = { file: found, text: files.read(found) };
    imports.set(name, part.text);
    parts.set(found, part);
    open.push(...importsOf(part.text));
  }
  const schema = imports.size === 0 ? text : { proto: text, imports: Object.fromEntries(imports) };
  return { schema, parts: Array.from(parts.values()) };
}

/**
 * The .proto files of a version by the names under which they import each other, for the option `protos` of `protobuf`.
 *
 * @throws SobreError `InvalidArgument` for anything but a version of a Protobuf subject.
 */
export function protosOf(version: {
  readonly file: string;
  readonly schema: unknown;
}): Readonly<Record<string, string>> {
  checkOption("version", version, (value) =>
    isObject(value) && typeof value["file"] === "string" ? undefined : "must be a version of a subject",
  );
  const { own, imports } = protoFiles(version.schema, version.file);
  return { ...own, ...imports };
}
