import { parentPort, workerData } from "node:worker_threads";
import { messageOfPiece } from "../captured-message.ts";
import { envelopeLine } from "../envelope-line.ts";
import { MessageMigration } from "../migrate-message.ts";
import { MessageReader, type ReadRules } from "../read-message.ts";
import { loadSchemaChecks } from "../schema-check.ts";
import { createTarget } from "../target.ts";
import { TypeProfiles } from "../type-profile.ts";
import { type PieceBatch, piecesOf } from "./piece-batch.ts";
import type { Inferred, MigratedBatch, MigratedPiece, Reading, ThreadRequest, ThreadSetup } from "./thread-protocol.ts";

const setup: ThreadSetup = workerData;
const { reading }: { readonly reading: (data: unknown) => Reading | Promise<Reading> } = await import(setup.module);
const { serializer, hasContract = () => false } = await reading(setup.data);
const rules: ReadRules = { serializer, hasContract, openJsonText: setup.openJsonText };
const reader = new MessageReader(rules);
const target = createTarget(setup.target);
let migration: MessageMigration | undefined;

async function begin(json: string): Promise<MessageMigration> {
  const profiles = TypeProfiles.from(JSON.parse(json));
  const schemaChecks = await loadSchemaChecks(target, profiles);
  return new MessageMigration({ ...rules, target, profiles, hex: setup.hex, schemaChecks });
}

function infer(batch: PieceBatch): Inferred {
  const profiles = new TypeProfiles();
  for (const piece of piecesOf(batch)) profiles.read(messageOfPiece(piece), reader);
  return { profiles: JSON.stringify(profiles) };
}

function migrated(batch: PieceBatch, by: MessageMigration): MigratedBatch {
  const messages: MigratedPiece[] = [];
  const lines: Uint8Array[] = [];
  for (const piece of piecesOf(batch)) {
    const { entry, envelope } = by.migrate(messageOfPiece(piece));
    const line = envelope && envelopeLine(envelope);
    if (line !== undefined) lines.push(line);
    const failed = line === undefined && setup.keepsFailed ? piece.bytes.slice() : undefined;
    messages.push({ entry, length: line?.byteLength ?? 0, failed });
  }
  return { messages, output: Buffer.concat(lines) };
}

async function answer(request: ThreadRequest): Promise<Inferred | MigratedBatch> {
  if (request.kind === "infer") return infer(request.batch);
  if (request.profiles !== undefined) migration = await begin(request.profiles);
  if (migration === undefined) throw new Error("A thread was asked to migrate before it had the profiles.");
  return migrated(request.batch, migration);
}

/** Answers a request behind the one before, which may still be loading something. */
async function post(request: ThreadRequest, before: Promise<void>): Promise<void> {
  await before;
  const answered = await answer(request);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origins
  parentPort?.postMessage(answered);
}

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (request: ThreadRequest) => {
  last = post(request, last);
});
