import { Client as Database } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { Database as Reached } from "../../src/broker/postgres/database.ts";
import { migratePostgres, postgresEngine, type PostgresEngineOptions } from "../../src/broker/postgres/index.ts";
import { migrate, migrations } from "../../src/broker/postgres/schema.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";
import { codeOf } from "./code-of.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
let database: Database;
beforeAll(async () => {
  server = await PostgresServer.create(18);
  database = new Database({ connectionString: server.connectionString });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server[Symbol.asyncDispose]();
});

const open = (schema: string, options: PostgresEngineOptions = {}): Promise<Engine> =>
  postgresEngine({ connectionString: server.connectionString, schema, ...options });

const message = createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId: "a", sessionId: "s" } });

/** Sends a message to `orders` and completes what it receives there. */
async function exchange(engine: Engine): Promise<number> {
  const sender = await engine.openSender("orders");
  await sender.send([createEnvelope({ payload: Uint8Array.of(1) })]);
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  const deliveries = await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 5000 });
  for (const { lockToken } of deliveries)
    if (lockToken !== undefined) await engine.settle("orders", lockToken, { kind: "complete" });
  await Promise.all([sender.close(), receiver.close()]);
  return deliveries.length;
}

/** Brings the tables of a schema to those of another release. */
async function release(schema: string, steps: typeof migrations): Promise<void> {
  const reached = new Reached({
    connectionString: server.connectionString,
    statementTimeout: 10_000,
    maxConnections: 1,
  });
  await migrate(reached, `"${schema}"`, steps).finally(() => reached.close());
}

const next = [
  ...migrations,
  ["alter table $schema.namespace add column later text", "alter table $schema.entity add column later text"],
];

describe("the tables", () => {
  it("are made on the first use when that is allowed, and asked for otherwise", async () => {
    expect(await codeOf(open("first"))).toBe("InvalidOperation");
    await expect(open("first")).rejects.toThrow("has no tables of sobre, and this release needs version");
    const engine = await open("first", { migrate: true, queues: ["orders"] });
    expect(await exchange(engine)).toBe(1);
    await engine.close();
    await (await open("first")).close();
  });

  it("have no part in an error of the entities to create, which names the entity and the option", async () => {
    const error = await open("wrong", { migrate: true, queues: { orders: { maxDeliveryCount: 0 } } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ code: "InvalidArgument", message: expect.stringContaining("The queue orders:") });
  });

  it("have their versions recorded, and are upgraded from each", async () => {
    await release("old", migrations.slice(0, 1));
    expect(await codeOf(open("old"))).toBe("InvalidOperation");
    const terminal = captureTerminal();
    const args = ["postgres", "migrate", server.connectionString, "--schema", "old"];
    const migrated = async (): Promise<number> => run(args, { version: "0", mailbox: "." }, terminal);
    expect([await migrated(), await migrated()]).toEqual([0, 0]);
    const last = migrations.length;
    expect(terminal.text()).toBe(
      `The schema old went from version 1 to ${last}.\nThe schema old has version ${last} already.\n`,
    );
    const { rows } = await database.query("select version from old.migration order by version");
    expect(rows.map(({ version }) => Number(version))).toEqual(migrations.map((_, index) => index + 1));
    await (await open("old")).close();
  });

  it("are upgraded once when several processes ask, and not at all when a step fails", async () => {
    await Promise.all(
      [1, 2, 3, 4].map(() => migratePostgres({ connectionString: server.connectionString, schema: "once" })),
    );
    const broken = [...migrations, ["alter table $schema.namespace add column half text", "select broken"]];
    await expect(release("once", broken)).rejects.toThrow();
    const columns = await database.query(
      "select 1 from information_schema.columns where table_schema = 'once' and column_name = 'half'",
    );
    expect(columns.rows).toEqual([]);
    await (await open("once")).close();
  });

  it("may be upgraded under running nodes of an older release, which go on; those that start are refused", async () => {
    const engine = await open("running", { migrate: true, queues: ["orders"] });
    // Until its plans are generic ones, and cached.
    for (let round = 0; round < 7; round++) await exchange(engine);
    await release("running", next);
    for (let round = 0; round < 7; round++) expect(await exchange(engine)).toBe(1);
    await engine.admin.createQueue("later");
    expect(await engine.admin.listQueues()).toEqual(["later", "orders"]);
    await engine.close();
    for (const allowed of [true, false])
      await expect(open("running", { migrate: allowed })).rejects.toMatchObject({
        code: "InvalidOperation",
        message: expect.stringContaining("Use a newer release of sobre"),
      });
  });

  it("are not waited for longer than 5 seconds: the nodes that use them would wait behind the upgrade", async () => {
    await migratePostgres({ connectionString: server.connectionString, schema: "busy" });
    await database.query("begin");
    await database.query("select * from busy.namespace");
    const outcome = await codeOf(release("busy", next));
    await database.query("commit");
    expect(outcome).toBe("ServiceBusy");
    await (await open("busy")).close();
  });
});

describe("a role that may only send and receive", () => {
  it("does everything with messages, and nothing with entities or tables", async () => {
    await database.query("create role service login");
    const owner = await open("rights", {
      migrate: true,
      queues: { orders: {}, carts: { requiresSession: true }, once: { requiresDuplicateDetection: true } },
      topics: { news: { subscriptions: ["all"] } },
    });
    const connectionString = server.connectionString.replace("//postgres@", "//service@");
    expect(await codeOf(open("rights", { connectionString }))).toBe("UnauthorizedAccess");
    await migratePostgres({ connectionString: server.connectionString, schema: "rights", grantTo: ["service"] });
    // Its sequences come after the grant.
    await owner.admin.createQueue("later", { enablePartitioning: true });

    const service = await open("rights", { connectionString });
    expect(await exchange(service)).toBe(1);
    for (const entity of ["carts", "once", "news", "later"]) await (await service.openSender(entity)).send([message]);
    await service.schedule("orders", [
      createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { scheduledEnqueueTimeUtc: new Date(8e12) } }),
    ]);
    const session = await service.acceptSession("carts", {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 1000,
      sessionId: undefined,
    });
    await session.setSessionState(Uint8Array.of(1));
    const [delivery] = await session.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
    if (delivery?.lockToken !== undefined)
      await service.settle("carts", delivery.lockToken, { kind: "deadLetter", deadLetterReason: "Broken" });
    await session.close();
    const transaction = await service.begin();
    await (await service.openSender("later")).send([message], { transaction });
    await transaction.commit();
    expect((await service.admin.getQueueRuntimeProperties("later")).activeMessageCount).toBe(2);
    expect((await service.admin.getQueueRuntimeProperties("carts")).deadLetterMessageCount).toBe(1);

    const refused = [
      service.admin.createQueue("own"),
      service.admin.updateQueue("orders", { maxDeliveryCount: 3 }),
      service.admin.deleteQueue("orders"),
      service.admin.createRule("news", "all", "r", { filter: { kind: "true" } }),
      migratePostgres({ connectionString, schema: "of_its_own" }),
    ];
    expect(new Set(await Promise.all(refused.map(codeOf)))).toEqual(new Set(["UnauthorizedAccess"]));
    await Promise.all([service.close(), owner.close()]);
  });
});

describe("message ids of duplicate detection", () => {
  it("are deleted once their time is over, however many there are", async () => {
    const clock = new ManualClock();
    const ids = { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: 20_000 };
    const queues = { orders: ids, carts: ids };
    const engine = await open("ids", { migrate: true, sweepInterval: 0, clock, queues });
    for (const queue of ["orders", "carts"]) await (await engine.openSender(queue)).send([message]);
    await database.query(
      "insert into ids.seen select entity, n::text, at from ids.seen, generate_series(1, 12000) as n where entity = (select min(entity) from ids.seen)",
    );
    const left = async (): Promise<unknown> =>
      (await database.query("select count(*)::int as left from ids.seen")).rows;
    await clock.advance(19_999);
    await engine.admin.queueExists("orders");
    expect(await left()).toEqual([{ left: 12_002 }]);
    await clock.advance(10_000);
    await engine.admin.queueExists("orders");
    expect(await left()).toEqual([{ left: 0 }]);
    await engine.close();
  });
});
