import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EnvelopeSink } from "../../../src/engines/durable/fact-rows.ts";
import { durableEngine } from "../../../src/engines/durable/index.ts";
import { StoreDatabase } from "../../../src/engines/durable/store-database.ts";
import { createEnvelope } from "../../../src/envelope/envelope.ts";
import { SobreError } from "../../../src/errors/sobre-error.ts";
import type { Random } from "../../random.support.ts";

const files = ["store.sqlite", "store.sqlite-wal", "synced"] as const;

/** Flips bits and cuts ends of a store's files: each time it is refused with the place, or has every message. */
export async function damage(directory: string, count: number, random: Random): Promise<string> {
  const sent = await fill(directory);
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const copy = `${directory}-${index}`;
    mkdirSync(copy);
    for (const file of files) copyFileSync(join(directory, file), join(copy, file));
    const what = spoil(copy, random);
    const said = open(copy, sent, what);
    if (said !== undefined) refused++;
    rmSync(copy, { recursive: true });
  }
  if (refused < count / 4)
    throw new Error(`Only ${refused} of ${count} damaged stores were refused: a check is missing.`);
  return `${count} flipped bits and cut files: ${refused} refused, the others complete`;
}

/** A store whose log is not yet in its database, as a killed process leaves it. */
async function fill(directory: string): Promise<readonly string[]> {
  const made = `${directory}-made`;
  const engine = await durableEngine({ directory: made, queues: ["orders"] });
  const sender = await engine.openSender("orders");
  const sent = Array.from({ length: 120 }, (_, index) => `message-${index}`);
  const send = async (messageId: string): Promise<void> =>
    sender.send([createEnvelope({ payload: new Uint8Array(700).fill(7), brokerProperties: { messageId } })]);
  for (const messageId of sent.slice(0, 60)) await send(messageId);
  await engine.close();
  const again = await durableEngine({ directory: made });
  const more = await again.openSender("orders");
  for (const messageId of sent.slice(60))
    await more.send([createEnvelope({ payload: new Uint8Array(700).fill(7), brokerProperties: { messageId } })]);
  mkdirSync(directory);
  for (const file of files) copyFileSync(join(made, file), join(directory, file));
  await again.close();
  return sent;
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

/** The refusal, or `undefined` when everything is there. @throws when something is missing or wrong and nobody says so. */
function open(directory: string, sent: readonly string[], what: string): string | undefined {
  const sink = new EnvelopeSink();
  try {
    const database = new StoreDatabase(directory);
    try {
      for (const _row of database.rows(() => sink)) continue;
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof SobreError) return error.message;
    throw new Error(`${what} was refused without a SobreError.`, { cause: error });
  }
  const there = new Set<unknown>();
  for (const envelope of sink.byRecord.values()) {
    if (envelope instanceof Error) throw new Error(`${what}: a message is unreadable.`, { cause: envelope });
    if (envelope.payload.some((byte) => byte !== 7)) throw new Error(`${what}: a payload has changed.`);
    there.add(envelope.brokerProperties.messageId);
  }
  if (there.size !== sent.length || sent.some((id) => !there.has(id)))
    throw new Error(`${what} was opened with ${there.size} of ${sent.length} messages, and nothing said so.`);
  return undefined;
}
