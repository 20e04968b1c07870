import type { Engine, EngineReceiver, EngineSender, SubscriptionOptions } from "../../src/core/engine/index.ts";
import { memoryEngine, type MemoryEngineOptions } from "../../src/broker/memory/index.ts";
import { amend, createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import type { Clock } from "../../src/core/time/index.ts";
import { type Figure, median } from "./harness.ts";

const payload = new Uint8Array(1024);
const message = (sessionId?: string): Envelope =>
  createEnvelope({ payload, brokerProperties: { messageId: "order-1", contentType: "application/json", sessionId } });
const complete = { kind: "complete" } as const;

/** A clock whose timers never fire: the benches last less than a lock. */
const clock: Clock = { now: () => Date.now(), setTimer: () => ({ cancel() {} }) };
const engineWith = (options: MemoryEngineOptions): Engine => memoryEngine({ clock, ...options });

/** Nanoseconds per unit of an asynchronous run. */
async function time(units: number, run: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / units;
}

/** The median ratio of interleaved rounds, the first three of which warm up. */
async function ratio(
  rounds: number,
  measured: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const first = round % 2 === 0 ? await measured() : 0;
    const other = await baseline();
    const one = round % 2 === 0 ? first : await measured();
    if (round >= 0) ratios.push(one / other);
  }
  return median(ratios);
}

interface Links {
  readonly engine: Engine;
  readonly queue: string;
  readonly sender: EngineSender;
  readonly receiver: EngineReceiver;
}

async function links(queue: string, engine: Engine): Promise<Links> {
  return {
    engine,
    queue,
    sender: await engine.openSender(queue),
    receiver: await engine.openReceiver(queue, { receiveMode: "peekLock" }),
  };
}

/** Sends, receives and completes `batch` messages `times` times, each step awaited. */
async function turnOver({ engine, queue, sender, receiver }: Links, times: number, batch: number): Promise<void> {
  const envelopes = Array.from({ length: batch }, () => message());
  for (let turn = 0; turn < times; turn++) {
    await sender.send(envelopes);
    for (const { lockToken } of await receiver.receive({ maxMessages: batch, maxWaitTimeInMs: 0 }))
      if (lockToken !== undefined) await engine.settle(queue, lockToken, complete);
  }
}

/** The same with nothing but an array and three awaited promises a message. */
async function bareLoop(times: number, batch: number): Promise<number> {
  const queue: Envelope[] = [];
  let settled = 0;
  const envelopes = Array.from({ length: batch }, () => message());
  const send = async (one: Envelope): Promise<void> => void queue.push(one);
  const receive = async (): Promise<Envelope | undefined> => {
    return queue.shift();
  };
  const settle = async (_one: Envelope): Promise<void> => {
    settled++;
  };
  for (let turn = 0; turn < times; turn++) {
    for (const envelope of envelopes) await send(envelope);
    for (let index = 0; index < batch; index++) {
      const one = await receive();
      if (one !== undefined) await settle(one);
    }
  }
  return settled;
}

async function throughput(batch: number): Promise<number> {
  const units = 20_000;
  const memory = await links("q", engineWith({ queues: ["q"] }));
  const slower = await ratio(
    15,
    () => time(units, () => turnOver(memory, units / batch, batch)),
    () => time(units, () => bareLoop(units / batch, batch)),
  );
  return 1 / slower;
}

/** The cost of bytes of one's own, at the send and at the hand-over: a connection that copies against one that shares. */
async function copying(batch: number): Promise<number> {
  const units = 20_000;
  const engine = engineWith({ queues: ["own", "shared"] });
  const copied = await links("own", await engine.connect());
  const shared = await links("shared", await engine.connect({ sharesBytes: true }));
  return ratio(
    15,
    () => time(units, () => turnOver(copied, units / batch, batch)),
    () => time(units, () => turnOver(shared, units / batch, batch)),
  );
}

/** A plain ring buffer of envelopes. */
class Ring {
  readonly #slots: (Envelope | undefined)[];
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    this.#slots = Array.from({ length: capacity });
  }

  push(envelope: Envelope): void {
    this.#slots[(this.#head + this.#size++) % this.#slots.length] = envelope;
  }

  shift(): Envelope | undefined {
    const envelope = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#size--;
    return envelope;
  }
}

async function filled(backlog: number): Promise<Links> {
  const memory = await links("q", engineWith({ queues: { q: { maxSizeInMegabytes: 1_000_000 } } }));
  for (let sent = 0; sent < backlog; sent += 1000)
    await memory.sender.send(Array.from({ length: Math.min(1000, backlog - sent) }, () => message()));
  return memory;
}

function filledRing(backlog: number): Ring {
  const ring = new Ring(backlog + 10);
  for (let sent = 0; sent < backlog; sent++) ring.push(message());
  return ring;
}

async function backlogGrowth(): Promise<number> {
  const units = 20_000;
  const [small, large] = [await filled(1000), await filled(1_000_000)];
  const [smallRing, largeRing] = [filledRing(1000), filledRing(1_000_000)];
  const turnRing = async (ring: Ring): Promise<void> => {
    let size = 0;
    for (let turn = 0; turn < units; turn++) {
      ring.push(message());
      size += ring.shift()?.payload.byteLength ?? 0;
      await Promise.resolve();
    }
    if (size === 0) throw new Error("The ring was empty.");
  };
  const engineRatio = await ratio(
    9,
    () => time(units, () => turnOver(large, units, 1)),
    () => time(units, () => turnOver(small, units, 1)),
  );
  const ringRatio = await ratio(
    9,
    () => time(units, () => turnRing(largeRing)),
    () => time(units, () => turnRing(smallRing)),
  );
  return engineRatio / ringRatio;
}

/** Bytes of heap in use after a collection. */
function heapUsed(): number {
  if (globalThis.gc === undefined) throw new Error("Run with --expose-gc.");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const own = (): Envelope => amend(message(), { payload: new Uint8Array(1024) });

/** Bytes of heap that a message in a queue takes more than the envelope of its sender. */
async function bookkeeping(): Promise<number> {
  const count = 100_000;
  const { sender } = await links("q", engineWith({ queues: ["q"] }));
  const before = heapUsed();
  for (let at = 0; at < count; at += 1000) await sender.send(Array.from({ length: 1000 }, own));
  const queued = heapUsed();
  const envelopes = Array.from({ length: count }, own);
  return (queued - before - (heapUsed() - queued)) / envelopes.length;
}

/** One visit of every one of 100 sessions: accept the next, receive, complete, close, send again. */
async function sessionRounds(sessions: number): Promise<() => Promise<number>> {
  const engine = engineWith({ queues: { s: { requiresSession: true } } });
  const sender = await engine.openSender("s");
  for (let session = 0; session < sessions; session++) await sender.send([message(`session-${session}`)]);
  const visits = 2000;
  return () =>
    time(visits, async () => {
      for (let visit = 0; visit < visits; visit++) {
        const options = { sessionId: undefined, receiveMode: "receiveAndDelete", maxWaitTimeInMs: 0 } as const;
        const receiver = await engine.acceptSession("s", options);
        const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
        await receiver.close();
        if (delivery !== undefined) await sender.send([delivery.envelope]);
      }
    });
}

const filterOf = (subject: string): SubscriptionOptions => ({
  rules: [{ name: "r", filter: { kind: "correlation", subject } }],
});

async function topicRounds(subscriptions: number): Promise<() => Promise<number>> {
  const names = Array.from({ length: subscriptions }, (_, index) => `s${index}`);
  const engine = engineWith({
    topics: { t: { subscriptions: Object.fromEntries(names.map((name) => [name, filterOf(name)])) } },
  });
  const sender = await engine.openSender("t");
  const receiver = await engine.openReceiver("t/Subscriptions/s5", { receiveMode: "receiveAndDelete" });
  const wanted = createEnvelope({ payload, brokerProperties: { messageId: "m", subject: "s5" } });
  const sends = 5000;
  return () =>
    time(sends, async () => {
      for (let send = 0; send < sends; send++) {
        await sender.send([wanted]);
        await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
      }
    });
}

async function scheduleRounds(pending: number): Promise<() => Promise<number>> {
  const engine = engineWith({ queues: { q: { maxSizeInMegabytes: 1_000_000 } } });
  let seed = 1;
  const later = (): Envelope => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    const scheduledEnqueueTimeUtc = new Date(Date.now() + 3_600_000 + (seed % 3_600_000));
    return createEnvelope({ payload, brokerProperties: { messageId: "m", scheduledEnqueueTimeUtc } });
  };
  for (let sent = 0; sent < pending; sent += 1000) await engine.schedule("q", Array.from({ length: 1000 }, later));
  const schedules = 5000;
  return () =>
    time(schedules, async () => {
      for (let turn = 0; turn < schedules; turn++) await engine.cancel("q", await engine.schedule("q", [later()]));
    });
}

/** The figures that the memory engine promises. */
export async function bench(): Promise<readonly Figure[]> {
  const single = await throughput(1);
  const batched = await throughput(100);
  const heap = await bookkeeping();
  const sessions = await ratio(9, await sessionRounds(100_000), await sessionRounds(100));
  const topics = await ratio(9, await topicRounds(10_000), await topicRounds(10));
  const schedules = await ratio(9, await scheduleRounds(1_000_000), await scheduleRounds(1000));
  const growth = await backlogGrowth();
  const copied = Math.max(await copying(1), await copying(100));
  return [
    {
      name: "send, receive, complete against a bare loop",
      measured: single,
      bound: "least",
      target: 1 / 6,
      floor: 0.12,
      unit: "×",
    },
    { name: "the same in batches of 100", measured: batched, bound: "least", target: 1 / 5, floor: 0.14, unit: "×" },
    {
      name: "1 KiB with bytes of its own against shared bytes",
      measured: copied,
      bound: "most",
      target: 1.15,
      floor: 1.3,
      unit: "×",
    },
    {
      name: "heap of bookkeeping per queued message",
      measured: heap,
      bound: "most",
      target: 250,
      floor: 250,
      unit: " B",
    },
    {
      name: "backlog 1,000,000 against 1,000, relative to a ring's growth",
      measured: growth,
      bound: "most",
      target: 1.3,
      floor: 1.6,
      unit: "×",
    },
    {
      name: "accept next and receive, 100,000 sessions against 100",
      measured: sessions,
      bound: "most",
      target: 2,
      floor: 2.5,
      unit: "×",
    },
    {
      name: "send to 10,000 filtered subscriptions against 10",
      measured: topics,
      bound: "most",
      target: 2,
      floor: 2.5,
      unit: "×",
    },
    {
      name: "schedule with 1,000,000 pending against 1,000",
      measured: schedules,
      bound: "most",
      target: 3,
      floor: 4,
      unit: "×",
    },
  ];
}
