import { Client as Database } from "pg";
import { describe, expect, it } from "vitest";
import type { Delivery, LockToken } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { codeOf } from "./code-of.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } });

const idOf = ({ envelope }: Delivery): unknown => envelope.brokerProperties.messageId;

/** Receives a message, waiting for it. */
async function receive(engine: Engine): Promise<{ readonly token: LockToken; readonly deliveryCount: number }> {
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 20_000 });
  await receiver.close();
  if (delivery?.lockToken === undefined) throw new Error("A locked message was due.");
  return { token: delivery.lockToken, deliveryCount: delivery.deliveryCount };
}

/** The first result of a call that succeeds: connections are opened again when they are needed. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 20; tries++) {
    const result = await call().catch(() => undefined);
    if (result !== undefined) return result;
  }
  return call();
}

describe("nodes whose server crashes", () => {
  it("go on after the server was killed: what was acknowledged is there", async () => {
    await using own = await PostgresServer.create(18, ["synchronous_commit=on"]);
    const engine = await postgresEngine({ connectionString: own.connectionString, schema: "kept", migrate: true });
    await engine.admin.createQueue("orders");
    const sender = await engine.openSender("orders");
    const acknowledged: string[] = [];
    const failures = new Set<string>();
    const sending = (async () => {
      for (let index = 0; failures.size === 0; index++) {
        const outcome = await codeOf(sender.send([message(`m${index}`)]));
        if (outcome === "done") acknowledged.push(`m${index}`);
        else failures.add(outcome);
      }
    })();
    while (acknowledged.length < 20) await new Promise((resolve) => setImmediate(resolve));
    await own.kill();
    await sending;
    await own.start();

    expect([...failures]).toEqual(["ServiceCommunicationProblem"]);
    const there = new Set((await engine.peek("orders", { maxMessages: 1_000_000 })).map(idOf));
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
    await sender.send([message("after")]);
    await engine.close();
  });

  it("deliver again what the server forgot in a crash to have locked, and refuse the old lock", async () => {
    await using own = await PostgresServer.create(18, ["synchronous_commit=on"]);
    const { connectionString } = own;
    const engine = await postgresEngine({ connectionString, schema: "forgot", migrate: true, queues: ["orders"] });
    await (await engine.openSender("orders")).send([message("a")]);
    const database = new Database({ connectionString });
    database.on("error", () => {});
    await database.connect();
    // A commit that waits for no disk is written later by a process of its own, which sleeps here.
    const { rows } = await database.query<{ readonly pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'walwriter'",
    );
    const writer = rows[0]?.pid ?? 0;
    process.kill(writer, "SIGSTOP");

    const held = await receive(engine);
    await own.kill();
    process.kill(writer, "SIGKILL");
    await own.start();
    const again = await eventually(() => receive(engine));
    const late = await codeOf(engine.settle("orders", held.token, { kind: "complete" }));

    expect([held, again].map(({ deliveryCount }) => deliveryCount)).toEqual([0, 0]);
    expect(late).toBe("MessageLockLost");
    await engine.settle("orders", again.token, { kind: "complete" });
    await engine.close();
  });
});
