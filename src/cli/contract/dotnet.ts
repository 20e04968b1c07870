import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import { contractFromSources, UnknownType } from "../../migration/csharp/contract-from-sources.ts";
import type { SourceProblem } from "../../migration/csharp/source-problem.ts";
import { contractFromSchemas } from "../../migration/dotnet-schemas/contract-from-schemas.ts";
import { draftContract, isInferred } from "../../migration/dotnet-schemas/draft-contract.ts";
import { readSchema, type XmlSchemaDocument } from "../../migration/dotnet-schemas/schema-document.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { markedCharset } from "../../core/content-type/charset.ts";
import { parsedJson } from "../../core/values/json.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { counted, oneLine } from "../display.ts";
import { exitCodes, Misuse, type Terminal, unreadable } from "../terminal.ts";

/** The arguments of `sobre contract dotnet`. */
export interface DotnetCommand {
  readonly sources: readonly string[];
  readonly type?: string;
  readonly define?: readonly string[];
  readonly out?: string;
}

/** Larger files are refused. */
const maxBytes = 16 * 1024 * 1024;
const maxFiles = 50_000;

/** A contract that was made, and what it lacks. */
interface Made {
  readonly contract: DotnetContract;
  readonly types: number;
  readonly problems: readonly SourceProblem[];
  readonly isDraft?: boolean;
}

/** Writes the contract of C# sources, XML schemas or an inferred schema; resolves to the exit code. */
export async function writeDotnetContract(command: DotnetCommand, terminal: Terminal): Promise<number> {
  const { contract, types, problems, isDraft = false } = await make(command);
  if (types === 0 && command.type === undefined)
    throw new Misuse("no type is marked for a serializer; name one with --type");
  const text = `${JSON.stringify(contract, undefined, 2)}\n`;
  if (command.out === undefined) await terminal.out(text);
  else await writeFile(command.out, text).catch(unreadable(`--out: ${command.out}`));
  for (const { file, line, message } of problems) terminal.err(`sobre: ${oneLine(`${file}:${line}: ${message}`)}\n`);
  const where = command.out === undefined ? "" : ` in ${command.out}`;
  const rest =
    problems.length === 0
      ? ""
      : `; read by form, since a contract cannot express it: ${counted(problems.length, "place")} above`;
  const draft = isDraft ? "; a draft from samples: check numbers, enumerations, and the names of nested types" : "";
  terminal.err(`${oneLine(`${counted(types, "type")}${where}${rest}${draft}`)}\n`);
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function make({ sources, type, define = [] }: DotnetCommand): Promise<Made> {
  const files = (await Promise.all(sources.map(filesOf))).flat();
  if (files.length > maxFiles) throw new Misuse(`more than ${maxFiles} files; name a folder with fewer`);
  const ends = (ending: RegExp): readonly string[] => files.filter((file) => ending.test(file));
  const [csharp, schemas, inferred] = [ends(/\.cs$/i), ends(/\.xsd$/i), ends(/\.json$/i)];
  const kinds = [csharp, schemas, inferred].filter((own) => own.length > 0);
  if (kinds.length > 1) {
    const examples = kinds.map(([one]) => one).join(", ");
    throw new Misuse(`${examples}: a contract is made of one kind of source; run it once for each`);
  }
  if (csharp.length > 0) return fromSources(csharp, { type, define });
  if (schemas.length > 0) return fromSchemas(schemas, type);
  if (inferred.length === 1) return fromSamples(inferred[0] ?? "", type);
  if (inferred.length > 1) throw new Misuse("a draft is made of one inferred schema; name its file");
  throw new Misuse(`${sources.join(", ")}: no C# sources, XML schemas or inferred schemas (.cs, .xsd, .json)`);
}

/** The files of a folder and its subfolders, except what compilers write. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(unreadable(path));
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(unreadable(path));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const isSource = (file: string): boolean =>
    !/(?:^|[\\/])(?:bin|obj|node_modules|\.[^\\/]*)[\\/]/.test(relative(path, file));
  const sources = files.filter(isSource).toSorted();
  const kinds = [/\.cs$/i, /\.xsd$/i, /\.schema\.json$/i].map((kind) => sources.filter((file) => kind.test(file)));
  return kinds.find((own) => own.length > 0) ?? [];
}

async function readSource(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch(unreadable(path));
  if (bytes.byteLength > maxBytes) throw new Misuse(`${path}: is larger than 16 MiB`);
  return bytes;
}

async function fromSources(
  paths: readonly string[],
  { type, define }: { readonly type: string | undefined; readonly define: readonly string[] },
): Promise<Made> {
  const files = await Promise.all(paths.map(async (path) => ({ path, text: textOfSource(await readSource(path)) })));
  try {
    return contractFromSources(files, { type, symbols: define });
  } catch (error) {
    if (error instanceof UnknownType) throw new Misuse(`--type: ${error.message}`);
    throw error;
  }
}

/** Visual Studio writes UTF-8, and UTF-16 on request; like the compiler, this takes other bytes for Windows-1252. */
function textOfSource(bytes: Uint8Array): string {
  const charset = markedCharset(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
  return new TextDecoder(charset).decode(bytes);
}

async function fromSchemas(paths: readonly string[], type: string | undefined): Promise<Made> {
  const documents = await Promise.all(
    paths.map(async (path): Promise<XmlSchemaDocument> => {
      const bytes = await readSource(path);
      try {
        return readSchema(path, bytes);
      } catch (error) {
        if (error instanceof SobreError) throw new Misuse(`${path}: ${error.message}`);
        throw error;
      }
    }),
  );
  const made = contractFromSchemas(documents, type);
  if (typeof made === "string") throw new Misuse(`--type: ${made}`);
  return made;
}

async function fromSamples(path: string, type: string | undefined): Promise<Made> {
  const schema = parsedJson(textOfSource(await readSource(path)));
  if (!isObject(schema) || !isInferred(schema))
    throw new Misuse(`${path}: is not a schema that sobre migrate --schema-out inferred`);
  if (type !== undefined)
    throw new Misuse("--type applies to C# sources and XML schemas; the draft has the type of its samples");
  const contract = draftContract(schema);
  const { $defs } = contract;
  return { contract, types: isObject($defs) ? Object.keys($defs).length : 1, problems: [], isDraft: true };
}
