import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { RowBytes } from "../../../src/broker/durable/row-bytes.ts";
import { StoreDatabase } from "../../../src/broker/durable/store-database.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import type { Random } from "../../random.support.ts";

const files = ["store.sqlite", "store.sqlite-wal", "synced"] as const;

/** Flips bits and cuts ends of a store's files: each time it is refused with the place, or has every row as it was. */
export async function damage(directory: string, count: number, random: Random): Promise<string> {
  await fill(directory);
  const due = rowsIn(copied(directory, "whole"));
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const copy = copied(directory, String(index));
    const what = spoil(copy, random);
    if (isRefused(copy, due, what)) refused++;
    rmSync(copy, { recursive: true });
  }
  if (refused < count / 4)
    throw new Error(`Only ${refused} of ${count} damaged stores were refused: a check is missing.`);
  return `${count} flipped bits and cut files: ${refused} refused, the others complete`;
}

function copied(directory: string, name: string): string {
  const copy = `${directory}-${name}`;
  mkdirSync(copy);
  for (const file of files) copyFileSync(join(directory, file), join(copy, file));
  return copy;
}

const queues = {
  orders: { requiresDuplicateDetection: true },
  work: { requiresSession: true },
};
const topics = {
  prices: { subscriptions: { eu: { rules: [{ name: "eu", filter: { kind: "sql", expression: "region = 'eu'" } }] } } },
} as const;

/** A store with rows in every table, half of them in a log that is not yet in its database, as a killed process leaves it. */
async function fill(directory: string): Promise<void> {
  const made = `${directory}-made`;
  const engine = await durableEngine({ directory: made, queues, topics });
  await use(engine, "before");
  await engine.close();
  const again = await durableEngine({ directory: made });
  await use(again, "after");
  // Its answer comes behind everything that the thread does after the last commit.
  await again.backup(`${directory}-backup`);
  mkdirSync(directory);
  for (const file of files) copyFileSync(join(made, file), join(directory, file));
  await again.close();
  const database = new DatabaseSync(join(`${directory}-backup`, "store.sqlite"));
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    if (database.prepare(`SELECT 1 FROM ${String(name)}`).get() === undefined)
      throw new Error(`No row of the table ${String(name)} can be damaged.`);
  database.close();
}

async function use(engine: Engine, when: string): Promise<void> {
  const send = async (entity: string, at: number, more: object = {}): Promise<void> => {
    const sender = await engine.openSender(entity);
    const brokerProperties = { messageId: `${when}-${at}`, ...more };
    await sender.send([
      createEnvelope({
        payload: new Uint8Array(700).fill(7),
        brokerProperties,
        applicationProperties: { region: "eu" },
      }),
    ]);
  };
  for (let at = 0; at < 20; at++) await send("orders", at);
  for (let at = 0; at < 5; at++) await send("prices", at);
  await send("orders", 99, { scheduledEnqueueTimeUtc: new Date(Date.now() + 3_600_000) });
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  const held = await receiver.receive({ maxMessages: 8, maxWaitTimeInMs: 0 });
  for (const [at, kind] of (["complete", "defer", "abandon", "deadLetter"] as const).entries()) {
    const token = held[at]?.lockToken;
    if (token !== undefined) await engine.settle("orders", token, { kind });
  }
  for (const sessionId of [`${when}-1`, `${when}-2`]) {
    await send("work", 1, { sessionId });
    const session = await engine.acceptSession("work", { receiveMode: "peekLock", sessionId, maxWaitTimeInMs: 0 });
    await session.setSessionState(Buffer.from(`The state of ${sessionId}.`));
    await session.close();
  }
}

function spoil(directory: string, random: Random): string {
  const file = random.pick(["store.sqlite", "store.sqlite-wal", "store.sqlite", "store.sqlite-wal", "synced"] as const);
  const path = join(directory, file);
  const bytes = readFileSync(path);
  const at = random.integer(bytes.length);
  if (random.chance(0.2)) {
    writeFileSync(path, bytes.subarray(0, at));
    return `${file} cut at ${at}`;
  }
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.integer(8)), at);
  writeFileSync(path, bytes);
  return `${file} with a flipped bit at ${at}`;
}

/** Every row of a store. @throws SobreError when one is damaged. */
function rowsIn(directory: string): Uint8Array {
  const database = new StoreDatabase(directory);
  try {
    const rows = new RowBytes();
    for (const _row of database.rows(() => rows)) continue;
    return rows.take();
  } finally {
    database.close();
  }
}

/** @throws when a row is missing or wrong and nobody says so. */
function isRefused(directory: string, due: Uint8Array, what: string): boolean {
  try {
    if (Buffer.compare(rowsIn(directory), due) === 0) return false;
  } catch (error) {
    if (error instanceof SobreError) return true;
    throw new Error(`${what} was refused without a SobreError.`, { cause: error });
  }
  throw new Error(`${what} was opened with other rows, and nothing said so.`);
}
