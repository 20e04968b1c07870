import { join } from "node:path";
import type { Engine, EngineReceiver, EngineSender } from "../../../src/core/engine/index.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { type Figure, median } from "../harness.ts";
import { BareDatabase } from "./bare-database.ts";

const message = createEnvelope({
  payload: new Uint8Array(1024).fill(7),
  brokerProperties: { messageId: "order-1", contentType: "application/json" },
});
const one = [message];
const complete = { kind: "complete" } as const;

/** Callers at the same time, and rows of a bare commit. */
const callers = 512;

/** A durable engine and a bare table, measured in turns. */
class Contest {
  readonly engine: Engine;
  readonly bare: BareDatabase;
  readonly #sender: EngineSender;
  readonly #receiver: EngineReceiver;

  private constructor(engine: Engine, bare: BareDatabase, sender: EngineSender, receiver: EngineReceiver) {
    this.engine = engine;
    this.bare = bare;
    this.#sender = sender;
    this.#receiver = receiver;
  }

  static async open(directory: string): Promise<Contest> {
    const engine = await durableEngine({
      directory: join(directory, "contest"),
      queues: { q: { maxSizeInMegabytes: 1_000_000, lockDuration: 300_000 } },
    });
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    return new Contest(engine, new BareDatabase(directory), await engine.openSender("q"), receiver);
  }

  /** Milliseconds in which all callers send some messages each, one after the other. */
  send(times: number): Promise<number> {
    return timed(() =>
      Promise.all(
        Array.from({ length: callers }, async () => {
          for (let time = 0; time < times; time++) await this.#sender.send(one);
        }),
      ),
    );
  }

  /** Milliseconds in which as many are received together, then settled together. */
  receiveAndSettle(times: number): Promise<number> {
    return timed(async () => {
      for (let time = 0; time < times; time++) {
        const deliveries = await this.#receiver.receive({ maxMessages: callers, maxWaitTimeInMs: 0 });
        if (deliveries.length !== callers) throw new Error(`Only ${deliveries.length} messages were there.`);
        await Promise.all(
          deliveries.map(async ({ lockToken }) => {
            if (lockToken !== undefined) await this.engine.settle("q", lockToken, complete);
          }),
        );
      }
    });
  }

  sendOne(): Promise<number> {
    return timed(() => this.#sender.send(one));
  }

  async close(): Promise<void> {
    this.bare.close();
    await this.engine.close();
  }
}

async function timed(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Sends, receives and settles against the same in bare SQLite. */
export async function throughput(directory: string): Promise<readonly Figure[]> {
  const contest = await Contest.open(directory);
  const { bare } = contest;
  const times = 8;
  const [sending, settling, alone]: [number[], number[], number[]] = [[], [], []];
  for (let round = -4; round < 25; round++) {
    const sent = await contest.send(times);
    const firsts: number[] = [];
    const inserted = await timed(() => {
      for (let time = 0; time < times; time++) firsts.push(bare.insert(callers));
    });
    const settled = await contest.receiveAndSettle(times);
    const removed = await timed(() => {
      for (const first of firsts) {
        bare.update(first, callers);
        bare.remove(first, callers);
      }
    });
    if (round < 0) continue;
    sending.push(inserted / sent);
    settling.push(removed / settled);
  }
  const [single, commit]: [number[], number[]] = [[], []];
  for (let round = 0; round < 1000; round++) {
    single.push(await contest.sendOne());
    commit.push(await timed(() => bare.insert(1)));
  }
  alone.push(median(single) / median(commit));
  console.log(`  alone: ${median(single).toFixed(3)} ms a send, ${median(commit).toFixed(3)} ms a bare commit`);
  await contest.close();
  return [
    {
      name: "512 concurrent sends of 1 KiB against bare inserts",
      measured: median(sending),
      bound: "least",
      target: 0.6,
      floor: 0.35,
      unit: "×",
    },
    {
      name: "receive and settle against bare updates and deletes",
      measured: median(settling),
      bound: "least",
      target: 0.6,
      floor: 0.35,
      unit: "×",
    },
    {
      name: "p50 of one sender alone against a bare commit",
      measured: median(alone),
      bound: "most",
      target: 1.5,
      floor: 2.5,
      unit: "×",
    },
  ];
}
