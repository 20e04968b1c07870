import { checkOptions } from "../core/options/option-checks.ts";
import { DoneBefore } from "./done-before.ts";
import { MigrationJournal } from "./journal.ts";
import { type MigrationOptions, migrationChecks } from "./migration-options.ts";
import type { Keeper, Passes } from "./passes.ts";
import { passesHere } from "./passes-here.ts";
import type { MigrationReport } from "./report/report.ts";
import { ReportBuilder } from "./report/report-builder.ts";
import { type SchemaFile, schemaFiles } from "./target/schema-files.ts";
import { createTarget } from "./target/target.ts";
import { passesInThreads } from "./threads/passes-in-threads.ts";
import { TypeProfiles } from "./infer/type-profile.ts";

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
 * option; and errors of the source.
 */
export async function migrate(options: MigrationOptions): Promise<Migration> {
  checkOptions(options, migrationChecks, { needed: ["source", "serializer", "target"] });
  const started = performance.now();
  const { source, quarantine } = options;
  const target = createTarget(options.target);
  const earlier =
    options.output !== undefined && options.resume === true
      ? await MigrationJournal.resume(options.output, settingsOf(options))
      : undefined;
  const report = new ReportBuilder((entry) => quarantine?.fileOf(entry));
  const passes: Passes = passesInThreads(options) ?? passesHere(options, target);
  let journal = earlier?.journal;
  let profiles: TypeProfiles;
  try {
    profiles = earlier === undefined ? await passes.infer() : TypeProfiles.from(earlier.head.profiles);
    journal ??= begin(options, profiles);
    const keeper: Keeper = {
      keep(message, { entry, json, line }) {
        if ("losses" in entry) {
          report.add(entry, false);
          if (line === undefined) quarantine?.put(message(), entry);
        } else report.count(entry);
        journal?.append(json, line);
      },
      flush: () => journal?.flush(),
    };
    const done = new DoneBefore(earlier?.journal.entries(), (entry) => report.add(entry, true));
    await passes.migrate(profiles, done, keeper);
    await done.end();
  } finally {
    try {
      journal?.close();
    } finally {
      // Its threads would keep the process alive when the disk is full.
      await passes.close();
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const facts = { source: source.name, target, output: options.output, seconds, profiles };
  return { report: report.build(facts), schemaFiles: () => schemaFiles(profiles.all(), target) };
}

function begin(options: MigrationOptions, profiles: TypeProfiles): MigrationJournal | undefined {
  return options.output === undefined
    ? undefined
    : MigrationJournal.begin(options.output, { settings: settingsOf(options), profiles });
}

/** Settings that must be the same when a migration is resumed. */
function settingsOf({ source, target, openJsonText = true, sample, fingerprint }: MigrationOptions): string {
  return JSON.stringify({ source: source.name, ...target, openJsonText, sample, fingerprint });
}
