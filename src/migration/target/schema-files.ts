import { notWritten } from "../read/file-reason.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonSchemaOf } from "./json-schema.ts";
import { planProto } from "./proto-plan.ts";
import { settleShape } from "../infer/settled-shape.ts";
import { SubjectNames } from "./subject-name.ts";
import type { MigrationTarget } from "./target.ts";
import { typeScriptOf } from "./type-script.ts";
import type { TypeProfile } from "../infer/type-profile.ts";

/** A file of generated schemas. */
export interface SchemaFile {
  /** Path under the folder of subjects. */
  readonly path: string;
  readonly text: string;
}

/**
 * The schemas of all types in the layout of contract subjects: `Order/0.0.schema.json` (or `0.0.proto` for Protobuf) is
 * version 0 of the subject; the same type as TypeScript and in the other schema language is next to it.
 */
export function schemaFiles(profiles: readonly TypeProfile[], target: MigrationTarget): readonly SchemaFile[] {
  const names = new SubjectNames();
  return profiles.flatMap(({ name, root }) => {
    const subject = names.take(name);
    const shape = settleShape(root);
    const schema = `${JSON.stringify(jsonSchemaOf(subject, name, shape, target.rules), undefined, 2)}\n`;
    const proto = planProto(name, shape, target.rules).text;
    const isProto = target.format === "protobuf";
    const settings = {
      owner: "",
      codecs: [target.codec === "tagged-json" ? "json" : target.codec],
      policy: { direction: "backward", contentModel: "declared-writer" },
      inFlight: [],
    };
    return [
      // In the folder of a subject, only versions may have names of schema files.
      { path: join(subject, isProto ? `${subject}.json` : "0.0.schema.json"), text: schema },
      { path: join(subject, isProto ? "0.0.proto" : `${subject}.proto.txt`), text: proto },
      { path: join(subject, `${subject}.ts`), text: typeScriptOf(subject, name, shape, target.rules) },
      { path: join(subject, "subject.json"), text: `${JSON.stringify(settings, undefined, 2)}\n` },
    ];
  });
}

const schemaFileCheck = is.having("a file", { path: is.name, text: is.text });

/**
 * Writes {@link schemaFiles} into a folder, creating it if necessary.
 *
 * @throws SobreError `InvalidArgument` for a file that cannot be written.
 */
export function writeSchemaFiles(folder: string, files: readonly SchemaFile[]): void {
  checkOption("folder", folder, is.name);
  checkOption("files", files, is.listOf("files with a path and a text", schemaFileCheck));
  for (const { path, text } of files) {
    try {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    } catch (error) {
      throw notWritten(join(folder, path), error);
    }
  }
}
