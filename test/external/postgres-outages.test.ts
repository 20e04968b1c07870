import { setTimeout } from "node:timers/promises";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { CuttingProxy } from "./cutting-proxy.support.ts";
import { PgBouncer } from "./pgbouncer.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";
import { ServeNode } from "./serve-node.support.ts";

let server: PostgresServer;
let bouncer: PgBouncer;

beforeAll(async () => {
  // It is killed, and keeps what it has committed.
  server = await PostgresServer.create(15, []);
  bouncer = await PgBouncer.start(server, ["server_login_retry = 1"]);
});
afterAll(async () => {
  await bouncer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const message = (): ReturnType<typeof createEnvelope> => createEnvelope({ payload: Uint8Array.of(1) });

const eventually = (check: () => Promise<unknown>): Promise<unknown> =>
  vi.waitFor(check, { timeout: 40_000, interval: 200 });

describe("an outage of the database behind PgBouncer", () => {
  it("is worth another attempt for every call, with an unknown outcome, and is over when the database is back", async () => {
    await using engine = await postgresEngine({
      connectionString: bouncer.connectionString,
      transactionPooler: true,
      schema: "outage",
      statementTimeout: "2s",
      migrate: true,
      queues: ["orders"],
    });
    const sender = await engine.openSender("orders");
    await sender.send([message()]);

    await server.kill();
    const refusals: unknown[] = [];
    for (let attempt = 0; attempt < 20; attempt++) {
      await sender.send([message()]).catch((error: unknown) => refusals.push(error));
      await setTimeout(50);
    }
    await server.start();

    // The processes of the database do their last work after the first of them was killed.
    expect(refusals.length).toBeGreaterThan(10);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: "ServiceCommunicationProblem", retryable: true, outcome: "unknown" });
    await eventually(() => sender.send([message()]));
  });

  it("after which the last commits are lost, as after a failover to a server that lags, keeps nothing from going on", async () => {
    const connectionString = bouncer.connectionString;
    const reached = { connectionString, transactionPooler: true, schema: "lagging", migrate: true };
    await using engine = await postgresEngine({ ...reached, queues: ["orders"] });
    await engine.admin.createQueue("lost");
    const sender = await engine.openSender("orders");
    const client = new Client({ connectionString: server.connectionString });
    await client.connect();
    await client.query(
      "delete from lagging.entity where key = 'lost'; update lagging.namespace set version = version - 1",
    );
    await client.end();

    await sender.send([message()]);

    expect(await engine.peek("orders", { maxMessages: 5 })).toHaveLength(1);
    expect(await engine.admin.listQueues()).toEqual(["orders"]);
  });

  it("at the start of `sobre serve` is waited for", async () => {
    await server.kill();
    const options = ["--transaction-pooler", "--schema", "late", "--migrate", "--queue", "orders"];
    const starting = ServeNode.start(["--postgres", bouncer.connectionString, ...options]);
    // Until it has tried.
    await setTimeout(2000);
    await server.start();

    await using node = await starting;
    await node.client().createSender("orders").sendMessages({ body: 1 });
    expect(await node.client().createReceiver("orders").peekMessages(1)).toHaveLength(1);
  });
});

describe("the start of `sobre serve`", () => {
  it("survives a connection to the database that is cut, wherever that happens", async () => {
    await using proxy = await CuttingProxy.start(`${server.folder}/.s.PGSQL.5432`);
    const postgres = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const options = ["--schema", "cut", "--migrate", "--queue", "orders", "--namespace", "cut-too"];
    let cuts = 0;
    // Every third request: a start takes a second.
    for (; cuts < 80; cuts += 3) {
      proxy.arm("request", cuts);
      await using node = await ServeNode.start(["--postgres", postgres, ...options]);
      const wasCut = proxy.disarm();
      await eventually(() => node.client().createReceiver("orders").peekMessages(1));
      if (!wasCut) break;
    }

    expect(cuts).toBeGreaterThan(10);
    expect(cuts).toBeLessThan(80);
  }, 300_000);
});

describe("a sweep that has waited for its connection", () => {
  it("is not followed by a pause of many times as long: after the end of a lock, the message comes within seconds", async () => {
    await using pool = Object.assign(new Pool({ connectionString: server.connectionString }), {
      [Symbol.asyncDispose]: () => pool.end(),
    });
    let isSlow = false;
    const query = pool.query.bind(pool);
    const delayed = async (...given: Parameters<typeof query>): Promise<unknown> => {
      if (isSlow && String(Reflect.get(Object(given[0]), "text")).includes("cross join lateral")) {
        isSlow = false;
        await setTimeout(3000);
      }
      return query(...given);
    };
    const reached = { on: pool.on.bind(pool), connect: pool.connect.bind(pool), query: delayed };
    const setup = { schema: "waited", migrate: true, queues: { orders: { lockDuration: 1000 } } };
    // A pooler makes the queries of a pool wait.
    await using engine = await postgresEngine({ pool: Object.assign(Object.create(pool), reached), ...setup });
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await sender.send([message()]);
    await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 10_000 });
    isSlow = true;
    await vi.waitFor(() => expect(isSlow).toBe(false), { timeout: 10_000 });

    const [again] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 12_000 });

    expect(again?.deliveryCount).toBe(1);
  });
});
