import { posix } from "node:path";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { parseSchemaText, type SubjectFiles } from "../subjects/subject-files.ts";
import { JsonSchemaFile } from "./schema-file.ts";
import { ownFolders } from "./schema-part.ts";

/** Finds the files of schemas that versions refer to. */
export class FileIndex {
  readonly files: SubjectFiles;
  #ids: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(files: SubjectFiles) {
    this.files = files;
  }

  open(file: string): JsonSchemaFile {
    return new JsonSchemaFile(file, parseSchemaText(this.textOf(file), file));
  }

  textOf(file: string): string {
    return this.files.read(file);
  }

  /** @throws SobreError `InvalidArgument` when several files have that identifier. */
  byId(id: string, version: string): string | undefined {
    this.#ids ??= this.#identifiers();
    const found = this.#ids.get(id) ?? [];
    const [own] = ownFolders(version);
    const nearest = found.filter((file) => file.startsWith(`${own}/`));
    const [first, second] = nearest.length === 0 ? found : nearest;
    if (second === undefined) return first;
    throw new SobreError(
      "InvalidArgument",
      `${version}: ${first ?? ""} and ${second} both have the identifier ${JSON.stringify(id)}. Refer to one by its path.`,
    );
  }

  /**
   * The file at a relative path: from the file that refers to it, or from the folder of what the version alone refers to.
   *
   * @throws SobreError `InvalidArgument` for a path that leads out of the folder.
   */
  byPath(from: string, reference: string, version: string): string | undefined {
    const [path = ""] = reference.split(/[?#]/);
    if (path === "" || /^[a-z][\w+.-]*:/i.test(path) || path.startsWith("//")) return undefined;
    const plain = decoded(path);
    const listed = this.files.list();
    const [own] = ownFolders(version);
    const candidates = [posix.join(posix.dirname(from), plain), posix.join(own, plain)];
    if (posix.isAbsolute(plain) || plain.includes("\\") || candidates[0]?.startsWith("../") === true)
      throw new SobreError(
        "InvalidArgument",
        `${from}: the reference ${JSON.stringify(reference)} leads outside the folder of subjects.`,
      );
    return candidates.find((file) => listed.includes(file));
  }

  #identifiers(): ReadonlyMap<string, readonly string[]> {
    const ids = new Map<string, string[]>();
    for (const file of this.files.list()) {
      if (!/\.(?:json|ya?ml)$/.test(file)) continue;
      const id = identifierOf(this.textOf(file), file);
      if (id !== undefined) ids.set(id, [...(ids.get(id) ?? []), file]);
    }
    return ids;
  }
}

/** The identifier of a file; none if it is unreadable, which is reported where the file is a version. */
function identifierOf(text: string, file: string): string | undefined {
  try {
    const schema = parseSchemaText(text, file);
    return isObject(schema) ? new JsonSchemaFile(file, schema).absoluteId : undefined;
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
