import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exportAsyncApi, recordOf } from "../../contract/exchange/asyncapi-export.ts";
import {
  type ImportedDocument,
  type ImportedSubject,
  importAsyncApi,
} from "../../contract/exchange/asyncapi-import.ts";
import { type AsyncApiRecord, parseRecord, recordText } from "../../contract/exchange/asyncapi-record.ts";
import type { ChannelEntity } from "../../contract/exchange/channel-entity.ts";
import { isObject } from "../../contract/json-schema/json-value.ts";
import { yamlText } from "../../contract/sources/yaml.ts";
import { subjectsOfFolder, type Subject } from "../../contract/subjects/subject.ts";
import { parseJson } from "../../contract/sources/exact-json.ts";
import { parseSchemaText } from "../../contract/subjects/subject-files.ts";
import { emulatorConfig } from "../../broker/emulator-config/index.ts";
import { readText } from "./files.ts";
import { writeDraft } from "./init.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** The options of `sobre contract import asyncapi`. */
export interface ImportCommand {
  readonly schemas: string;
  /** The entities, in the format of the emulator. */
  readonly config: string;
  /** The service whose operations they are. Default: by the title of the document. */
  readonly service?: string;
}

/** The options of `sobre contract export asyncapi`. */
export interface ExportCommand {
  readonly schemas: string;
  readonly format: "json" | "yaml";
  /** Default: standard output. */
  readonly out?: string;
  /** The service whose operations are exported. */
  readonly service?: string;
}

const recordName = "asyncapi.json";

/** Writes the subjects, entities and operations of an AsyncAPI document; resolves to the exit code. */
export async function importDocument(
  { schemas, config, file, service }: ImportCommand & { readonly file: string },
  terminal: Terminal,
): Promise<number> {
  const imported = importAsyncApi(parseSchemaText(readText(file), file));
  const title = imported.record.info["title"];
  const own = service ?? (typeof title === "string" ? title.toLowerCase().replaceAll(/[^a-z\d]+/g, "-") : "service");
  const entities = mergedConfig(config, imported.entities, own);
  mkdirSync(schemas, { recursive: true });
  for (const { name, schema, format } of imported.subjects) {
    const written = writeDraft({ subject: name, schema, isProto: format === "protobuf" }, schemas);
    await terminal.out(written === undefined ? `${name}: as it was\n` : `wrote ${written}\n`);
  }
  settle(imported, schemas, own);
  writeFileSync(join(schemas, recordName), recordText(imported.record));
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, entities);
  const { subjects, lost } = imported;
  for (const pointer of lost) await terminal.out(`not carried: ${pointer}\n`);
  await terminal.out(
    `${subjects.length} subjects, ${imported.entities.length} channels in ${config}, ${lost.length} parts that were not carried\n`,
  );
  return contractExitCodes.proven;
}

/** Notes in every subject.json what the service produces and consumes; other services stay. */
function settle({ subjects }: ImportedDocument, schemas: string, service: string): void {
  const released = subjectsOfFolder(schemas);
  for (const subject of subjects) {
    const file = join(schemas, subject.name, "subject.json");
    const settings = existsSync(file) ? parseJson(readFileSync(file, "utf8"), file) : firstSettings(subject);
    const version = released.find(({ name }) => name === subject.name)?.versions.at(-1)?.version;
    if (!isObject(settings) || version === undefined) continue;
    const listed: readonly unknown[] = Array.isArray(settings["inFlight"]) ? settings["inFlight"] : [];
    const others = listed.filter((one) => !isObject(one) || one["service"] !== service);
    const { isProduced, isConsumed } = subject;
    const own = { service, produces: isProduced ? [version] : [], consumes: isConsumed ? [version] : [] };
    const inFlight = isProduced || isConsumed ? [...others, own] : others;
    writeFileSync(file, `${JSON.stringify({ ...settings, inFlight }, undefined, 2)}\n`);
  }
}

/** The record with a message for each subject that it does not have, as a component that no channel carries yet. */
function withOthers(record: AsyncApiRecord, subjects: readonly Subject[]): AsyncApiRecord {
  const known = new Set(Object.values(record.messages).map(({ subject }) => subject));
  const others = recordOf(
    subjects.filter(({ name }) => !known.has(name)),
    undefined,
  );
  return { ...record, messages: { ...others.messages, ...record.messages } };
}

function firstSettings({ format, contentType = "" }: ImportedSubject): object {
  const codec = format === "protobuf" ? "protobuf" : contentType.includes("msgpack") ? "msgpack" : "json";
  return { owner: "", codecs: [codec], policy: { direction: "backward" }, inFlight: [] };
}

/** The configuration with the entities that it lacks. @throws SobreError `InvalidArgument` for a file that is not one. */
function mergedConfig(file: string, entities: readonly ChannelEntity[], service: string): string {
  const before = existsSync(file) ? readText(file) : '{"UserConfig":{"Namespaces":[{"Name":"sbemulatorns"}]}}';
  emulatorConfig(before);
  const config = parseJson(before, file);
  const user = objectAt(config, "UserConfig");
  const namespaces: readonly unknown[] = Array.isArray(user["Namespaces"]) ? user["Namespaces"] : [];
  const namespace = isObject(namespaces[0]) ? namespaces[0] : {};
  const listed = (kind: string): readonly unknown[] => {
    const value = namespace[kind];
    return Array.isArray(value) ? value : [];
  };
  const known = new Set([...listed("Queues"), ...listed("Topics")].map((one) => isObject(one) && one["Name"]));
  const added = Array.from(new Map(entities.map((one) => [one.name, one])).values()).filter(
    ({ name }) => !known.has(name),
  );
  const of = (kind: ChannelEntity["kind"]): readonly object[] =>
    added
      .filter((one) => one.kind === kind)
      .map(({ name }) => ({ Name: name, ...(kind === "topic" ? { Subscriptions: [{ Name: service }] } : {}) }));
  const merged = {
    ...namespace,
    Queues: [...listed("Queues"), ...of("queue")],
    Topics: [...listed("Topics"), ...of("topic")],
  };
  const text = `${JSON.stringify({ ...objectAt(config), UserConfig: { ...user, Namespaces: [merged] } }, undefined, 2)}\n`;
  emulatorConfig(text);
  return text;
}

function objectAt(value: unknown, name?: string): Readonly<Record<string, unknown>> {
  const inner: unknown = name === undefined || !isObject(value) ? value : value[name];
  return isObject(inner) ? inner : {};
}

/** Writes the subjects of a folder as an AsyncAPI document; resolves to the exit code. */
export async function exportDocument(
  { schemas, format, out, service }: ExportCommand,
  terminal: Terminal,
): Promise<number> {
  const subjects: readonly Subject[] = subjectsOfFolder(schemas);
  const file = join(schemas, recordName);
  if (subjects.length === 0) throw new Misuse(`${schemas} has no subject`);
  const record = existsSync(file) ? withOthers(parseRecord(readText(file)), subjects) : recordOf(subjects, service);
  for (const { versions } of subjects) {
    const newest = versions.at(-1);
    if (newest?.format === "protobuf" && newest.parts.length > 0)
      terminal.err(
        `sobre: ${newest.file} imports ${newest.parts.map((part) => part.file).join(", ")}, which is not exported\n`,
      );
  }
  const document = exportAsyncApi(subjects, record);
  const text = format === "yaml" ? yamlText(document) : `${JSON.stringify(document, undefined, 2)}\n`;
  if (out === undefined) await terminal.out(text);
  else writeFileSync(out, text);
  return contractExitCodes.proven;
}
