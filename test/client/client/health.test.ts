import { describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { Signals } from "../../../src/client/client/signals.ts";
import { noting, one, setup } from "./setup.support.ts";

const figuresOf = (client: ReturnType<typeof setup>["client"], entityPath: string) =>
  one(client.health().entities.filter((entity) => entity.entityPath === entityPath));

const retryable = (error: unknown): boolean => error instanceof Error && error.message !== "hopeless";

describe("the health of a client", () => {
  it("is good while its processors run, and counts what they did", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    client.startProcessor("orders", noting(vi.fn()).handlers);

    await client.createSender("orders").sendMessages([{ body: 1 }]);
    await clock.advance(0);

    expect(client.health()).toMatchObject({
      status: "healthy",
      processors: [{ entityPath: "orders", status: "running", inFlight: 0, buffered: 0, error: undefined }],
    });
    expect(figuresOf(client, "orders")).toMatchObject({
      engine: "memory",
      sent: 1,
      received: 1,
      settled: { complete: 1, deadLetter: 0 },
      openLinks: 2,
      lostLinks: 0,
    });
  });

  it("lists an ended processor until another is started on its own entity, beyond 1,000 entities, too", () => {
    const { engine } = setup({});
    const signals = new Signals(engine);
    for (let entity = 0; entity < 1_000; entity++) signals.of(`queue-${entity}`);
    const watch = (entityPath: string, status: "ended" | "running"): void =>
      signals
        .of(entityPath)
        .watch({ health: () => ({ entityPath, status, inFlight: 0, buffered: 0, error: undefined }) });
    watch("orders", "ended");
    watch("bills", "running");
    const before = signals.processors().map(({ entityPath, status }) => `${entityPath} ${status}`);
    watch("orders", "running");

    expect(before).toEqual(["orders ended", "bills running"]);
    expect(signals.processors().map(({ status }) => status)).toEqual(["running", "running"]);
  });

  it("ends its metrics when closing fails, too", async () => {
    const { engine, clock } = setup({});
    const stop = vi.fn();
    const broken = { ...engine, close: () => Promise.reject(new Error("broker away")) };
    const metrics = { start: () => ({ handled: vi.fn(), stop }) };
    const serializer = createSerializer({ codecs: [json()] });
    const client = createClient({ engine: broken, clock, serializer, metrics, closeEngine: true });

    await expect(client.close()).rejects.toThrow("broker away");
    expect(stop).toHaveBeenCalledOnce();
  });

  it("counts settlements by outcome, dead letters by reason and retries by kind", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    client.startProcessor(
      "orders",
      {
        async processMessage(message, context) {
          if (message.body === "late") await context.deadLetterMessage(message, { deadLetterReason: "TooLate" });
          else throw new Error(String(message.body));
        },
        processError: () => undefined,
      },
      { retries: { immediate: 1, delayed: ["10s"], jitter: 0, retryable } },
    );
    await client
      .createSender("orders")
      .sendMessages([{ body: "hopeless" }, { body: "late" }, { body: "weather", subject: "tried" }]);
    for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);

    const { settled, deadLettered, retries } = figuresOf(client, "orders");
    expect(settled).toEqual({ complete: 1, abandon: 2, defer: 0, deadLetter: 3, release: 0 });
    expect(new Map(deadLettered)).toEqual(
      new Map([
        ["NotRetryable", 1],
        ["TooLate", 1],
        ["RetriesExhausted", 1],
      ]),
    );
    expect(retries).toEqual({ call: 0, immediate: 2, delayed: 1 });
  });

  it("counts failed sends by code", async () => {
    const { client } = setup({ queues: ["orders"] });
    await client
      .createSender("nowhere")
      .sendMessages([{ body: 1 }, { body: 2 }])
      .catch(() => undefined);

    expect(figuresOf(client, "nowhere").sendFailures).toEqual(new Map([["MessagingEntityNotFound", 2]]));
  });

  it("knows the messages in handlers and in the buffer", async () => {
    const { client, clock } = setup({ queues: ["orders"] });
    const finish: (() => void)[] = [];
    const { handlers } = noting(() => new Promise<void>((resolve) => finish.push(resolve)));
    const processor = client.startProcessor("orders", handlers, { maxConcurrentCalls: 2, prefetchCount: 5 });
    await client.createSender("orders").sendMessages(Array.from({ length: 20 }, (_, body) => ({ body })));
    await clock.advance(0);

    const { processors } = client.health();
    const closing = processor.close();
    for (const end of finish) end();
    await closing;

    expect(processors).toMatchObject([{ inFlight: 2, buffered: 5 }]);
    expect(client.health().processors).toEqual([]);
  });

  it("is degraded in a pause, and while a link is lost", async () => {
    const { client, clock, faults } = setup({ queues: ["orders", "stock"] });
    client.startProcessor("orders", noting(() => Promise.reject(new Error("away"))).handlers, {
      pauseWhen: { consecutiveFailures: 1, pause: "10m", maxPause: "1h" },
    });
    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(1_000);
    const paused = client.health();
    await client.close();

    const other = setup({ queues: ["stock"] });
    other.client.startProcessor("stock", noting(vi.fn()).handlers);
    await other.clock.advance(0);
    other.faults.refuse("open", "ServiceCommunicationProblem", { times: Infinity });
    await other.faults.cut();
    await other.clock.advance(1_000);
    const lost = other.client.health();
    other.faults.clear();
    await other.clock.advance(60_000);

    expect(paused).toMatchObject({ status: "degraded", processors: [{ status: "paused" }] });
    expect(lost).toMatchObject({ status: "degraded", entities: [{ lostLinks: 1, openLinks: 0 }] });
    expect(other.client.health()).toMatchObject({ status: "healthy", entities: [{ lostLinks: 0, reconnects: 1 }] });
    faults.clear();
  });

  it("has failed when a processor has ended, until that one is closed", async () => {
    const { client, clock } = setup({});
    const processor = client.startProcessor("nowhere", noting(vi.fn()).handlers);
    await clock.advance(0);
    const failed = client.health();
    await processor.close();

    expect(failed).toMatchObject({
      status: "failed",
      processors: [{ entityPath: "nowhere", status: "ended", error: { code: "MessagingEntityNotFound" } }],
    });
    expect(client.health().status).not.toBe("failed");
  });

  it("is good again when a processor that has ended was started again", async () => {
    const { client, clock, engine } = setup({});
    client.startProcessor("orders", noting(vi.fn()).handlers);
    await clock.advance(0);
    const failed = client.health();
    await engine.admin.createQueue("orders");
    client.startProcessor("orders", noting(vi.fn()).handlers);
    await clock.advance(0);

    expect(failed.status).toBe("failed");
    expect(client.health()).toMatchObject({ status: "healthy", processors: [{ status: "running" }] });
  });

  it("counts entities beyond the thousandth together", async () => {
    const { client } = setup({});
    for (let id = 0; id < 1_010; id++) client.createSender(`queue-${id}`);

    const { entities } = client.health();
    expect(entities).toHaveLength(1_001);
    expect(entities.at(-1)?.entityPath).toBe("_OTHER");
  });

  it("is healthy again after a reply to a queue that is gone", async () => {
    const { client, engine, clock } = setup({ queues: ["prices", "replies"] });
    client.startResponder("prices", { processRequest: () => ({ body: 1 }), processError: () => undefined });
    const sender = client.createSender("prices");
    await sender.sendMessages({ body: 1, replyTo: "replies" });
    await clock.advance(1_000);
    await engine.admin.deleteQueue("replies");
    await sender.sendMessages({ body: 2, replyTo: "replies" });
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);

    expect(client.health()).toMatchObject({ status: "healthy" });
    expect(client.health().entities.find(({ entityPath }) => entityPath === "replies")).toMatchObject({
      sent: 1,
      sendFailures: expect.toSatisfy((failures: ReadonlyMap<string, number>) =>
        failures.has("MessagingEntityNotFound"),
      ),
      lostLinks: 0,
    });
  });

  it("counts reply addresses beyond the hundredth entity together", async () => {
    const queues = ["prices", ...Array.from({ length: 120 }, (_, id) => `replies-${id}`)];
    const { client, clock } = setup({ queues });
    client.startResponder("prices", { processRequest: () => ({ body: 1 }), processError: () => undefined });
    const sender = client.createSender("prices");
    for (let id = 0; id < 120; id++) await sender.sendMessages({ body: id, replyTo: `replies-${id}` });
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);

    const { entities } = client.health();
    expect(entities).toHaveLength(101);
    expect(entities.at(-1)).toMatchObject({ entityPath: "_OTHER", sent: 21 });
  });
});
