import { isObject } from "../values/plain-object.ts";
import type { Serializer } from "../codec/serializer.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { envelopeToJson } from "../envelope/envelope-json.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  aFunction,
  checkOptions,
  countFrom,
  flag,
  methods,
  type OptionChecks,
  text,
} from "../options/option-checks.ts";
import { Journal } from "./journal.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { MessageMigration, sourceHash } from "./migrate-message.ts";
import type { Quarantine } from "./quarantine.ts";
import { MessageReader } from "./read-message.ts";
import type { MigrationReport } from "./report.ts";
import { ReportBuilder } from "./report-builder.ts";
import type { MigrationSource, SourceMessage } from "./source.ts";
import { loadSchemaChecks } from "./schema-check.ts";
import { type SchemaFile, schemaFiles } from "./schema-files.ts";
import { createTarget, type TargetOptions } from "./target.ts";
import { TypeProfiles } from "./type-profile.ts";

/** Options of {@link migrate}. */
export interface MigrationOptions {
  readonly source: MigrationSource;
  /** Reads the messages; it needs the legacy readers, and contracts to resolve ambiguities. */
  readonly serializer: Serializer;
  readonly target: TargetOptions;
  /** The file for the migrated envelopes in their JSON form, one per line. Default: none, a dry run. */
  readonly output?: string | undefined;
  /** Whether to continue an interrupted output. Default: false. */
  readonly resume?: boolean | undefined;
  /**
   * Identifies everything else that affects reading, e.g. contracts and time zone; resuming requires the same value.
   * Default: none.
   */
  readonly fingerprint?: string | undefined;
  /** Receives unchanged copies of messages that were not migrated. Default: none. */
  readonly quarantine?: Quarantine | undefined;
  /** Whether to parse a body that is a string containing a JSON object or list. Default: true. */
  readonly openJsonText?: boolean | undefined;
  /** Whether failures in the report include some bytes of the payload. Default: false. */
  readonly hex?: boolean | undefined;
  /** Maximum number of messages to read. Default: all. */
  readonly sample?: number | undefined;
  /**
   * Whether a contract resolves the ambiguities of a type; readers that found no contract for a payload override it.
   * Default: none does.
   */
  readonly hasContract?: ((typeName: string) => boolean) | undefined;
  /** Called after every message of both passes. */
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
}

/** The progress of a migration. */
export interface MigrationProgress {
  /** `infer` reads for the schema, `migrate` writes. */
  readonly pass: "infer" | "migrate";
  readonly messages: number;
  /** In the units of the source's size. */
  readonly done: number;
}

/** The result of {@link migrate}. */
export interface Migration {
  readonly report: MigrationReport;
  /** The schemas of all types, as files for {@link writeSchemaFiles}. */
  readonly schemaFiles: () => readonly SchemaFile[];
}

/**
 * Migrates the messages of a source in two passes, one message at a time: the first infers a schema for each type, the
 * second reads, resolves ambiguities by the schema, encodes, decodes again and compares. The source is never changed.
 *
 * @throws SobreError `InvalidArgument` when the output already exists or cannot be continued, and for an invalid
 * option; and what the source throws.
 */
export async function migrate(options: MigrationOptions): Promise<Migration> {
  checkOptions(options, optionChecks, { needed: ["source", "serializer", "target"] });
  const started = performance.now();
  const { source, serializer, openJsonText = true, hex = false, hasContract = noContract } = options;
  const target = createTarget(options.target);
  const earlier =
    options.output !== undefined && options.resume === true
      ? await Journal.resume(options.output, settingsOf(options))
      : undefined;
  const profiles = earlier === undefined ? await infer(options) : TypeProfiles.from(earlier.head.profiles);
  const journal = earlier?.journal ?? begin(options, profiles);
  const schemaChecks = await loadSchemaChecks(target);
  const migration = new MessageMigration({
    serializer,
    openJsonText,
    hasContract,
    target,
    profiles,
    hex,
    schemaChecks,
  });
  const report = new ReportBuilder();
  try {
    const done = new DoneBefore(earlier?.journal.entries(), (entry) => report.add(entry, true));
    for await (const message of messagesOf(options, "migrate")) {
      if (await done.has(message)) continue;
      const { entry, envelope } = migration.migrate(message);
      report.add(entry, false);
      if (envelope === undefined) options.quarantine?.put(message, entry);
      journal?.append(entry, envelope && lineOf(envelope));
    }
    await done.end();
  } finally {
    journal?.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const facts = { source: source.name, target, output: options.output, seconds, profiles };
  return { report: report.build(facts), schemaFiles: () => schemaFiles(profiles.all(), target) };
}

const optionChecks: OptionChecks<MigrationOptions> = {
  source: methods("a migration source, e.g. made by openSource", "messages"),
  serializer: methods("a serializer made by createSerializer", "deserialize"),
  target: () => undefined,
  output: text,
  resume: flag,
  fingerprint: text,
  quarantine: methods("a quarantine made by createQuarantine", "put"),
  openJsonText: flag,
  hex: flag,
  sample: countFrom(0),
  hasContract: aFunction,
  onProgress: aFunction,
};

const noContract = (): boolean => false;

/** The first pass. */
async function infer(options: MigrationOptions): Promise<TypeProfiles> {
  const { serializer, openJsonText = true, hasContract = noContract } = options;
  const reader = new MessageReader({ serializer, openJsonText, hasContract });
  const profiles = new TypeProfiles();
  for await (const { content } of messagesOf(options, "infer")) {
    const read = content.ok ? reader.read(content.envelope) : undefined;
    if (read?.ok === true && read.body !== undefined) profiles.note(read);
  }
  return profiles;
}

async function* messagesOf(
  { source, sample = Infinity, onProgress }: MigrationOptions,
  pass: MigrationProgress["pass"],
): AsyncGenerator<SourceMessage> {
  let messages = 0;
  if (sample <= 0) return;
  for await (const message of source.messages()) {
    yield message;
    messages++;
    onProgress?.({ pass, messages, done: message.done });
    if (messages >= sample) return;
  }
}

function begin(options: MigrationOptions, profiles: TypeProfiles): Journal | undefined {
  return options.output === undefined
    ? undefined
    : Journal.begin(options.output, { settings: settingsOf(options), profiles });
}

/** Settings that must be the same when a migration is resumed. */
function settingsOf({ source, target, openJsonText = true, sample, fingerprint }: MigrationOptions): string {
  return JSON.stringify({ source: source.name, ...target, openJsonText, sample, fingerprint });
}

/** The JSON form of an envelope in one line; its payload, which is most of it, is encoded by Node. */
function lineOf(envelope: Envelope): string {
  const { bodyKind, brokerProperties, applicationProperties, payload } = envelope;
  const rest = envelopeToJson({ bodyKind, brokerProperties, applicationProperties, payload: noBytes });
  const $bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("base64");
  return `${JSON.stringify({ ...(isObject(rest) ? rest : {}), payload: { $bytes } })}\n`;
}

const noBytes = new Uint8Array(0);

/** The entries of earlier runs, read in step with the source, so that it takes no memory. */
class DoneBefore {
  readonly #entries: AsyncGenerator<JournalEntry> | undefined;
  #next: JournalEntry | undefined;
  #started = false;
  readonly #note: (entry: JournalEntry) => void;

  /** `note` is called for each entry. */
  constructor(entries: AsyncGenerator<JournalEntry> | undefined, note: (entry: JournalEntry) => void) {
    this.#entries = entries;
    this.#note = note;
  }

  /**
   * Whether a message was done.
   *
   * @throws SobreError `InvalidOperation` when the source has another message in the place of one already migrated.
   */
  async has(message: SourceMessage): Promise<boolean> {
    const { id, order } = message;
    if (!this.#started) await this.#advance();
    this.#started = true;
    // A queue may have lost messages meanwhile; what they became is in the output.
    while (this.#next !== undefined && this.#next.order < order) await this.#advance(this.#next);
    if (this.#next === undefined) return false;
    if (this.#next.order > order || this.#next.id !== id || this.#next.sha256 !== sourceHash(message)) {
      throw new SobreError(
        "InvalidOperation",
        `The source has changed: ${id} differs from when the migration began. Start again with another output.`,
      );
    }
    await this.#advance(this.#next);
    return true;
  }

  /** Notes what was done of messages that are not in the source any more. */
  async end(): Promise<void> {
    if (!this.#started) await this.#advance();
    while (this.#next !== undefined) await this.#advance(this.#next);
  }

  async #advance(passed?: JournalEntry): Promise<void> {
    if (passed !== undefined) this.#note(passed);
    const next = await this.#entries?.next();
    this.#next = next === undefined || next.done === true ? undefined : next.value;
  }
}
