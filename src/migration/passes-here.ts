import { envelopeLine } from "./read/envelope-line.ts";
import { entryToJson } from "./journal-entry.ts";
import { MessageMigration } from "./migrate-message.ts";
import type { MigrationOptions } from "./migration-options.ts";
import { type Passes, progressOf, sampled } from "./passes.ts";
import { SourceMessageReader } from "./read/read-message.ts";
import { loadSchemaChecks } from "./target/schema-check.ts";
import type { MigrationTarget } from "./target/target.ts";
import { TypeProfiles } from "./infer/type-profile.ts";

/** The passes of a migration in this thread, one message at a time. */
export function passesHere(options: MigrationOptions, target: MigrationTarget): Passes {
  const { source, serializer, openJsonText = true, hex = false, samples = false, hasContract = noContract } = options;
  const rules = { serializer, openJsonText, hasContract };
  return {
    async infer() {
      const reader = new SourceMessageReader(rules);
      const profiles = new TypeProfiles();
      const progress = progressOf("infer", options);
      for await (const message of sampled(source.messages(), options)) {
        profiles.read(message, reader);
        progress(message.done);
      }
      return profiles;
    },
    async migrate(profiles, done, keeper) {
      const schemaChecks = await loadSchemaChecks(target, profiles);
      const migration = new MessageMigration({ ...rules, target, profiles, hex, samples, schemaChecks });
      const progress = progressOf("migrate", options);
      for await (const message of sampled(source.messages(), options)) {
        if (!(await done.has(message))) {
          const { entry, envelope } = migration.migrate(message);
          const json = Buffer.from(JSON.stringify(entryToJson(entry)));
          keeper.keep(() => message, { entry, json, line: envelope && Buffer.from(envelopeLine(envelope)) });
        }
        progress(message.done);
      }
    },
    close: () => Promise.resolve(),
  };
}

const noContract = (): boolean => false;
