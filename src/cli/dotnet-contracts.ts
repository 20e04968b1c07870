import { isObject } from "../values/plain-object.ts";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { dataContractJson } from "../../codecs/dotnet/json/data-contract-json.ts";
import type { DotnetContract } from "../../codecs/dotnet/data-contract/contract.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { fileProblem, Misuse } from "./misuse.ts";

/**
 * Reads contracts of .NET types: a JSON file each, or all `.json` files of a folder.
 *
 * @throws Misuse for a file that cannot be read or is not a contract in JSON.
 */
export async function readDotnetContracts(paths: readonly string[] = []): Promise<readonly DotnetContract[]> {
  const files = await Promise.all(paths.map(filesOf));
  return Promise.all(files.flat().map(readContract));
}

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => name.endsWith(".json")).toSorted();
    if (names.length > 0) return names.map((name) => join(path, name));
  } catch (error) {
    throw new Misuse(`--contracts: ${fileProblem(path, error)}`);
  }
  throw new Misuse(`--contracts: ${path}: holds no .json file`);
}

async function readContract(path: string): Promise<DotnetContract> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Misuse(`--contracts: ${fileProblem(path, error)}`);
  }
  const contract = parsed(text);
  if (!isContract(contract)) throw new Misuse(`--contracts: ${path}: is not a JSON object`);
  try {
    // A folder holds many: the one that is not understood has to be named.
    dataContractJson({ contract });
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    throw new Misuse(`--contracts: ${path}: ${error.message.replace("The contract at ", "")}`);
  }
  return contract;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isContract(value: unknown): value is DotnetContract {
  return isObject(value);
}
