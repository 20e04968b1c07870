import { Client as Database, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Delivery } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { postgresTransaction, postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { PgBouncer } from "./pgbouncer.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";
import { ServeNode } from "./serve-node.support.ts";
import { testSuite } from "./postgres-suite.support.ts";

let server: PostgresServer;
let bouncer: PgBouncer;
let pool: Pool;
beforeAll(async () => {
  server = await PostgresServer.create(18);
  bouncer = await PgBouncer.start(server);
  pool = new Pool({ connectionString: bouncer.connectionString, max: 20 });
  pool.on("error", () => {});
});
afterAll(async () => {
  await pool.end();
  await bouncer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

testSuite("behind PgBouncer in transaction mode", () => ({ pool, transactionPooler: true }));

let schemas = 0;

/** Nodes of one namespace behind the pooler. */
async function nodes(count: number, options: PostgresEngineOptions = {}): Promise<readonly Engine[]> {
  const schema = `pooled_${schemas++}`;
  const opened: Engine[] = [];
  const reached = { connectionString: bouncer.connectionString, transactionPooler: true, schema, migrate: true };
  for (let node = 0; node < count; node++)
    opened.push(await postgresEngine({ ...reached, queues: ["orders"], ...options }));
  return opened;
}

const message = (messageId: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId } });

async function receive(engine: Engine, maxWaitTimeInMs: number): Promise<readonly Delivery[]> {
  const receiver = await engine.openReceiver("orders", { receiveMode: "receiveAndDelete" });
  const deliveries = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs });
  await receiver.close();
  return deliveries;
}

describe("behind PgBouncer in transaction mode", () => {
  it("a node finds by polling what another sends, and is woken with a direct connection to listen on", async () => {
    for (const listenConnectionString of [undefined, server.connectionString]) {
      const [one, two] = await nodes(2, { listenConnectionString });
      if (one === undefined || two === undefined) throw new Error("Two nodes were due.");
      const sender = await one.openSender("orders");
      for (let round = 0; round < 3; round++) {
        const waiting = receive(two, 30_000);
        await sender.send([message(`m${round}`)]);
        expect(await waiting).toHaveLength(1);
      }
      await Promise.all([one.close(), two.close()]);
    }
  });

  it("`sobre serve` works, for the official client", async () => {
    const args = ["--postgres", bouncer.connectionString, "--transaction-pooler", "--listen", server.connectionString];
    await using node = await ServeNode.start([...args, "--schema", "served", "--migrate", "--queue", "orders"]);
    const client = node.client();
    const receiver = client.createReceiver("orders");
    const waiting = receiver.receiveMessages(1, { maxWaitTimeInMs: 30_000 });
    await client.createSender("orders").sendMessages({ body: 1 });
    const [received] = await waiting;
    if (received !== undefined) await receiver.completeMessage(received);
    expect([received?.body, await receiver.peekMessages(1)]).toEqual([1, []]);
  });

  it("a caller's own transaction works as anywhere", async () => {
    const [engine] = await nodes(1);
    if (engine === undefined) throw new Error("A node was due.");
    const own = new Database({ connectionString: bouncer.connectionString });
    await own.connect();
    await own.query("begin");
    const sender = await engine.openSender("orders");
    await sender.send([message("a")], { transaction: postgresTransaction(own) });
    expect(await engine.peek("orders", { maxMessages: 5 })).toEqual([]);
    const waiting = receive(engine, 30_000);
    await own.query("commit");
    await own.end();
    expect(await waiting).toHaveLength(1);
    await engine.close();
  });

  it("connections recover when the pooler was killed", async () => {
    const [engine] = await nodes(1);
    if (engine === undefined) throw new Error("A node was due.");
    const sender = await engine.openSender("orders");
    await sender.send([message("a")]);
    await bouncer.kill();
    await expect(sender.send([message("b")])).rejects.toMatchObject({ code: "ServiceCommunicationProblem" });
    await bouncer.start();
    await sender.send([message("c")]);
    const there = await engine.peek("orders", { maxMessages: 5 });
    expect(there.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["a", "c"]);
    await engine.close();
  });

  it("an engine without the pooler option is refused with the name of that option", async () => {
    await expect(postgresEngine({ connectionString: bouncer.connectionString })).rejects.toMatchObject({
      code: "InvalidOperation",
      message: expect.stringContaining("transactionPooler"),
    });
  });
});
