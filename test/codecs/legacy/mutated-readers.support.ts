import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import type { Decoder } from "../../../src/codec/index.ts";
import { bytesOf, keptPayloads } from "./reading.support.ts";

/** A reader of legacy payloads, and what is mutated for it. */
export interface MutatedReader {
  readonly decoder: Decoder;
  readonly seeds: readonly Uint8Array[];
}

const readers: Readonly<Record<string, () => MutatedReader>> = {
  nbfx: () => ({ decoder: nbfx(), seeds: dotnetFiles("nbfx-*.bin") }),
  "datacontract-xml": () => ({ decoder: dataContractXml(), seeds: dotnetFiles("xml-dcs-*.bin") }),
  xmlserializer: () => ({ decoder: dataContractXml(), seeds: dotnetFiles("xml-xs-*.bin") }),
  "datacontract-json": () => ({ decoder: dataContractJson(), seeds: dotnetFiles("json-*.bin") }),
  nrbf: () => ({ decoder: nrbf(), seeds: kept("nrbf") }),
  java: () => ({ decoder: java(), seeds: kept("java") }),
};

/** The names of the readers. */
export const mutatedReaders: readonly string[] = Object.keys(readers);

/** The reader of a name. @throws Error when there is none, or nothing to mutate. */
export function mutatedReader(name: string): MutatedReader {
  const reader = readers[name]?.();
  if (reader === undefined || reader.seeds.length < 5) throw new Error(`There is nothing to mutate for ${name}.`);
  return reader;
}

/** Larger ones make the proof long and hold nothing else. */
const largest = 1500;

function dotnetFiles(pattern: string): readonly Uint8Array[] {
  const folder = fileURLToPath(new URL("../../../fixtures/legacy/dotnet/", import.meta.url));
  const files = globSync(pattern, { cwd: folder }).toSorted();
  return files.map((file) => new Uint8Array(readFileSync(`${folder}${file}`))).filter(({ length }) => length < largest);
}

function kept(family: "java" | "nrbf"): readonly Uint8Array[] {
  return keptPayloads(family)
    .map(bytesOf)
    .filter(({ length }) => length < largest);
}
