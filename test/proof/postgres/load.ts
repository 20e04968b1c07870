import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { postgresEngine } from "../../../src/broker/postgres/postgres-engine.ts";
import type { Random } from "../../random.support.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { Administrator } from "./administrator.ts";
import { Ledger, type Tally } from "./ledger.ts";
import { type Entry, readEntry } from "./lines.ts";
import { queues } from "./setup.ts";

const loadProcess = fileURLToPath(new URL("load-process.ts", import.meta.url));
const processes = 8;

/** Milliseconds after the last send within which some message must leave the queues, until they are empty. */
const longestStall = 60_000;

/** How much a process writes at most between two faults: all are sent long before all are received. */
const mostCalm = 300;

interface Faults {
  kills: number;
  cuts: number;
  restarts: number;
}

/** One of the processes, in one life after the other. */
class Worker {
  readonly entries: Entry[] = [];
  readonly #arguments: (life: number, messages: number) => readonly string[];
  readonly #path: string;
  readonly #messages: number;
  #life = 0;
  #begun = 0;
  #process: ChildProcess | undefined;
  #read = 0;
  #hasFailed = false;

  constructor(path: string, messages: number, processArguments: (life: number, messages: number) => readonly string[]) {
    this.#path = path;
    this.#messages = messages;
    this.#arguments = processArguments;
  }

  start(): void {
    this.#life++;
    this.#read = 0;
    const lines = openSync(`${this.#path}-${this.#life}`, "w");
    const args = this.#arguments(this.#life, this.#messages - this.#begun);
    this.#process = spawn(process.execPath, [loadProcess, ...args], { stdio: ["ignore", lines, "inherit"] });
    closeSync(lines);
  }

  /** Whether this life has come so far that killing it proves anything. */
  get isUnderWay(): boolean {
    return this.#read > 2000;
  }

  /** Whether it has sent everything. */
  get isDone(): boolean {
    return this.#begun >= this.#messages;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await ended;
    }
    this.catchUp();
  }

  /** Reads what it has written since. */
  catchUp(): void {
    const text = readFileSync(`${this.#path}-${this.#life}`, "utf8");
    const whole = text.slice(this.#read, text.lastIndexOf("\n") + 1);
    this.#read += whole.length;
    for (const line of whole.split("\n")) {
      const entry = readEntry(line);
      if (entry === undefined) continue;
      this.entries.push(entry);
      if (entry.kind === "failed") this.#hasFailed = true;
      if (entry.kind === "send" && entry.when === "begun" && entry.queue !== "-") this.#begun += entry.ids.length;
    }
  }
}

/**
 * Eight processes send, receive and settle while their connections are cut, they are killed and the server is restarted;
 * then everything that was acknowledged must be accounted for.
 */
export async function load(scratch: string, messages: number, random: Random): Promise<string> {
  await using server = await PostgresServer.create(18, ["synchronous_commit=on", "max_connections=100"]);
  const schema = "load";
  const { connectionString } = server;
  const engine = await postgresEngine({ connectionString, schema, migrate: true });
  for (const [name, settings] of Object.entries(queues)) await engine.admin.createQueue(name, settings);
  const workers = Array.from({ length: processes }, (_, index) => {
    const path = join(scratch, `load-${index}`);
    return new Worker(path, Math.ceil(messages / processes), (life, left) =>
      [connectionString, schema, index, life, left, random.integer(2 ** 31)].map(String),
    );
  });
  const faults = { kills: 0, cuts: 0, restarts: 0 };
  try {
    for (const worker of workers) worker.start();
    let calm = 0;
    for (;;) {
      await sleep(20);
      for (const worker of workers) worker.catchUp();
      if (workers.every(({ isDone }) => isDone) || workers.some(({ hasFailed }) => hasFailed)) break;
      // By progress and not by time: on a slow machine a process would be killed before it has done anything.
      const progress = workers.reduce((sum, { entries }) => sum + entries.length, 0);
      if (progress < calm) continue;
      calm = progress + processes * (15 + random.integer(Math.min(messages / 100, mostCalm)));
      await disturb(server, workers, random, faults);
    }
    const own = await drain(engine, workers);
    await Promise.all(workers.map((worker) => worker.kill()));
    const entries = [...own, ...workers.flatMap((worker) => worker.entries)];
    const dead = await deadLetters(engine);
    const tally = new Ledger(entries).reconcile(dead);
    findsTampering(entries, dead);
    return told(tally, faults);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await engine.close();
  }
}

/** The acknowledged completion of a message. */
const isCompletion = ({ kind, when }: Entry): boolean => kind === "complete" && when === "done";

/** The acknowledged end of a message. */
const isEnd = ({ kind, when }: Entry): boolean => (kind === "complete" || kind === "deadLetter") && when === "done";

/** The ledger refuses the same load with one thing less, one thing twice, or two in another order. */
function findsTampering(entries: readonly Entry[], dead: ReadonlyMap<string, readonly string[]>): void {
  const sent = new Set(entries.flatMap(({ kind, when, ids }) => (kind === "send" && when === "done" ? ids : [])));
  const end = entries.find((entry) => isCompletion(entry) && sent.has(entry.ids[0] ?? ""));
  const [first, second] = entries
    .filter((entry) => isCompletion(entry) && entry.ids[0]?.startsWith("s0a:") === true)
    .flatMap(({ ids }) => ids);
  const [id] = end?.ids ?? [];
  if (end === undefined || id === undefined || first === undefined || second === undefined)
    throw new Error("Too little was completed to prove anything.");
  const without = entries.filter((entry) => entry.kind !== "complete" || entry.ids[0] !== id);
  const late = { ...end, kind: "receive", at: end.at + 2n, since: end.at + 1n } as const;
  const other = (name: string): string => (name === first ? second : name === second ? first : name);
  const swapped = entries.map((entry) => ({ ...entry, ids: entry.ids.map(other) }));
  const fewer = new Map(Array.from(dead, ([queue, letters]) => [queue, letters.slice(1)]));
  const more = new Map([...dead, [end.queue, [...(dead.get(end.queue) ?? []), id]]]);
  refuses(/was acknowledged, and is lost/, without, dead);
  refuses(/was settled twice/, [...entries, end], dead);
  refuses(/was delivered after its settlement/, [...entries, late], dead);
  refuses(/was settled out of order/, swapped, dead);
  refuses(/was dead-lettered, and is lost/, entries, fewer);
  refuses(/was completed, and is a dead letter/, entries, more);
}

function refuses(reason: RegExp, entries: readonly Entry[], dead: ReadonlyMap<string, readonly string[]>): void {
  try {
    new Ledger(entries).reconcile(dead);
  } catch (error) {
    if (error instanceof Error && reason.test(error.message)) return;
    throw error;
  }
  throw new Error(`The ledger does not find that a message ${reason.source}.`);
}

const kindsOfFaults = ["cuts", "kills", "cuts", "restarts", "kills"] as const;

async function disturb(
  server: PostgresServer,
  workers: readonly Worker[],
  random: Random,
  faults: Faults,
): Promise<void> {
  // Every kind comes first, and then any.
  const done = faults.kills + faults.cuts + faults.restarts;
  const underWay = workers.filter(({ isUnderWay }) => isUnderWay);
  const kind = kindsOfFaults[done] ?? random.pick(kindsOfFaults);
  faults[kind]++;
  if (kind === "restarts") {
    await server.kill(random.chance(0.5) ? "SIGKILL" : "SIGINT");
    await server.start();
  } else if (kind === "kills" && underWay.length > 0) {
    const worker = random.pick(underWay);
    await worker.kill();
    worker.start();
  } else {
    if (kind === "kills") [faults.kills, faults.cuts] = [faults.kills - 1, faults.cuts + 1];
    await using administrator = await Administrator.connect(server.connectionString);
    await administrator.cutConnections(1 + random.integer(6));
  }
}

/** Waits until the queues are empty; settles what processes deferred before they were killed. */
async function drain(engine: Engine, workers: readonly Worker[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let [settled, until] = [0, performance.now() + longestStall];
  for (;;) {
    for (const worker of workers) worker.catchUp();
    const left = await Promise.all(["plain", "ordered"].map((queue) => engine.peek(queue, { maxMessages: 100 })));
    if (left.every(({ length }) => length === 0) || workers.some((worker) => worker.isDone && worker.hasFailed))
      return entries;
    const done = workers.reduce((sum, worker) => sum + worker.entries.filter(isEnd).length, 0);
    if (done > settled) [settled, until] = [done, performance.now() + longestStall];
    if (performance.now() > until)
      throw new Error(`${left.flat().length} messages or more are left and never delivered.`);
    for (const { state, sequenceNumber } of left.flat()) {
      if (state !== "deferred") continue;
      const since = process.hrtime.bigint();
      const options = { receiveMode: "receiveAndDelete" } as const;
      const taken = await engine.receiveDeferred("plain", [sequenceNumber], options).catch(() => []);
      for (const { envelope } of taken) {
        const entry = { since, queue: "plain", ids: [String(envelope.brokerProperties.messageId)] } as const;
        entries.push({ ...entry, at: since, kind: "complete", when: "begun" });
        entries.push({ ...entry, at: process.hrtime.bigint(), kind: "complete", when: "done" });
      }
    }
    await sleep(200);
  }
}

async function deadLetters(engine: Engine): Promise<ReadonlyMap<string, readonly string[]>> {
  const dead = new Map<string, readonly string[]>();
  for (const queue of ["plain", "ordered"]) {
    const letters = await engine.peek(`${queue}/$DeadLetterQueue`, { maxMessages: 1_000_000 });
    const counts = await engine.admin.getQueueRuntimeProperties(queue);
    if (counts.deadLetterMessageCount !== letters.length || counts.activeMessageCount !== 0)
      throw new Error(`The counts of ${queue} differ from its messages.`);
    dead.set(
      queue,
      letters.map(({ envelope }) => String(envelope.brokerProperties.messageId)),
    );
  }
  return dead;
}

function told(tally: Tally, { kills, cuts, restarts }: Faults): string {
  const { acknowledged, completed, deadLettered, unanswered, refused } = tally;
  return (
    `${acknowledged} acknowledged messages in ${processes} processes: ${completed} completed, ${deadLettered} dead-lettered, ` +
    `${unanswered} completed with the answer lost, ${refused} late settlements refused; ${kills} kills, ${cuts} cuts, ${restarts} restarts of the server`
  );
}
