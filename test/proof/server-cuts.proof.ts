import { writeMessage } from "../../src/wire/amqp/message/write-message.ts";
import type { Access } from "../../src/serve/server/access.ts";
import { ServedConnection } from "../../src/serve/server/amqp/served-connection.ts";
import { accepted, Connection } from "../../src/wire/amqp/connection/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

const cuts = 1000;
const lockTime = 60_000;
const ignore = (): void => undefined;

/** The outcomes that clients saw before their connections were cut. */
interface Told {
  readonly sent: Set<string>;
  readonly completed: Set<string>;
}

/**
 * Cuts 1,000 connections at random bytes while they send, receive and complete: what was acknowledged as sent is
 * there or was completed, and every lock that a cut connection left behind runs out and counts one delivery.
 */
export async function prove({ seed }: ProofRun): Promise<string> {
  const random = seeded(seed);
  const clock = new ManualClock();
  const engine = memoryEngine({ clock, queues: { q: { maxDeliveryCount: 2, lockDuration: lockTime } } });
  const access: Access = {
    anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
    password: () => undefined,
    token() {
      throw new Error("no tokens");
    },
  };
  const told: Told = { sent: new Set(), completed: new Set() };
  for (let cut = 0; cut < cuts; cut++) await run(access, `${cut}`, told, 300 + random.integer(6000));
  const receiver = await engine.openReceiver("q", { receiveMode: "receiveAndDelete" });
  const left = new Set<string>();
  const drain = async (count: number): Promise<number> => {
    for (let drained = 0; ;) {
      const deliveries = await receiver.receive({ maxMessages: 100, maxWaitTimeInMs: 0 });
      for (const { envelope, deliveryCount } of deliveries) {
        if (deliveryCount !== count) throw new Error(`A delivery count is ${deliveryCount} instead of ${count}.`);
        left.add(String(envelope.brokerProperties.messageId));
      }
      if (deliveries.length === 0) return drained;
      drained += deliveries.length;
    }
  };
  await drain(0);
  // The messages of dead clients come back once their locks have run out, one delivery older.
  await clock.advance(lockTime);
  const expired = await drain(1);
  if (expired === 0) throw new Error("No connection was cut while it held a lock.");
  const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("q");
  if (totalMessageCount !== 0)
    throw new Error(`${totalMessageCount} messages are locked by connections that are gone.`);
  // Each message is completed by the connection that sent it or by a later one, confirmed or not.
  const lost = [...told.sent].filter((id) => !left.has(id) && !told.completed.has(id));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged messages were lost, as ${lost[0]}.`);
  if (told.sent.size < cuts || told.completed.size < cuts)
    throw new Error("The connections were cut before they did anything.");
  await engine.close();
  return `${cuts} connection cuts, ${told.sent.size} acknowledged sends and ${told.completed.size} completions: nothing lost, ${expired} locks ran out and counted`;
}

async function run(access: Access, name: string, told: Told, after: number): Promise<void> {
  const server = new ServedConnection({ access, output: ignore, now: () => 0 });
  const client = new Connection({
    role: "client",
    containerId: name,
    now: () => 0,
    events: { opened: ignore, attach: ignore, closed: ignore, output: ignore },
  });
  let left = after;
  const exchange = async (): Promise<void> => {
    for (let turn = 0; turn < 4 && left > 0; turn++) {
      const bytes = client.take();
      server.wire.receive(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.byteLength;
      for (let wait = 0; wait < 8; wait++) await Promise.resolve();
      const answer = server.wire.take();
      client.receive(answer.subarray(0, Math.max(0, left)));
      left -= answer.byteLength;
    }
  };
  await exchange();
  const session = client.openSession();
  const sender = session.links.newSender("s");
  sender.open(
    { target: { kind: "target", address: "q" } },
    {
      flowed: ignore,
      detached: ignore,
      disposed: ({ context }, state) => {
        if (state?.kind === "accepted") told.sent.add(String(context));
      },
    },
  );
  const receiver = session.links.newReceiver("r");
  receiver.open(
    { source: { kind: "source", address: "q" }, target: { kind: "target" }, rcvSettleMode: 1 },
    {
      detached: ignore,
      delivered: ({ id, payload }) => {
        // Confirmed or not, from here on the broker may have completed it.
        told.completed.add(idOf(payload));
        session.requestSettlement(id, accepted);
      },
    },
  );
  await exchange();
  if (left > 0) receiver.grant(3);
  for (let index = 0; index < 60; index++) {
    if (left <= 0) break;
    const context = `${name}-${index}`;
    if (!sender.ready) break;
    const payload = writeMessage({
      properties: { messageId: context },
      body: { kind: "data", sections: [new Uint8Array(20)] },
    });
    sender.send({ payload, tag: Uint8Array.of(index), settled: false, context });
    await exchange();
  }
  server.wire.disconnected();
  for (let wait = 0; wait < 20; wait++) await Promise.resolve();
}

const idOf = (payload: Uint8Array): string => /\d+-\d+/.exec(Buffer.from(payload).toString("latin1"))?.[0] ?? "";
