import { checkOptions, type OptionChecks, checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, relative } from "node:path";
import { defaultDecodeLimits } from "../../core/codec/limits.ts";
import { createEnvelope } from "../../core/envelope/envelope.ts";
import { invalidInput } from "../../core/errors/invalid-input.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { capturedMessage, openWholeMessage } from "./captured-message.ts";
import { reasonOf } from "./file-reason.ts";
import type { MigrationSource, SourceContent, SourceMessage } from "./source.ts";

/** Options of {@link createFolderSource}. */
export interface FolderSourceOptions {
  /** The content type that the senders declared. Default: none. */
  readonly contentType?: string | undefined;
  /** A pattern of file names, with `*` and `?`. Default: all files whose name does not begin with a dot. */
  readonly include?: string | undefined;
}

/** The options of {@link createFolderSource}. */
export const folderOptionChecks: OptionChecks<FolderSourceOptions> = { contentType: is.text, include: is.text };

/**
 * Payload files as a source: one file, or every file of a folder and its subfolders in name order. A file whose name
 * ends with `.envelope.json` contains an envelope in its JSON form; a payload that is a whole AMQP message is unwrapped.
 *
 * @throws SobreError `InvalidArgument` when there is no file or folder at the path, and when `include` is given for a single file.
 */
export function createFolderSource(path: string, options: FolderSourceOptions = {}): MigrationSource {
  checkOption("path", path, is.text);
  checkOptions(options, folderOptionChecks);
  const files = filesOf(path, options.include);
  return {
    name: path,
    size: files.length,
    async *messages(): AsyncGenerator<SourceMessage> {
      for (const [index, file] of files.entries()) {
        yield {
          id: relative(path, file) || file,
          order: BigInt(index),
          content: await readPayload(file, options.contentType),
          done: index + 1,
        };
      }
    },
  };
}

/** Suffix of files that contain one envelope, e.g. in a quarantine. */
export const envelopeSuffix = ".envelope.json";

function filesOf(path: string, include: string | undefined): readonly string[] {
  const wanted = include === undefined ? undefined : wildcard(include);
  try {
    if (!statSync(path).isDirectory()) {
      if (wanted !== undefined)
        throw new SobreError("InvalidArgument", `${path} is a file, but file names can only select from a folder.`);
      return [path];
    }
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && (wanted?.test(entry.name) ?? true))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch (error) {
    throw invalidInput(`${path} cannot be read`, error, reasonOf(error));
  }
}

function wildcard(pattern: string): RegExp {
  const parts = Array.from(pattern, (character) =>
    character === "*" ? ".*" : character === "?" ? "." : character.replace(/[\\^$.|+()[\]{}]/, String.raw`\$&`),
  );
  return new RegExp(`^${parts.join("")}$`, "s");
}

async function readPayload(path: string, contentType: string | undefined): Promise<SourceContent> {
  try {
    const payload = await readFile(path);
    if (path.endsWith(envelopeSuffix)) return capturedMessage(payload);
    return {
      ok: true,
      envelope: openWholeMessage(createEnvelope({ payload, brokerProperties: { contentType } })),
    };
  } catch (error) {
    const own = error instanceof SobreError ? error : undefined;
    const message = `The file cannot be read: ${reasonOf(error)}.`;
    return {
      ok: false,
      error: own ?? new SobreError("PayloadNotFound", message, { cause: error }),
      bytes: new Uint8Array(0),
    };
  }
}

/** Reads a file within the decoders' size limit; a larger one is refused before it fills the memory. */
async function readFile(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > defaultDecodeLimits.maxBytes) {
      throw new SobreError(
        "LimitExceeded",
        `The file has ${size} bytes, and a payload at most ${defaultDecodeLimits.maxBytes}.`,
      );
    }
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}
