import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import type { Decoder } from "../../../src/core/codec/index.ts";
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
  "shapes in XML": () => ({ decoder: dataContractXml(), seeds: shapes("dcs", "ndcs", "xs") }),
  "shapes in nbfx": () => ({ decoder: nbfx(), seeds: shapes("nbfx") }),
  "messages of WCF": () => ({ decoder: nbfx({ unwrapBytes: true }), seeds: wcf(/^(?!bytes)/) }),
  "byte arrays in nbfx": () => ({ decoder: nbfx({ unwrapBytes: true }), seeds: wcf(/^bytes(?!.*text XML)/) }),
  "byte arrays in XML": () => ({ decoder: dataContractXml({ unwrapBytes: true }), seeds: wcf(/text XML$/) }),
  "shapes in nrbf": () => ({ decoder: nrbf({ timeZone: "UTC" }), seeds: shapes("nrbf") }),
  "shapes in java": () => ({ decoder: java({ timeZone: "UTC" }), seeds: shapes("java") }),
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

/** Larger ones are DataSets with their schema. */
const largestShape = 4000;

function shapes(...families: readonly string[]): readonly Uint8Array[] {
  const file = new URL("../../../fixtures/legacy/shapes/shapes.json", import.meta.url);
  const { payloads }: { readonly payloads: readonly { readonly family: string; readonly base64: string }[] } =
    JSON.parse(readFileSync(file, "utf8"));
  return payloads
    .filter(({ family }) => families.includes(family))
    .map(({ base64 }) => new Uint8Array(Buffer.from(base64, "base64")))
    .filter(({ length }) => length < largestShape);
}

function wcf(name: RegExp): readonly Uint8Array[] {
  const lines = readFileSync(new URL("../../../fixtures/legacy/wcf/wcf.ndjson", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines
    .map((line): { readonly name: string; readonly base64: string } => JSON.parse(line))
    .filter((one) => name.test(one.name))
    .map(({ base64 }) => new Uint8Array(Buffer.from(base64, "base64")));
}
