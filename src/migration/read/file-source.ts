import { statSync } from "node:fs";
import { invalidInput } from "../../core/errors/invalid-input.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import {
  checkOptions,
  oneOf,
  type OptionChecks,
  checkOption,
  text as isText,
} from "../../core/options/option-checks.ts";
import { createCaptureSource, headOf } from "./capture-source.ts";
import { reasonOf } from "./file-reason.ts";
import { createFolderSource, folderOptionChecks, type FolderSourceOptions } from "./folder-source.ts";
import type { MigrationSource } from "./source.ts";

/** The contents of a file or folder: payloads, one per file, or captured messages with their properties. */
export type InputFormat = "payloads" | "captures";

/** Options of {@link createFileSource}. */
export interface FileSourceOptions extends FolderSourceOptions {
  /** Default: captures for a file that is JSON by its name or first character, otherwise payloads. */
  readonly input?: InputFormat | undefined;
}

/**
 * The source at a path: a folder of payload files, a file of captured messages, or one payload file.
 *
 * @throws SobreError `InvalidArgument` when it cannot be read, and for options that do not apply to it.
 */
export async function createFileSource(path: string, options: FileSourceOptions = {}): Promise<MigrationSource> {
  checkOptions(options, optionChecks);
  checkOption("path", path, isText);
  const { input = await inputOf(path), ...forFolder } = options;
  if (input === "payloads") return createFolderSource(path, forFolder);
  // Options that would otherwise be silently ignored.
  if (options.include !== undefined)
    throw misplaced(`${path} holds captured messages; file names select payloads only`);
  if (options.contentType !== undefined) {
    throw misplaced(
      `${path} holds captured messages, which each have their own content type; a content type can be given for payload files only`,
    );
  }
  return createCaptureSource(path);
}

const optionChecks: OptionChecks<FileSourceOptions> = {
  ...folderOptionChecks,
  input: oneOf("payloads", "captures"),
};

function misplaced(why: string): SobreError {
  return new SobreError("InvalidArgument", `${why}.`);
}

async function inputOf(path: string): Promise<InputFormat> {
  try {
    if (statSync(path).isDirectory()) return "payloads";
    if (/\.(?:ndjson|jsonl)$/i.test(path)) return "captures";
    const [first = ""] = new TextDecoder().decode(await headOf(path)).trimStart();
    return first === "{" || first === "[" ? "captures" : "payloads";
  } catch (error) {
    throw invalidInput(`${path} cannot be read`, error, reasonOf(error));
  }
}
