import { isObject } from "../../core/values/plain-object.ts";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { dataContractJson } from "../../../codecs/dotnet/json/data-contract-json.ts";
import type { DotnetContract } from "../../../codecs/dotnet/data-contract/contract.ts";
import { draftContract, isInferred } from "../../migration/dotnet-schemas/draft-contract.ts";
import { parsedJson } from "../../core/values/json.ts";
import { Misuse, orMisuse, unreadable } from "../terminal.ts";

/**
 * Reads contracts of .NET types: a JSON file each, or all `.json` files of a folder and those in it. A schema that
 * `migrate --schema-out` inferred is a draft of one.
 *
 * @throws Misuse for a file that cannot be read or is not a contract in JSON.
 */
export async function readDotnetContracts(paths: readonly string[] = []): Promise<readonly DotnetContract[]> {
  const files = await Promise.all(paths.map(filesOf));
  return Promise.all(files.flat().map(readContract));
}

async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(unreadable(`--contracts: ${path}`));
  if (!found.isDirectory()) return [path];
  const all = await readdir(path, { recursive: true }).catch(unreadable(`--contracts: ${path}`));
  const subjects = new Set(all.filter((name) => basename(name) === "subject.json").map((name) => dirname(name)));
  // In the folder of a subject, only its versions are schemas.
  const isContract = (name: string): boolean =>
    name.endsWith(subjects.has(dirname(name)) ? ".schema.json" : ".json") && !/(?:^|[\\/])node_modules[\\/]/.test(name);
  const names = all.filter(isContract).toSorted();
  if (names.length === 0) throw new Misuse(`--contracts: ${path}: contains no .json file`);
  return names.map((name) => join(path, name));
}

async function readContract(path: string): Promise<DotnetContract> {
  const read = parsedJson(await readFile(path, "utf8").catch(unreadable(`--contracts: ${path}`)));
  if (!isObject(read)) throw new Misuse(`--contracts: ${path}: is not a JSON object`);
  const contract = isInferred(read) ? draftContract(read) : read;
  // A folder has many: the error names the invalid one.
  orMisuse(
    () => dataContractJson({ contract }),
    ({ message }) => `--contracts: ${path}: ${message}`,
  );
  return contract;
}
