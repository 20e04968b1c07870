import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Envelope, envelopeFromJson } from "../../src/core/envelope/index.ts";
import type { MigrationReport } from "../../src/migration/index.ts";
import { folder, migrateAll } from "./samples.support.ts";

/** The report and the output of a migration. */
interface Written {
  readonly report: MigrationReport;
  /** The bodies, where they are JSON. */
  readonly bodies: readonly unknown[];
  readonly envelopes: readonly Envelope[];
}

/** Migrations into files of the test file that asks for it. */
export interface Writing {
  /** A file that is not there yet. */
  readonly output: () => string;
  readonly migrated: (
    messages: Parameters<typeof migrateAll>[0],
    options?: Parameters<typeof migrateAll>[1],
  ) => Promise<Written>;
}

/** Makes {@link Writing} for one test file, at whose end its files go. */
export function writing(): Writing {
  const scratch = folder();
  let files = 0;
  const output = (): string => join(scratch, `${files++}.ndjson`);
  return {
    output,
    migrated: async (messages, options = {}) => {
      const file = output();
      const { report } = await migrateAll(messages, { output: file, ...options });
      const envelopes = envelopesIn(file);
      return { report, envelopes, bodies: options.target === undefined ? envelopes.map(jsonIn) : [] };
    },
  };
}

/** The envelopes of an output. */
export function envelopesIn(file: string): readonly Envelope[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => envelopeFromJson(JSON.parse(line)));
}

/** The JSON in an envelope. */
export function jsonIn(envelope: Envelope | undefined): unknown {
  return JSON.parse(new TextDecoder().decode(envelope?.payload));
}
