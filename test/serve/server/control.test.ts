import { describe, expect, it, onTestFinished } from "vitest";
import { ServiceBusClient } from "@azure/service-bus";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { writeSas } from "../../../src/wire/http/sas.ts";
import { type Server, type ServerOptions, startServer } from "../../../src/serve/server/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

const message = createEnvelope({ payload: Buffer.from("7"), brokerProperties: { contentType: "application/json" } });

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Controlled {
  readonly server: Server;
  readonly engine: Engine;
  readonly ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
}

async function start(options: ServerOptions = {}): Promise<Controlled> {
  const server = await startServer({ control: true, queues: ["orders"], ...options });
  const engine = azureEngine({ connectionString: server.connectionString, minWaitTime: 0 });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  return {
    server,
    engine,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${server.port}/$control/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type") === "application/json";
      return { status: response.status, body: isJson ? JSON.parse(text) : undefined };
    },
  };
}

const send = async (engine: Engine, entity = "orders"): Promise<void> =>
  (await engine.openSender(entity)).send([message]);

const total = async (engine: Engine, entity = "orders"): Promise<number> =>
  (await engine.admin.getQueueRuntimeProperties(entity)).totalMessageCount;

describe("the control of a server", () => {
  it("empties one entity, or all", async () => {
    const { server, engine, ask } = await start({ queues: ["orders", "refunds"] });
    for (const entity of ["orders", "refunds"]) await send(engine, entity);
    expect(await ask("POST", "reset", { entity: "orders" })).toEqual({ status: 204, body: undefined });
    expect([await total(server.engine), await total(server.engine, "refunds")]).toEqual([0, 1]);
    expect((await ask("POST", "reset")).status).toBe(204);
    expect(await total(server.engine, "refunds")).toBe(0);
  });

  it.each(["PT1M", "1m", "60s", 60_000])("advances virtual time by %j", async (advance) => {
    const { ask } = await start({ clock: new ManualClock(Date.UTC(2026, 0, 1)) });
    expect(await ask("POST", "clock", { advance })).toMatchObject({ body: { now: "2026-01-01T00:01:00.000Z" } });
  });

  it.each(["PT10S", "10s", 10_000])("delays messages by %j", async (by) => {
    const clock = new ManualClock();
    const { server, engine, ask } = await start({ clock });
    expect((await ask("POST", "faults", { kind: "delay", by })).status).toBe(204);
    await send(engine);
    await clock.advance("9s");
    const before = await server.engine.admin.getQueueRuntimeProperties("orders");
    await clock.advance("1s");
    const after = await server.engine.admin.getQueueRuntimeProperties("orders");
    expect([before.activeMessageCount, after.activeMessageCount]).toEqual([0, 1]);
  });

  it("advances virtual time, so that locks end", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const { engine, ask } = await start({ clock, queues: { orders: { lockDuration: "PT30S" } } });
    await send(engine);
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5000 });
    if (delivery?.lockToken === undefined) throw new Error("nothing was received");
    expect(await ask("POST", "clock", { advance: "PT31S" })).toEqual({
      status: 200,
      body: { now: "2026-01-01T00:00:31.000Z", virtual: true },
    });
    await expect(engine.settle("orders", delivery.lockToken, { kind: "complete" })).rejects.toMatchObject({
      code: "MessageLockLost",
    });
  });

  it("does not advance real time", async () => {
    const { ask } = await start();
    expect(await ask("POST", "clock", { advance: "PT1S" })).toMatchObject({
      body: { error: { code: "InvalidOperation" } },
    });
    expect(await ask("GET", "clock")).toMatchObject({ body: { virtual: false } });
  });

  it("lets operations fail, and locks be lost", async () => {
    const { engine, ask } = await start();
    await ask("POST", "faults", { kind: "refuse", operation: "send", code: "QuotaExceeded", entity: "orders" });
    await expect(send(engine)).rejects.toMatchObject({ code: "QuotaExceeded" });
    await send(engine);
    await ask("POST", "faults", { kind: "loseLock" });
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5000 });
    if (delivery?.lockToken === undefined) throw new Error("nothing was received");
    await expect(engine.settle("orders", delivery.lockToken, { kind: "complete" })).rejects.toMatchObject({
      code: "MessageLockLost",
    });
  });

  it("delays messages by the broker's clock, and takes faults back", async () => {
    const clock = new ManualClock();
    const { server, engine, ask } = await start({ clock });
    await ask("POST", "faults", { kind: "delay", by: "PT10S" });
    await send(engine);
    const counts = await server.engine.admin.getQueueRuntimeProperties("orders");
    expect(counts).toMatchObject({ scheduledMessageCount: 1, activeMessageCount: 0 });
    await ask("POST", "faults", { kind: "drop" });
    await ask("DELETE", "faults");
    await send(engine);
    expect(await total(server.engine)).toBe(2);
  });

  it("cuts clients, which connect again", async () => {
    const { engine, ask } = await start();
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const waiting = receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    const failed = expect(waiting).rejects.toMatchObject({ code: "ServiceCommunicationProblem" });
    await ask("POST", "faults", { kind: "cut" });
    await failed;
    await send(engine);
  });

  it("makes namespaces that share nothing, and drops them", async () => {
    const { server, ask } = await start();
    const { body } = await ask("PUT", "namespaces/run-1", {
      queues: { orders: { maxDeliveryCount: 2 } },
      topics: ["t"],
    });
    const connectionString = String(Object(body).connectionString);
    await using other = azureEngine({ connectionString });
    await send(other);
    expect(await total(server.engine)).toBe(0);
    expect((await other.admin.getQueue("orders")).maxDeliveryCount).toBe(2);
    expect(await ask("GET", "namespaces")).toMatchObject({ body: ["run-1"] });
    expect((await ask("POST", "reset?namespace=run-1")).status).toBe(204);
    expect(await total(other)).toBe(0);
    expect((await ask("DELETE", "namespaces/run-1")).status).toBe(204);
    expect(await ask("GET", "namespaces")).toMatchObject({ body: [] });
    expect((await ask("DELETE", "namespaces/run-1")).status).toBe(404);
  });

  it("lists what the official client sent, also after it was received", async () => {
    const { server, ask } = await start();
    const client = new ServiceBusClient(server.connectionString);
    onTestFinished(() => client.close());
    await client.createSender("orders").sendMessages({ body: { id: 7 }, subject: "order" });
    const receiver = client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    expect(await receiver.receiveMessages(1)).toHaveLength(1);
    const { body } = await ask("GET", "sent?entity=Orders");
    expect(body).toMatchObject({
      messages: [{ entity: "orders", envelope: { brokerProperties: { subject: "order" } } }],
      forgotten: 0,
    });
    await ask("DELETE", "sent");
    expect(await ask("GET", "sent")).toMatchObject({ body: { messages: [] } });
  });

  it("describes itself, with an operation for each route", async () => {
    const { ask } = await start();
    const { body } = await ask("GET", "openapi.json");
    const { openapi, paths } = Object(body);
    expect(openapi).toBe("3.1.0");
    expect(Object.keys(Object(paths))).toEqual([
      "/$control/reset",
      "/$control/clock",
      "/$control/faults",
      "/$control/sent",
      "/$control/namespaces",
      "/$control/namespaces/{name}",
    ]);
  });
});

const signed = (name: string, value: string, resource = "sb://localhost/"): Record<string, string> => ({
  authorization: writeSas(resource, { name, value }, Date.now() + 60_000),
});

describe("requests that the control refuses", () => {
  it.each([
    ["POST", "clock", { advance: "tomorrow" }],
    ["POST", "clock", { advance: -1 }],
    ["POST", "clock", { advance: "5" }],
    ["POST", "faults", { kind: "delay", by: "5" }],
    ["POST", "clock", "{"],
    ["POST", "reset", { entitty: "orders" }],
    ["POST", "faults", { kind: "refuse", operation: "send", code: "Nothing" }],
    ["POST", "faults", { kind: "explode" }],
    ["POST", "faults", { kind: "delay", by: "PT1S", times: 0 }],
    ["PUT", "namespaces/run-1", { queues: { orders: { maxDeliveryCuont: 2 } } }],
    ["PUT", "namespaces/a_b", {}],
  ])("%s %s %j is InvalidArgument", async (method, path, body) => {
    const { ask } = await start({ clock: new ManualClock() });
    expect(await ask(method, path, body)).toMatchObject({ status: 400, body: { error: { code: "InvalidArgument" } } });
  });

  it("says which methods a path takes", async () => {
    const { ask } = await start();
    expect((await ask("PATCH", "clock")).status).toBe(405);
    expect((await ask("GET", "time")).status).toBe(404);
    expect((await ask("POST", "reset", { entity: "missing" })).status).toBe(404);
    expect((await ask("GET", "sent?namespace=missing")).status).toBe(404);
  });

  it("needs Manage on the namespace where there are keys, and a key opens its namespace alone", async () => {
    const { server, ask } = await start({ keys: { root: "secret", reader: { key: "other", rights: ["Listen"] } } });
    const { connectionString } = server.namespace("run-1", { queues: ["orders"] });
    const [, runKey = ""] = /SharedAccessKey=([^;]+)/.exec(connectionString) ?? [];
    // A refusal is answered after a pause.
    const refused = await Promise.all([
      ask("POST", "reset"),
      ask("POST", "reset", {}, signed("reader", "other")),
      ask("POST", "reset", {}, signed("root", "secret", "sb://localhost/orders")),
      ask("POST", "reset", {}, signed("root", "secret", "sb://localhost/$control")),
      ask("PUT", "namespaces/x", {}, signed("run-1", runKey)),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect((await ask("POST", "reset", {}, signed("root", "secret"))).status).toBe(204);
    expect((await ask("POST", "reset", {}, signed("run-1", runKey))).status).toBe(204);
    expect((await ask("POST", "reset?namespace=run-1", {}, signed("root", "secret"))).status).toBe(204);
  });

  it("moves the time of all namespaces only with a key of the server's own, where it has keys", async () => {
    const clock = new ManualClock();
    const { server, ask } = await start({ clock, keys: { root: "secret" } });
    server.namespace("run-1", { keys: { "run-1": "its own" } });
    const open = await start({ clock });
    open.server.namespace("run-1");
    const move = { advance: "PT1M" };

    expect((await ask("POST", "clock", move, signed("run-1", "its own"))).status).toBe(401);
    expect((await ask("GET", "clock", undefined, signed("run-1", "its own"))).status).toBe(200);
    expect((await ask("POST", "clock", move, signed("root", "secret"))).status).toBe(200);
    expect((await open.ask("POST", "clock", move, signed("run-1", "SAS_KEY_VALUE"))).status).toBe(200);
  });

  it("is not for pages of other sites", async () => {
    const { ask } = await start();
    expect((await ask("POST", "reset", {}, { origin: "https://evil.example" })).status).toBe(401);
  });

  it("is nowhere without the option", async () => {
    const { ask } = await start({ control: false });
    expect(await ask("GET", "clock")).toEqual({ status: 404, body: undefined });
  });
});
