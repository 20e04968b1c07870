import type { Engine } from "../../../src/core/engine/engine.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import type { Random } from "../../random.support.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { Administrator } from "./administrator.ts";

const senders = 8;

/** How often a server that answers early is killed at most, until it has lost something. */
const mostMutantKills = 5;

/** The server is killed under load, again and again: every send that was acknowledged is there after its restart. */
export async function crashes(kills: number, random: Random): Promise<string> {
  const { acknowledged, missing } = await killAgainAndAgain("on", kills, random);
  if (missing > 0) throw new Error(`${missing} of ${acknowledged} acknowledged messages are missing.`);
  const mutant = await killAgainAndAgain("off", mostMutantKills, random);
  if (mutant.missing === 0) throw new Error("A server that answers before its log is written was not caught.");
  return `${acknowledged} acknowledged sends held by ${kills} kills of the server under load, and one that answers early was caught`;
}

interface Held {
  readonly acknowledged: number;
  readonly missing: number;
}

async function killAgainAndAgain(synchronousCommit: "on" | "off", kills: number, random: Random): Promise<Held> {
  // The log writer of the mutant waits as long as it may.
  await using server = await PostgresServer.create(18, [
    `synchronous_commit=${synchronousCommit}`,
    "wal_writer_delay=1000",
  ]);
  const engine = await postgresEngine({ connectionString: server.connectionString, schema: "crash", migrate: true });
  await engine.admin.createQueue("q", { maxSizeInMegabytes: 10_000 });
  {
    await using administrator = await Administrator.connect(server.connectionString);
    await administrator.checkpoint();
  }
  const acknowledged = new Set<string>();
  let missing = 0;
  try {
    for (let kill = 0; kill < kills && missing === 0; kill++) {
      const until = acknowledged.size + 50 + random.integer(400);
      const sending = Array.from({ length: senders }, (_, index) =>
        sendUntilItFails(engine, `${kill}-${index}`, acknowledged),
      );
      while (acknowledged.size < until) await new Promise((resolve) => setImmediate(resolve));
      await server.kill("SIGKILL");
      await Promise.all(sending);
      await server.start();
      const there = await idsIn(engine);
      for (const id of acknowledged) if (!there.has(id)) missing++;
    }
  } finally {
    await engine.close();
  }
  return { acknowledged: acknowledged.size, missing };
}

async function sendUntilItFails(engine: Engine, name: string, acknowledged: Set<string>): Promise<void> {
  const sender = await engine.openSender("q");
  try {
    for (let count = 0; ; count++) {
      const messageId = `${name}-${count}`;
      await sender.send([createEnvelope({ payload: new Uint8Array(200), brokerProperties: { messageId } })]);
      acknowledged.add(messageId);
    }
  } catch (error) {
    if (!(error instanceof SobreError) || error.code !== "ServiceCommunicationProblem") throw error;
  }
}

async function idsIn(engine: Engine): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let fromSequenceNumber = 0n; ;) {
    const messages = await engine.peek("q", { maxMessages: 1000, fromSequenceNumber });
    for (const { envelope } of messages) ids.add(String(envelope.brokerProperties.messageId));
    const last = messages.at(-1);
    if (last === undefined) return ids;
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}
