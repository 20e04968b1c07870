import { describe, expect, it } from "vitest";
import {
  failureProperty,
  holdProperty,
  type SessionProcessorOptions,
  type SessionRetries,
} from "../../../src/client/client/index.ts";
import { amend, createEnvelope } from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";
import {
  clientAgain,
  eventually,
  inMemory,
  left,
  peeked,
  places,
  type Place,
  second,
} from "./message-retries.support.ts";
import { setup } from "./setup.support.ts";

const orders = { orders: { requiresSession: true, maxDeliveryCount: 50 } } as const;

interface Served {
  /** `session:message` of each call, with a mark where it failed. */
  readonly seen: string[];
  readonly errors: string[];
}

/** A session processor whose handler fails so often for each message. */
function serve(
  { client }: Pick<Place, "client">,
  failures: Record<string, number>,
  options: SessionProcessorOptions,
): Served {
  const seen: string[] = [];
  const errors: string[] = [];
  client.startSessionProcessor(
    "orders",
    {
      processMessage({ messageId, sessionId }) {
        const id = String(messageId);
        const fails = failures[id] ?? 0;
        failures[id] = fails - 1;
        seen.push(`${sessionId}:${id}${fails > 0 ? "!" : ""}`);
        if (fails > 0) throw new Error("database away");
      },
      processError: ({ errorSource, error }) => {
        if (errorSource !== "handler") errors.push(`${errorSource} ${String(error)}`);
      },
    },
    { sessionIdleTimeout: second, ...options },
  );
  return { seen, errors };
}

async function send({ client }: Pick<Place, "client">, ...ids: readonly string[]): Promise<void> {
  const sender = client.createSender("orders");
  await sender.sendMessages(ids.map((id) => ({ body: id, messageId: id, sessionId: id.slice(0, 1) })));
  await sender.close();
}

/** Lets a time pass, step by step. */
async function pass({ advance }: Place, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += second) await advance(second);
}

describe.each(places)("retries of a session processor, %s,", (_where, open) => {
  it("make the session wait, in order, while others go on and nobody holds it", async () => {
    const place = await open(orders);
    const retries = { immediate: 1, delayed: ["30s"], jitter: 0 } as const;
    const { seen, errors } = serve(place, { a1: 3 }, { retries });
    await send(place, "a1", "a2", "b1");
    await pass(place, 5 * second);
    await send(place, "a3", "b2");
    await pass(place, 10 * second);

    expect(seen.filter((one) => one.startsWith("a"))).toEqual(["a:a1!", "a:a1!"]);
    expect(seen).toEqual(expect.arrayContaining(["b:b1", "b:b2"]));
    // Nobody holds the session.
    await (await place.client.acceptSession("orders", "a")).close();
    await pass(place, 60 * second);

    expect(seen.filter((one) => one.startsWith("a"))).toEqual(["a:a1!", "a:a1!", "a:a1!", "a:a1", "a:a2", "a:a3"]);
    expect(errors).toEqual([]);
    expect(await left(place, "orders", 0)).toEqual([]);
  });

  it("let the session wait for its dead letter with holdSession, until that is re-driven", async () => {
    const place = await open(orders);
    const { seen, errors } = serve(place, { a1: 1 }, { retries: { holdSession: true } });
    await send(place, "a1", "a2");
    await left(place, "orders/$DeadLetterQueue", 1);
    await pass(place, 5 * second);
    await send(place, "a3", "b1");
    await pass(place, 60 * second);

    expect(seen).toEqual(["a:a1!", "b:b1"]);
    expect(await peeked(place.client, "orders/$DeadLetterQueue")).toMatchObject([
      {
        messageId: "a1",
        deadLetterReason: "RetriesExhausted",
        applicationProperties: { [holdProperty]: expect.any(String) },
      },
    ]);
    await place.client.redrive("orders/$DeadLetterQueue");
    await eventually(
      place,
      async () => seen.length,
      (count) => count === 5,
    );
    await pass(place, 5 * second);
    await send(place, "a4");
    await pass(place, 5 * second);

    expect(seen).toEqual(["a:a1!", "b:b1", "a:a1", "a:a2", "a:a3", "a:a4"]);
    expect(errors).toEqual([]);
    expect(await left(place, "orders", 0)).toEqual([]);
  });
});

describe("retries of a session processor", () => {
  it("go on in another processor, also in one without the option", async () => {
    const place = await inMemory(orders);
    const first = serve(place, { a1: 1 }, { retries: { delayed: ["30s"] } });
    await send(place, "a1", "a2");
    await pass(place, 5 * second);
    await place.client.close();
    const again = { ...place, client: clientAgain(place) };
    const next = serve(again, {}, {});
    await pass(place, 60 * second);

    expect(first.seen).toEqual(["a:a1!"]);
    expect(next.seen).toEqual(["a:a1", "a:a2"]);
    expect(await left(again, "orders", 0)).toEqual([]);
  });

  it("retry each waiting message in its turn", async () => {
    const place = await inMemory(orders);
    const { seen } = serve(place, { a1: 1, a2: 2 }, { retries: { immediate: 1, delayed: ["10s", "10s"] } });
    await send(place, "a1", "a2", "a3");
    await pass(place, 60 * second);

    expect(seen).toEqual(["a:a1!", "a:a1", "a:a2!", "a:a2!", "a:a2", "a:a3"]);
  });

  it("hold a session again when its re-driven message fails again", async () => {
    const place = await inMemory(orders);
    const { seen } = serve(place, { a1: 2 }, { retries: { holdSession: true } });
    await send(place, "a1", "a2");
    await pass(place, 5 * second);
    await place.client.redrive("orders/$DeadLetterQueue");
    await pass(place, 5 * second);
    await send(place, "a3");
    await pass(place, 5 * second);

    expect(seen).toEqual(["a:a1!", "a:a1!"]);
    await place.client.redrive("orders/$DeadLetterQueue");
    await pass(place, 5 * second);
    expect(seen).toEqual(["a:a1!", "a:a1!", "a:a1", "a:a2", "a:a3"]);
    expect(await left(place, "orders", 0)).toEqual([]);
  });

  it("hold a session after a message that cannot be read", async () => {
    const place = await inMemory(orders);
    const { seen } = serve(place, {}, { retries: { holdSession: true } });
    const payload = new TextEncoder().encode("{");
    const broken = createEnvelope({
      payload,
      brokerProperties: { sessionId: "a", messageId: "a1", contentType: "application/json" },
    });
    await place.client.createSender("orders").sendEnvelopes(broken);
    await send(place, "a2");
    await pass(place, 5 * second);
    expect(seen).toEqual([]);
    await place.client.redrive("orders/$DeadLetterQueue", {
      repair: (envelope) => amend(envelope, { payload: new TextEncoder().encode('"mended"') }),
    });
    await pass(place, 5 * second);

    expect(seen).toEqual(["a:a1", "a:a2"]);
  });

  it.each<readonly [string, SessionRetries, refused: boolean]>([
    [
      "the predicate throws",
      {
        delayed: ["10s"],
        retryable: () => {
          throw new TypeError("no such code");
        },
      },
      false,
    ],
    ["no timer may be scheduled", { delayed: ["10s"] }, true],
    ["no hold may be scheduled", { immediate: 0, holdSession: true }, true],
  ])("dead-letter a message after its maximum of deliveries when %s", async (_when, retries, refused) => {
    const place = setup({ queues: { orders: { requiresSession: true, maxDeliveryCount: 3 } } });
    const advance = (milliseconds: number): Promise<void> => place.clock.advance(milliseconds);
    if (refused) place.faults.refuse("schedule", "UnauthorizedAccess", { times: 1_000 });
    const { seen, errors } = serve(place, { a1: 1_000 }, { retries });
    await send(place, "a1", "a2");
    await pass({ ...place, advance }, 30 * second);

    expect(seen).toEqual(["a:a1!", "a:a1!", "a:a1!", "a:a2"]);
    expect(errors).toHaveLength(3);
    expect(errors[0]).toMatch(/^settle /);
    expect(await peeked(place.client, "orders/$DeadLetterQueue")).toMatchObject([
      { messageId: "a1", applicationProperties: { [failureProperty]: expect.stringContaining("database away") } },
    ]);
  });

  it("leave the messages that waited to the next holder when the processor is closed among them", async () => {
    const place = await inMemory(orders);
    const first: unknown[] = [];
    let closing: Promise<unknown> | undefined;
    const processor = place.client.startSessionProcessor(
      "orders",
      {
        processMessage({ messageId }) {
          first.push(messageId);
          if (first.length === 1) throw new Error("database away");
          closing = processor.close();
        },
        processError: () => undefined,
      },
      { retries: { delayed: ["10s"], jitter: 0 }, sessionIdleTimeout: second },
    );
    await send(place, "a1", "a2", "a3");
    await pass(place, 20 * second);
    await closing;
    const { seen, errors } = serve(place, {}, { retries: { delayed: ["10s"] } });
    await pass(place, 60 * second);

    expect(first).toEqual(["a1", "a1"]);
    expect(seen).toEqual(["a:a2", "a:a3"]);
    expect(errors).toEqual([]);
    expect(await left(place, "orders", 0)).toEqual([]);
  });

  it("need one call per session, and an engine that defers and schedules", async () => {
    const { client, engine } = await inMemory(orders);
    const handlers = { processMessage: () => undefined, processError: () => undefined };
    const start = (options: SessionProcessorOptions): unknown =>
      client.startSessionProcessor("orders", handlers, options);

    expect(refusal(() => start({ retries: {}, maxConcurrentCallsPerSession: 2 })).path).toBe(
      "$.maxConcurrentCallsPerSession",
    );
    const less = { ...engine.capabilities, defer: { level: "refused" } } as const;
    Object.defineProperty(engine, "capabilities", { value: less });
    for (const retries of [{ delayed: ["1s"] }, { holdSession: true }])
      expect(refusal(() => start({ retries })).code).toBe("UnsupportedCapability");
  });

  it("hold sessions only where there are sessions, and not for workflows", async () => {
    const { client } = await inMemory(orders);
    const handlers = { processMessage: () => undefined, processStep: () => undefined, processError: () => undefined };
    const retries = { holdSession: true };

    for (const start of ["startProcessor", "startSessionWorkflow"])
      expect(
        refusal(() => Reflect.apply(Reflect.get(client, start), client, ["orders", handlers, { retries }])).path,
      ).toBe("$.retries.holdSession");
  });
});
