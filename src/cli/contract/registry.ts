import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  directionOf,
  filesOfRegistered,
  pairsWithRegistered,
  versionOfRegistered,
} from "../../contract/exchange/registered-versions.ts";
import { type RegisteredSchema, SchemaRegistry } from "../../contract/exchange/schema-registry.ts";
import type { CheckedPair } from "../../contract/subjects/checked-pair.ts";
import type { VersionPair } from "../../contract/subjects/subject-pairs.ts";
import type { Subject } from "../../contract/subjects/subject.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** A pair, with the label of the registry that has its older version. */
export type LabelledPair = VersionPair & Pick<CheckedPair, "registry">;

/** The options of `sobre contract fetch`. */
export interface FetchCommand {
  readonly schemas: string;
  /** The URL of the registry. */
  readonly registry: string;
  /** Only the schema with this id. */
  readonly id?: number;
}

function registryAt(url: string): SchemaRegistry {
  return new SchemaRegistry({ url, credentials: process.env["SOBRE_REGISTRY_AUTH"] });
}

/** The pairs of the newest version of each subject with those of a registry, by its modes. @throws Misuse when it has none. */
export async function registeredPairs(
  url: string,
  subjects: readonly Subject[],
  terminal: Terminal,
): Promise<readonly LabelledPair[]> {
  const registry = registryAt(url);
  const known = new Set(await registry.subjects());
  const shared = subjects.filter(({ name }) => known.has(name));
  for (const { name } of subjects)
    if (!known.has(name)) terminal.err(`sobre: ${name} is not a subject of ${registry.shown}\n`);
  if (shared.length === 0) throw new Misuse(`${registry.shown} has no subject of the name of one here`);
  const pairs: LabelledPair[] = [];
  for (const subject of shared) {
    const mode = await registry.mode(subject.name);
    if (mode === "NONE") terminal.err(`sobre: ${subject.name} has the mode NONE, so nothing of it is compared\n`);
    const versions = await Array.fromAsync(await registry.versions(subject.name), async (number) => {
      const one = await registry.schema(subject.name, number);
      return { one, version: versionOfRegistered(one) };
    });
    for (const pair of pairsWithRegistered(
      subject,
      versions.map(({ version }) => version),
      mode,
    )) {
      const older = versions.find(({ version }) => version === pair.older)?.one;
      const isCompatible = older === undefined ? undefined : await saidOf(registry, older, pair.newer);
      pairs.push({ ...pair, registry: { mode, isCompatible } });
    }
  }
  return pairs;
}

/** Several files are sent as one schema; a .proto file has no form for that. */
async function saidOf(
  registry: SchemaRegistry,
  older: RegisteredSchema,
  { format, schema, text, parts }: VersionPair["newer"],
): Promise<boolean | undefined> {
  if (format === "protobuf" && parts.length > 0) return undefined;
  return registry.isCompatible(older, { format, text: format === "protobuf" ? text : JSON.stringify(schema) });
}

/** Writes the versions of a registry that are not there yet; resolves to the exit code. */
export async function fetchVersions(
  { schemas, registry: url, id, names }: FetchCommand & { readonly names: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  const registry = registryAt(url);
  const wanted = id === undefined ? undefined : await registry.byId(id);
  const subjects = names.length > 0 ? names : (wanted?.map(({ subject }) => subject) ?? (await registry.subjects()));
  let written = 0;
  let changed = 0;
  for (const subject of new Set(subjects)) {
    const versions = wanted === undefined ? await registry.versions(subject) : versionsFor(wanted, subject);
    const registered = await Array.fromAsync(versions, (version) => registry.schema(subject, version));
    for (const one of registered) {
      // A schema that cannot be read is not written.
      versionOfRegistered(one);
      for (const [file, text] of filesOfRegistered(one)) {
        const path = join(schemas, file);
        if (existsSync(path) && readFileSync(path, "utf8") !== text) {
          changed++;
          terminal.err(`sobre: ${path} differs from the registry, and stays as it is\n`);
        }
        if (existsSync(path)) continue;
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text, { flag: "wx" });
        written++;
        await terminal.out(`wrote ${path}\n`);
      }
    }
    await settle(join(schemas, subject, "subject.json"), registry, registered);
  }
  await terminal.out(`${written} files of ${new Set(subjects).size} subjects from ${registry.shown}\n`);
  if (subjects.length === 0) return contractExitCodes.misuse;
  return changed === 0 ? contractExitCodes.proven : contractExitCodes.breaking;
}

function versionsFor(
  wanted: readonly { readonly subject: string; readonly version: number }[],
  subject: string,
): readonly number[] {
  const versions = wanted.filter((one) => one.subject === subject).map(({ version }) => version);
  if (versions.length > 0) return versions;
  throw new SobreError("InvalidArgument", `The schema of --id is not one of ${subject}.`);
}

/** Writes the settings of a subject that has none: the direction that the registry's mode means. */
async function settle(file: string, registry: SchemaRegistry, [first]: readonly RegisteredSchema[]): Promise<void> {
  if (first === undefined || existsSync(file)) return;
  const direction = directionOf(await registry.mode(first.subject)) ?? "backward";
  const codecs = [first.format === "protobuf" ? "protobuf" : "json"];
  writeFileSync(file, `${JSON.stringify({ owner: "", codecs, policy: { direction }, inFlight: [] }, undefined, 2)}\n`);
}
