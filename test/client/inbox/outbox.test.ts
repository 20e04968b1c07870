import { describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import type { Client } from "../../../src/client/client/index.ts";
import type { Engine, EngineSender } from "../../../src/core/engine/index.ts";
import {
  memoryOutbox,
  type MemoryOutbox,
  type Outbox,
  type OutboxOptions,
  type MemoryTransaction,
  startOutbox,
} from "../../../src/client/inbox/index.ts";
import { type TestEngine, testEngine } from "../../../src/client/testing/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";

interface Started extends TestEngine {
  readonly store: MemoryOutbox;
  readonly outbox: Outbox<MemoryTransaction>;
  readonly client: Client;
  /** Sends bodies in one transaction. */
  readonly send: (end: "commit" | "rollback", queue: string, ...bodies: readonly unknown[]) => Promise<void>;
}

function started(options: OutboxOptions = {}): Started {
  const made = testEngine({ queues: ["orders", "billing"] });
  const { engine, clock } = made;
  const store = memoryOutbox({ clock });
  const outbox = startOutbox(engine, store, { clock, ...options });
  const client = clientOf(outbox.engine, made);
  return {
    ...made,
    store,
    outbox,
    client,
    async send(end, queue, ...bodies) {
      const database = store.begin();
      const transaction = outbox.transaction(database);
      await client.createSender(queue).sendMessages(
        bodies.map((body) => ({ body })),
        { transaction },
      );
      await database[end]();
    },
  };
}

const clientOf = (engine: Engine, { clock }: TestEngine): Client =>
  createClient({ engine, clock, serializer: createSerializer({ codecs: [json()] }) });

const bodiesOf = async (client: Client, queue: string): Promise<readonly unknown[]> =>
  (await client.createReceiver(queue).peekMessages(1_000)).map(({ body }) => body);

describe("an outbox", () => {
  it("sends what was committed, in order, and nothing else", async () => {
    const { client, clock, send, outbox } = started({ maxBatchSize: 3 });
    await send("commit", "orders", 1, 2);
    await send("rollback", "orders", 3);
    await send("commit", "orders", 4, 5, 6, 7);
    const before = await bodiesOf(client, "orders");
    await clock.advance(1_000);

    expect(before).toEqual([]);
    expect(await bodiesOf(client, "orders")).toEqual([1, 2, 4, 5, 6, 7]);
    await outbox.close();
  });

  it("takes sends while the broker is away, and relays them when it is back", async () => {
    const errors: unknown[] = [];
    const { client, clock, send, faults, outbox } = started({ onError: (error) => errors.push(error) });
    faults.refuse("open", "ServiceCommunicationProblem", { times: Infinity });
    await send("commit", "orders", 1);
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);
    faults.clear();
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);

    expect(errors.length).toBeGreaterThan(3);
    expect(errors.length).toBeLessThan(15);
    expect(await bodiesOf(client, "orders")).toEqual([1]);
    await outbox.close();
  });

  it("lets the messages of one entity wait for one that cannot be sent, and no others", async () => {
    const failed: unknown[] = [];
    const { client, clock, send, engine, outbox } = started({
      onError: (_error, message) => failed.push(message?.entityPath),
    });
    await send("commit", "missing", 1, 2);
    await send("commit", "billing", 3);
    await clock.advance(1_000);
    const before = await bodiesOf(client, "billing");
    await engine.admin.createQueue("missing");
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);

    expect(before).toEqual([3]);
    expect(new Set(failed)).toEqual(new Set(["missing"]));
    expect(await bodiesOf(client, "missing")).toEqual([1, 2]);
    await outbox.close();
  });

  it("repeats a message whose answer was lost with the same message id", async () => {
    const { client, clock, send, faults, outbox } = started();
    faults.loseAnswer("send");
    await send("commit", "orders", 1);
    for (let seconds = 0; seconds < 10; seconds++) await clock.advance(1_000);

    const ids = (await client.createReceiver("orders").peekMessages(5)).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    await outbox.close();
  });

  it("treats a send without an answer as failed after half of its lease, and relays for other entities", async () => {
    const errors: unknown[] = [];
    const { client, clock, send, engine, outbox } = started({ onError: (error) => errors.push(error) });
    const openSender = vi.spyOn(engine, "openSender").mockImplementationOnce(() => new Promise(() => {}));
    await send("commit", "orders", 1);
    await send("commit", "billing", 2);
    for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);

    expect(errors).toEqual([
      expect.objectContaining({
        code: "ServiceTimeout",
        message: "No answer came within half of leaseDuration; the outcome of the call is unknown.",
      }),
    ]);
    expect(openSender.mock.calls.map(([entityPath]) => entityPath)).toEqual(["orders", "billing", "orders"]);
    expect(await bodiesOf(client, "orders")).toEqual([1]);
    expect(await bodiesOf(client, "billing")).toEqual([2]);
    await outbox.close();
  });

  it("does not use a link that opens after its time limit", async () => {
    const { client, clock, send, engine, outbox } = started();
    const opening: ((sender: EngineSender) => void)[] = [];
    vi.spyOn(engine, "openSender").mockImplementationOnce(() => new Promise((resolve) => opening.push(resolve)));
    await send("commit", "orders", 1);
    for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);
    const close = vi.fn(async () => {});
    const sent = vi.fn(async () => {});
    opening[0]?.({ ...(await engine.openSender("orders")), send: sent, close });
    await clock.advance(1_000);

    expect(sent).not.toHaveBeenCalled();
    expect(close).toHaveBeenCalledOnce();
    expect(await bodiesOf(client, "orders")).toEqual([1]);
    await outbox.close();
  });

  it("is relayed by one process at a time, and by the next when that one is closed", async () => {
    const { client, clock, send, engine, store, outbox } = started();
    await clock.advance(1_000);
    const lead = vi.spyOn(store, "lead");
    const other = startOutbox(engine, store, { clock });
    await clock.advance(1_000);
    const leads = lead.mock.results.map(({ value }) => value);
    await send("commit", "orders", 1);
    await clock.advance(1_000);
    await outbox.close();
    await send("commit", "orders", 2);
    await clock.advance(1_000);

    expect(new Set(leads)).toEqual(new Set([false]));
    expect(await bodiesOf(client, "orders")).toEqual([1, 2]);
    await other.close();
  });

  it("only keeps messages with relays: false", async () => {
    const { client, clock, send, store, outbox } = started({ relays: false });
    await send("commit", "orders", 1);
    await clock.advance(60_000);

    expect(await bodiesOf(client, "orders")).toEqual([]);
    expect(await store.read(10, [])).toHaveLength(1);
    await outbox.close();
  });

  it("leaves everything outside its transactions to the engine", async () => {
    const { client, outbox } = started();
    await client.createSender("orders").sendMessages({ body: 1 });
    const [message] = await client.createReceiver("orders").receiveMessages(1);

    expect(message?.body).toBe(1);
    await outbox.close();
  });

  it("takes only sends, and cannot be ended through the client", async () => {
    const { client, store, outbox } = started();
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    const transaction = outbox.transaction(store.begin());
    const attempts = [
      message === undefined ? Promise.resolve() : receiver.completeMessage(message, { transaction }),
      client.createSender("orders").scheduleMessages({ body: 2 }, new Date(), { transaction }),
      transaction.commit(),
      transaction.rollback(),
    ];

    for (const attempt of attempts) expect(await rejection(attempt)).toMatchObject({ code: "InvalidOperation" });
    await outbox.close();
  });

  it("goes on when an asynchronous listener of its errors rejects", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    // A mock would handle its rejections.
    let calls = 0;
    const onError = (): Promise<void> => {
      calls++;
      return Promise.reject(new Error("log away"));
    };
    const { client, clock, send, faults, outbox } = started({ onError });
    faults.refuse("send", "ServiceBusy");
    await send("commit", "orders", 1);
    for (let seconds = 0; seconds < 5; seconds++) await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);

    expect(calls).toBe(1);
    expect(unhandled).not.toHaveBeenCalled();
    expect(await bodiesOf(client, "orders")).toEqual([1]);
    await outbox.close();
  });

  it.each(["pollInterval", "leaseDuration"])("refuses %s of 0, with which it would look without a pause", (option) => {
    const { engine } = testEngine({});

    expect(refusal(() => startOutbox(engine, memoryOutbox(), { relays: false, [option]: 0 })).path).toBe(`$.${option}`);
  });

  it("requires an engine and a store", () => {
    const { engine } = testEngine({});

    expect(refusal(() => Reflect.apply(startOutbox, undefined, [{}, memoryOutbox()])).path).toBe("$.engine");
    expect(refusal(() => Reflect.apply(startOutbox, undefined, [engine, {}])).path).toBe("$.store");
  });
});
