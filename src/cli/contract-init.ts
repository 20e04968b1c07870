import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { isObject } from "../contract/json-schema/json-value.ts";
import { SchemaDocument } from "../contract/json-schema/schema-document.ts";
import { openProtobufSchema } from "../contract/protobuf/schema.ts";
import { inferredSchema } from "../contract/subjects/inferred-schema.ts";
import { formatLock, parseLock } from "../contract/subjects/lock.ts";
import { isMessageType, jsonSchemaOf, schemaVendor } from "../contract/subjects/schema-source.ts";
import { folderFiles, readSubjects, type Subject } from "../contract/subjects/subject.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { metaSchema } from "../json-schema/ajv.ts";
import { commandSerializer } from "./codecs.ts";
import { contractExitCodes, parseSchema, readText } from "./contract-check.ts";
import { importModule } from "./contract-upcasters.ts";
import { envelopeLines } from "./envelope-lines.ts";
import { Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** Options of `sobre contract init`. */
export interface InitCommand {
  readonly schemas: string;
  /**
   * A module that exports schemas of Standard Schema, JSON Schemas, or message types of `defineMessage`; or a file of one
   * JSON Schema or of Protobuf.
   */
  readonly from: string | undefined;
  /** The export of the module. Default: the default one, or else every one that is a schema. */
  readonly export: string | undefined;
  /** Captured messages: envelopes in their JSON form, one a line. */
  readonly messages: string | undefined;
  /** Name of the subject. Default: what the message says, the export, or the file. */
  readonly subject: string | undefined;
}

/** A schema that a source has, for the next version of a subject. */
interface Draft {
  readonly subject: string;
  /** Whether readers see what an upcaster makes of older majors. */
  readonly isUpcast?: boolean;
  /** Default: the subject's latest, or 1. */
  readonly major?: number;
  /** A JSON Schema, or the text of a .proto file. */
  readonly schema: unknown;
  readonly isProto?: boolean;
}

/** Writes versions from a source, the settings of every subject, and the lock; resolves to the exit code. */
export async function initContracts(command: InitCommand, terminal: Terminal): Promise<number> {
  const { schemas, from, messages } = command;
  try {
    if (command.export !== undefined && (from === undefined || isSchemaFile(from)))
      throw new Misuse("--export names an export of the module --from");
    if (command.subject !== undefined && from === undefined && messages === undefined)
      throw new Misuse("--subject names what --from or --messages gives, and neither is given");
    const drafts = [
      ...(from === undefined
        ? []
        : isSchemaFile(from)
          ? [draftOfFile(from, command)]
          : await draftsOfModule(from, command)),
      ...(messages === undefined ? [] : await draftsOfMessages(messages, command)),
    ];
    if (drafts.length > 0) mkdirSync(schemas, { recursive: true });
    for (const draft of drafts) {
      const file = writeDraft(draft, schemas);
      await terminal.out(file === undefined ? `${draft.subject}: as it was\n` : `wrote ${file}\n`);
    }
    const upcast = new Set(drafts.flatMap(({ subject, isUpcast }) => (isUpcast === true ? [subject] : [])));
    return await settle(schemas, upcast, terminal);
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${error.message}\n`);
    return contractExitCodes.unreadable;
  }
}

/** Settings and lock of all that is there now. */
async function settle(schemas: string, upcast: ReadonlySet<string>, terminal: Terminal): Promise<number> {
  const subjects = readSubjects(folderFiles(schemas));
  let written = 0;
  for (const { name, versions } of subjects) {
    const file = join(schemas, name, "subject.json");
    if (existsSync(file)) continue;
    const settings = {
      owner: "",
      codecs: [versions[0]?.format === "protobuf" ? "protobuf" : "json"],
      policy: { direction: "backward", contentModel: upcast.has(name) ? "upcast" : "declared-writer" },
      inFlight: [],
    };
    writeFileSync(file, `${JSON.stringify(settings, undefined, 2)}\n`);
    written++;
  }
  const lockFile = join(schemas, "lock.json");
  const before = existsSync(lockFile) ? parseLock(readFileSync(lockFile, "utf8")) : {};
  writeFileSync(lockFile, formatLock(subjects, before));
  await terminal.out(`${subjects.length} subjects: wrote ${written} subject.json and ${lockFile}\n`);
  return subjects.length === 0 ? contractExitCodes.misuse : contractExitCodes.proven;
}

/** A version is written unless the latest of its major says the same; what is there is never written over. */
function writeDraft({ subject, major, schema, isProto = false }: Draft, schemas: string): string | undefined {
  // Names come with messages, from whoever sent them.
  if (!/^[\w-][\w.-]*$/.test(subject)) throw new Misuse(`a subject cannot be named ${subject}; name it with --subject`);
  const own: Subject | undefined = existsSync(schemas)
    ? readSubjects(folderFiles(schemas)).find(({ name }) => name === subject)
    : undefined;
  const versions = own?.versions ?? [];
  const chosen = major ?? Number(versions.at(-1)?.version.split(".")[0] ?? 1);
  const latest = versions.findLast(({ version }) => version.startsWith(`${chosen}.`));
  const text = isProto ? String(schema) : `${JSON.stringify(schema, undefined, 2)}\n`;
  if (latest !== undefined && JSON.stringify(latest.schema) === JSON.stringify(schema)) return undefined;
  const minor = latest === undefined ? 0 : Number(latest.version.split(".")[1]) + 1;
  const file = join(schemas, subject, `${chosen}.${minor}.${isProto ? "proto" : "schema.json"}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: "wx" });
  return file;
}

function isSchemaFile(path: string): boolean {
  return /\.(?:json|proto)$/.test(path);
}

/** @throws SobreError `InvalidArgument` when the file is not a schema. */
function draftOfFile(
  path: string,
  { subject = basename(path).replace(/(?:\.schema)?\.\w+$/, "") }: InitCommand,
): Draft {
  const text = readText(path);
  if (path.endsWith(".proto")) {
    openProtobufSchema(text);
    return { subject, schema: text, isProto: true };
  }
  const schema = parseSchema(text, path);
  return { subject, schema: new SchemaDocument(schema, path, metaSchema).root.schema };
}

async function draftsOfModule(path: string, command: InitCommand): Promise<readonly Draft[]> {
  const module = await importModule(path);
  const fallback = basename(path).replace(/\.[^.]*$/, "");
  const wanted = command.export ?? (Object.hasOwn(module, "default") ? "default" : undefined);
  if (wanted !== undefined && !Object.hasOwn(module, wanted)) throw new Misuse(`${path} has no export ${wanted}`);
  const exports = Object.entries(module).filter(([name]) => wanted === undefined || name === wanted);
  const drafts: Draft[] = [];
  for (const [name, value] of exports) {
    const subject = command.subject ?? (name === "default" ? fallback : name);
    if (isMessageType(value))
      for (const version of value.versions) {
        const schema = await convert(value.schemaOf(version), path);
        const isUpcast = value.versions.length > 1;
        drafts.push({ subject: command.subject ?? value.name, major: version, schema, isUpcast });
      }
    else if (isSchema(value) || wanted !== undefined) drafts.push({ subject, schema: await convert(value, path) });
  }
  if (drafts.length === 0) throw new Misuse(`${path} exports no schema and no message type`);
  return drafts;
}

function isSchema(value: unknown): boolean {
  return schemaVendor(value) !== undefined || (isObject(value) && ("$schema" in value || "type" in value));
}

/** The converters of libraries that do not follow Standard JSON Schema. */
const converters: Readonly<Record<string, readonly [module: string, name: string]>> = {
  valibot: ["@valibot/to-json-schema", "toJsonSchema"],
  zod: ["zod", "toJSONSchema"],
};

async function convert(schema: unknown, path: string): Promise<unknown> {
  const own = jsonSchemaOf(schema);
  if (own !== undefined) return own;
  const vendor = schemaVendor(schema) ?? "";
  const [name, method] = converters[vendor] ?? [];
  if (name === undefined || method === undefined)
    throw new Misuse(`${path}: a schema of ${vendor || "an unknown library"} cannot be converted to JSON Schema`);
  try {
    const library = await importModule(createRequire(resolve(path)).resolve(name));
    const converter = library[method];
    if (typeof converter === "function") return Reflect.apply(converter, undefined, [schema]);
  } catch {
    // Reported below.
  }
  throw new Misuse(`${path}: install ${name}, which turns schemas of ${vendor} into JSON Schemas`);
}

/** One schema for the bodies of each type and version that the messages name. */
async function draftsOfMessages(path: string, { subject }: InitCommand): Promise<readonly Draft[]> {
  const serializer = await commandSerializer({ protos: [], messageType: undefined });
  const bodies = new Map<string, { readonly subject: string; readonly major: number; readonly values: unknown[] }>();
  const fallback = basename(path).replace(/\.[^.]*$/, "");
  for await (const { number, envelope } of envelopeLines(path)) {
    const result = serializer.deserialize(envelope);
    if (!result.ok) throw new Misuse(`${path}, line ${number}: ${result.error.message}`);
    const { "sobre-type": type, "sobre-version": version } = envelope.applicationProperties;
    const name = subject ?? (typeof type === "string" ? type : fallback);
    const major = typeof version === "number" && Number.isInteger(version) ? version : 1;
    const key = `${name} ${major}`;
    const group = bodies.get(key) ?? { subject: name, major, values: [] };
    bodies.set(key, group);
    group.values.push(result.body);
  }
  if (bodies.size === 0) throw new Misuse(`${path} holds no message`);
  return Array.from(bodies.values(), ({ values, ...draft }) => ({ ...draft, schema: inferredSchema(values) }));
}
