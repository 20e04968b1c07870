import { Client as Database } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LockToken, Settlement } from "../../src/core/engine/delivery.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { SobreError } from "../../src/core/errors/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { codeOf } from "./code-of.support.ts";
import { CuttingProxy } from "./cutting-proxy.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let server: PostgresServer;
let proxy: CuttingProxy;
let database: Database;
/** An engine that reaches the server directly, and one that does so through the proxy. */
let direct: Engine;
let engine: Engine;

beforeAll(async () => {
  server = await PostgresServer.create(18);
  proxy = await CuttingProxy.start(`${server.folder}/.s.PGSQL.5432`);
  const queues = { target: { requiresDuplicateDetection: true } };
  direct = await postgresEngine({ connectionString: server.connectionString, migrate: true, queues });
  engine = await postgresEngine({
    connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
    // Nothing but the calls goes through the proxy.
    listenConnectionString: server.connectionString,
    sweepInterval: 3_600_000,
    maxConnections: 2,
  });
  database = new Database({ connectionString: server.connectionString });
  await database.connect();
  // A table that says with which state every change of a message, session or entity fails.
  await database.query("create table trouble (state text)");
  await database.query(`create function trouble() returns trigger language plpgsql as $$ begin
    if exists (select from trouble) then raise 'trouble' using errcode = (select state from trouble limit 1); end if;
    return null; end $$`);
  for (const table of ["delivery", "body", "session", "entity", "seen"])
    await database.query(
      `create trigger trouble after insert or update or delete on sobre.${table} execute function trouble()`,
    );
});
afterAll(async () => {
  await Promise.all([engine.close(), direct.close(), database.end()]);
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const message = (messageId: string, sessionId?: string): Envelope =>
  createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId, sessionId } });

/** A queue of its own, with messages a, b and c, or a queue with sessions and a message in session `s`. */
interface Place {
  readonly queue: string;
  readonly sessions: string;
}

let places = 0;

async function place(): Promise<Place> {
  const made = { queue: `q${places}`, sessions: `s${places++}` };
  await direct.admin.createQueue(made.queue);
  await direct.admin.createQueue(made.sessions, { requiresSession: true });
  const sender = await direct.openSender(made.queue);
  await sender.send(["a", "b", "c"].map((id) => message(id)));
  await (await direct.openSender(made.sessions)).send([message("d", "s")]);
  return made;
}

async function lockedToken({ queue }: Place): Promise<LockToken> {
  const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
  const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  if (delivery?.lockToken === undefined) throw new Error("A delivery was due.");
  return delivery.lockToken;
}

const settling =
  (settlement: Settlement) =>
  async (at: Place): Promise<() => Promise<unknown>> => {
    const token = await lockedToken(at);
    return () => engine.settle(at.queue, token, settlement);
  };

const inSession =
  (call: (session: Awaited<ReturnType<Engine["acceptSession"]>>) => Promise<unknown>) =>
  async ({ sessions }: Place): Promise<() => Promise<unknown>> => {
    const session = await engine.acceptSession(sessions, {
      receiveMode: "peekLock",
      maxWaitTimeInMs: 0,
      sessionId: "s",
    });
    return () => call(session);
  };

const later = createEnvelope({
  payload: Uint8Array.of(1),
  brokerProperties: { messageId: "later", scheduledEnqueueTimeUtc: new Date(8e12) },
});

/** Every kind of call; each prepares what it needs, and returns the call itself. */
const calls: Readonly<Record<string, (at: Place) => Promise<() => Promise<unknown>>>> = {
  async send({ queue }) {
    const sender = await engine.openSender(queue);
    return () => sender.send([message("x"), message("y")]);
  },
  async "send to a queue that detects duplicates"({ queue }) {
    await direct.admin.updateQueue(queue, { forwardTo: "target" });
    const sender = await engine.openSender(queue);
    return () => sender.send([message(`${queue} x`)]);
  },
  async "send to a queue that forwards"({ queue }) {
    await direct.admin.createQueue(`${queue}-to`);
    await direct.admin.updateQueue(queue, { forwardTo: `${queue}-to` });
    const sender = await engine.openSender(queue);
    return () => sender.send([message("x")]);
  },
  schedule:
    async ({ queue }) =>
    () =>
      engine.schedule(queue, [later]),
  async cancel({ queue }) {
    const numbers = await direct.schedule(queue, [later]);
    return () => engine.cancel(queue, numbers);
  },
  async receive({ queue }) {
    const receiver = await engine.openReceiver(queue, { receiveMode: "peekLock" });
    return () => receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
  },
  async "receive and delete"({ queue }) {
    const receiver = await engine.openReceiver(queue, { receiveMode: "receiveAndDelete" });
    return () => receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
  },
  async "receive deferred messages"(at) {
    await (
      await settling({ kind: "defer" })(at)
    )();
    return () => engine.receiveDeferred(at.queue, [1n], { receiveMode: "peekLock" });
  },
  peek:
    async ({ queue }) =>
    () =>
      engine.peek(queue, { maxMessages: 5 }),
  complete: settling({ kind: "complete" }),
  abandon: settling({ kind: "abandon", propertiesToModify: { tries: 1 } }),
  defer: settling({ kind: "defer" }),
  "dead-letter": settling({ kind: "deadLetter", deadLetterReason: "Broken" }),
  async renew(at) {
    const token = await lockedToken(at);
    return () => engine.renew(at.queue, token);
  },
  async "a transaction"(at) {
    const token = await lockedToken(at);
    return async () => {
      const transaction = await engine.begin();
      await engine.settle(at.queue, token, { kind: "complete" }, { transaction });
      await (await engine.openSender(at.queue)).send([message("x")], { transaction });
      await transaction.commit();
    };
  },
  "accept a session":
    async ({ sessions }) =>
    () =>
      engine.acceptSession(sessions, { receiveMode: "peekLock", maxWaitTimeInMs: 0, sessionId: "s" }),
  "receive from a session": inSession((session) => session.receive({ maxMessages: 1, maxWaitTimeInMs: 0 })),
  "renew a session": inSession((session) => session.renewSessionLock()),
  "read a state": inSession((session) => session.getSessionState()),
  "set a state": inSession((session) => session.setSessionState(Uint8Array.of(1))),
  "list sessions":
    async ({ sessions }) =>
    () =>
      engine.listSessions(sessions),
  "delete messages":
    async ({ queue }) =>
    () =>
      engine.deleteMessages(queue, { maxMessages: 2 }),
  "count messages":
    async ({ queue }) =>
    () =>
      engine.admin.getQueueRuntimeProperties(queue),
  "list queues": async () => () => engine.admin.listQueues(),
  "create a queue":
    async ({ queue }) =>
    () =>
      engine.admin.createQueue(`${queue}-new`),
  "update a queue":
    async ({ queue }) =>
    () =>
      engine.admin.updateQueue(queue, { maxDeliveryCount: 3 }),
  "delete a queue":
    async ({ queue }) =>
    () =>
      engine.admin.deleteQueue(queue),
};

const named = Object.entries(calls).map(([name, prepare]) => ({ name, prepare }));

/** Whatever a call may change, as others see it. */
async function seen({ queue, sessions }: Place): Promise<string> {
  const peeked = async (address: string): Promise<unknown> =>
    (await direct.peek(address, { maxMessages: 9 })).map(
      ({ envelope, state, deliveryCount }) =>
        `${String(envelope.brokerProperties.messageId)} ${state} ${deliveryCount} ${Object.keys(envelope.applicationProperties).join()}`,
    );
  if (!(await direct.admin.queueExists(queue))) return "deleted";
  const { maxDeliveryCount } = await direct.admin.getQueue(queue);
  const target = (await direct.peek("target", { maxMessages: 999 })).filter(
    ({ envelope }) => envelope.brokerProperties.messageId === `${queue} x`,
  );
  return JSON.stringify([
    await peeked(queue),
    await peeked(`${queue}/$DeadLetterQueue`),
    await peeked(`${queue}/$Transfer/$DeadLetterQueue`),
    await peeked(sessions),
    await direct.listSessions(sessions, { updatedAfter: new Date(0) }),
    await direct.admin.queueExists(`${queue}-new`),
    maxDeliveryCount,
    target.length,
  ]).replaceAll(queue, "q");
}

describe.each(named)("a call, $name,", ({ prepare }) => {
  it("whose connection is lost at any of its statements has happened whole or not at all, and says that it is open", async () => {
    const undisturbed = await place();
    const call = await prepare(undisturbed);
    const before = await seen(undisturbed);
    await call();
    const after = await seen(undisturbed);

    // A cut before the first statement, and after each: a cut before another one leaves the same behind.
    for (let statements = -1, wasCut = true; wasCut; statements++) {
      const here = await place();
      const again = await prepare(here);
      proxy.arm(statements < 0 ? "request" : "answer", Math.max(statements, 0));
      const error = await again().then(
        () => undefined,
        (caught: unknown) => caught,
      );
      wasCut = proxy.disarm();
      if (error !== undefined) expect(error).toMatchObject({ code: "ServiceCommunicationProblem", retryable: true });
      expect([before, after]).toContain(await seen(here));
    }
  });

  it("that the database refuses for a full disk, a conflict or its time changes nothing, and succeeds when it is repeated", async () => {
    for (const [state, code] of [
      ["53100", "ServiceBusy"],
      ["40001", "ServiceBusy"],
      ["57014", "ServiceTimeout"],
    ]) {
      const here = await place();
      const call = await prepare(here);
      const before = await seen(here);
      await database.query("insert into trouble values ($1)", [state]);
      const error = await call().then(
        () => undefined,
        (caught: unknown) => caught,
      );
      await database.query("delete from trouble");
      // A call that only reads has no trouble.
      if (error === undefined) continue;
      expect(error).toMatchObject({ code, retryable: true });
      expect(await seen(here)).toBe(before);
      expect(await codeOf(call())).toBe("done");
    }
  });
});

describe("a sweep", () => {
  it("delays by a minute a message that the database refuses, and serves the others", async () => {
    const clock = new ManualClock();
    const at = { connectionString: server.connectionString, schema: "refused", clock, sweepInterval: 0 };
    const swept = await postgresEngine({ ...at, migrate: true, queues: ["poison", "orders"] });
    const soon = createEnvelope({
      payload: Uint8Array.of(1),
      brokerProperties: { messageId: "soon", scheduledEnqueueTimeUtc: new Date(clock.now() + 1000) },
    });
    await swept.schedule("poison", [soon]);
    await swept.schedule("orders", [soon]);
    await database.query(`create function refused.refuse() returns trigger language plpgsql as $$ begin
      if new.state = 0 and new.queue = (select id * 4 from refused.entity where key = 'poison')
      then raise 'refused' using errcode = '22021'; end if; return new; end $$`);
    await database.query(
      "create trigger refuse before insert on refused.delivery for each row execute function refused.refuse()",
    );
    const states = async (queue: string): Promise<unknown> =>
      (await swept.peek(queue, { maxMessages: 9 })).map(({ state }) => state);

    await clock.advance(1000);
    const during = [await states("orders"), await states("poison")];
    await database.query("drop trigger refuse on refused.delivery");
    await clock.advance(60_000);

    expect(during).toEqual([["active"], ["scheduled"]]);
    expect(await states("poison")).toEqual(["active"]);
    await swept.close();
  });

  it("deletes due messages of entities that are gone", async () => {
    const clock = new ManualClock();
    const at = { connectionString: server.connectionString, schema: "orphans", clock, sweepInterval: 0 };
    const swept = await postgresEngine({ ...at, migrate: true, queues: ["orders"] });
    await swept.schedule("orders", [later]);
    await database.query(`insert into orphans.delivery (queue, seq, due, count, size, state)
      select 4000, n, 1, 0, 1, 2 from generate_series(1, 500) n`);
    await database.query(`insert into orphans.body (queue, seq, number, enqueued_number, enqueued_at, message)
      select 4000, n, n, n, 1, (select message from orphans.body limit 1) from generate_series(1, 500) n`);

    await clock.advance(1000);
    await swept.peek("orders", { maxMessages: 1 });

    const { rows } = await database.query("select from orphans.delivery where queue = 4000");
    expect(rows).toHaveLength(0);
    await swept.close();
  });
});

describe("an id with U+0000", () => {
  it.each(["messageId", "sessionId", "partitionKey"])("is refused at the send when it is the %s", async (name) => {
    const { queue } = await place();
    const sender = await direct.openSender(queue);
    const envelope = createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { [name]: "a\0b" } });

    await expect(sender.send([envelope])).rejects.toMatchObject({
      code: "InvalidArgument",
      path: `$.brokerProperties.${name}`,
    });
  });
});

const to = (connectionString: string): Promise<string> => codeOf(postgresEngine({ connectionString }));

describe("a database", () => {
  it("that cannot be reached, or has no such database or role, has its code", async () => {
    const { connectionString } = server;
    expect(await to("postgres://postgres@127.0.0.1:1/postgres")).toBe("ServiceCommunicationProblem");
    expect(await to(connectionString.replace("/postgres?", "/nothing?"))).toBe("InvalidOperation");
    expect(await to(connectionString.replace("//postgres@", "//nobody@"))).toBe("UnauthorizedAccess");
    for (const wrong of ["nonsense", "http://host/shop", "postgres://a:secret@[b/c"]) {
      const error = await postgresEngine({ connectionString: wrong }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: "InvalidArgument", path: "$.connectionString" });
      expect(error).not.toHaveProperty("cause");
      expect(error instanceof SobreError && error.message).not.toContain("secret");
    }
  });

  it("that does not answer in time ends a statement and a transaction, and nothing is half done", async () => {
    const { connectionString } = server;
    const impatient = await postgresEngine({
      connectionString,
      statementTimeout: 300,
      sweepInterval: 3_600_000,
    });
    const here = await place();
    const token = await lockedToken(here);
    const before = await seen(here);
    await database.query("begin");
    await database.query("lock table sobre.body in access exclusive mode");
    const sender = await impatient.openSender(here.queue);
    const outcomes = [
      await codeOf(sender.send([message("x")])),
      await codeOf(impatient.settle(here.queue, token, { kind: "deadLetter" })),
    ];
    await database.query("commit");
    expect(outcomes).toEqual(["ServiceTimeout", "ServiceTimeout"]);
    expect(await seen(here)).toBe(before);
    expect(await codeOf(impatient.settle(here.queue, token, { kind: "deadLetter" }))).toBe("done");
    await impatient.close();
  });

  it("that goes away ends a receive that waits, which succeeds when it is back", async () => {
    await using own = await PostgresServer.create(18, ["synchronous_commit=on"]);
    const kept = await postgresEngine({ connectionString: own.connectionString, migrate: true, queues: ["orders"] });
    const receiver = await kept.openReceiver("orders", { receiveMode: "peekLock" });
    const wait = { maxMessages: 1, maxWaitTimeInMs: 30_000 };
    const waiting = codeOf(receiver.receive(wait));
    await own.kill();
    expect(await waiting).toBe("ServiceCommunicationProblem");
    await own.start();
    const again = receiver.receive(wait);
    await (await kept.openSender("orders")).send([message("a")]);
    expect(await again).toHaveLength(1);
    await kept.close();
  });
});
