import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { protoFiles } from "../../contract/protobuf/schema.ts";
import { inferredSchema } from "../../contract/subjects/inferred-schema.ts";
import { subjectsOfFolder, type Subject } from "../../contract/subjects/subject.ts";
import { messageProperties } from "../../core/message/message-properties.ts";
import { commandSerializer } from "../codecs.ts";
import { type SchemaDraft, draftsOf, isSchemaFile } from "./sources.ts";
import { envelopeLines } from "../queue/envelope-lines.ts";
import { contractExitCodes, Misuse, type Terminal } from "../terminal.ts";

/** Options of `sobre contract init`. */
export interface InitCommand {
  readonly schemas: string;
  /**
   * A module that exports schemas of Standard Schema, JSON Schemas, or message types of `defineMessage`; or a file of one
   * JSON Schema or of Protobuf.
   */
  readonly from?: string;
  /** The export of the module. Default: the default one, or else every one that is a schema. */
  readonly export?: string;
  /** Captured messages: envelopes in their JSON form, one a line. */
  readonly messages?: string;
  /** Name of the subject. Default: what the message says, the export, or the file. */
  readonly subject?: string;
}

/** Writes versions from a source, and the settings of every subject; resolves to the exit code. */
export async function initContracts(command: InitCommand, terminal: Terminal): Promise<number> {
  const { schemas, from, messages } = command;
  if (command.export !== undefined && (from === undefined || isSchemaFile(from)))
    throw new Misuse("--export needs --from, the module that has the export");
  if (command.subject !== undefined && from === undefined && messages === undefined)
    throw new Misuse("--subject needs --from or --messages");
  const drafts = [
    ...(from === undefined ? [] : await draftsOf(from, command)),
    ...(messages === undefined ? [] : await draftsOfMessages(messages, command)),
  ];
  if (drafts.length > 0) mkdirSync(schemas, { recursive: true });
  for (const draft of drafts) {
    const file = writeDraft(draft, schemas);
    await terminal.out(file === undefined ? `${draft.subject}: unchanged\n` : `wrote ${file}\n`);
  }
  const upcast = new Set(drafts.flatMap(({ subject, isUpcast }) => (isUpcast === true ? [subject] : [])));
  return settle(schemas, upcast, terminal);
}

/** Writes the settings of subjects that have none. */
async function settle(schemas: string, upcast: ReadonlySet<string>, terminal: Terminal): Promise<number> {
  const subjects = subjectsOfFolder(schemas);
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
  await terminal.out(
    `${subjects.length} subjects: wrote ${written} subject.json; versions are locked by sobre contract release, or once they are merged\n`,
  );
  return subjects.length === 0 ? contractExitCodes.misuse : contractExitCodes.proven;
}

/** A version is written unless the latest of its major says the same; what is there is never written over. */
export function writeDraft(
  { subject, major, schema, isProto = false }: SchemaDraft,
  schemas: string,
): string | undefined {
  // Names come with messages, from whoever sent them.
  if (!/^[\w-][\w.-]*$/.test(subject))
    throw new Misuse(`${subject} is not a valid name of a subject. Choose one with --subject`);
  const own: Subject | undefined = existsSync(schemas)
    ? subjectsOfFolder(schemas).find(({ name }) => name === subject)
    : undefined;
  const versions = own?.versions ?? [];
  const chosen = major ?? Number(versions.at(-1)?.version.split(".")[0] ?? 1);
  const latest = versions.findLast(({ version }) => version.startsWith(`${chosen}.`));
  const protos = isProto ? protoFiles(schema) : undefined;
  const imports = Object.entries(protos?.imports ?? {});
  const text = Object.values(protos?.own ?? {})[0] ?? `${JSON.stringify(schema, undefined, 2)}\n`;
  if (latest !== undefined && JSON.stringify(latest.schema) === JSON.stringify(schema)) return undefined;
  const minor = latest === undefined ? 0 : Number(latest.version.split(".")[1]) + 1;
  const file = join(schemas, subject, `${chosen}.${minor}.${isProto ? "proto" : "schema.json"}`);
  const parts = imports.map(([name, part]) => [join(schemas, subject, `${chosen}.${minor}`, name), part] as const);
  for (const [path, content] of [...parts, [file, text] as const]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { flag: "wx" });
  }
  return file;
}

/** One schema for the bodies of each type and version that the messages name. */
async function draftsOfMessages(path: string, { subject }: InitCommand): Promise<readonly SchemaDraft[]> {
  const serializer = await commandSerializer({});
  const bodies = new Map<string, { readonly subject: string; readonly major: number; readonly values: unknown[] }>();
  const fallback = basename(path).replace(/\.[^.]*$/, "");
  for await (const { number, envelope } of envelopeLines(path)) {
    const result = serializer.deserialize(envelope);
    if (!result.ok) throw new Misuse(`${path}, line ${number}: ${result.error.message}`);
    const { [messageProperties.type]: type, [messageProperties.version]: version } = envelope.applicationProperties;
    const name = subject ?? (typeof type === "string" ? type : fallback);
    const major = typeof version === "number" && Number.isInteger(version) ? version : 1;
    const key = `${name} ${major}`;
    const group = bodies.get(key) ?? { subject: name, major, values: [] };
    bodies.set(key, group);
    group.values.push(result.body);
  }
  if (bodies.size === 0) throw new Misuse(`${path} contains no messages`);
  return Array.from(bodies.values(), ({ values, ...draft }) => ({ ...draft, schema: inferredSchema(values) }));
}
