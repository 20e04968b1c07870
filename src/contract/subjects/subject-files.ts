import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { parseExactJson } from "../sources/exact-json.ts";
import { parseYaml } from "../sources/yaml.ts";

/** Gives the text of a file under the folder of subjects, and lists such files. */
export interface SubjectFiles {
  list(): readonly string[];
  read(file: string): string;
}

/** The files of a folder. @throws SobreError `InvalidArgument` when there is no such folder. */
export function folderFiles(folder: string): SubjectFiles {
  return {
    list() {
      try {
        return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
      } catch (error) {
        throw new SobreError("InvalidArgument", `Cannot read the folder of subjects ${folder}.`, { cause: error });
      }
    },
    read: (file) => textOfFile(bytesInside(folder, file), file),
  };
}

/**
 * The text of a file without the byte order mark with which some editors begin it.
 *
 * @throws SobreError `InvalidArgument` when it is not UTF-8: with its invalid bytes replaced it could equal another schema.
 */
export function textOfFile(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${file} is not valid UTF-8. Save it as UTF-8.`, { cause: error });
  }
}

/** The bytes of a file, which must be in the folder after links are followed. */
function bytesInside(folder: string, file: string): Uint8Array {
  try {
    const path = realpathSync(join(folder, file));
    if (path.startsWith(join(realpathSync(folder), sep))) return readFileSync(path);
  } catch (error) {
    throw new SobreError("InvalidArgument", `Cannot read ${file} in the folder of subjects.`, { cause: error });
  }
  throw new SobreError("InvalidArgument", `${file} is a link that leads outside the folder of subjects.`);
}

/** Files that are listed and read once. */
export function readOnce(files: SubjectFiles): SubjectFiles {
  let listed: readonly string[] | undefined;
  const texts = new Map<string, string>();
  return {
    list: () => (listed ??= files.list()),
    read(file) {
      const text = texts.get(file) ?? files.read(file);
      texts.set(file, text);
      return text;
    },
  };
}

/** The schema of a JSON or YAML file, by its name. @throws SobreError `InvalidArgument` when it is not one, or a number would be rounded. */
export function parseSchemaText(text: string, file: string): unknown {
  return /\.ya?ml$/i.test(file) ? parseYaml(text, file) : parseExactJson(text, file);
}
