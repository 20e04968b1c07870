import { writeSync } from "node:fs";
import { SqliteStore } from "../../../src/broker/durable/sqlite-store.ts";
import type { MemoryStore } from "../../../src/broker/memory/store.ts";
import { storedConnection } from "../../../src/broker/memory/stored-verbs.ts";
import { StoredHome } from "../../../src/broker/memory/stored-home.ts";
import { type Random, seeded } from "../../random.support.ts";
import type { Acknowledgement, Call } from "./acknowledgements.ts";
import { Caller } from "./caller.ts";
import { Calls } from "./calls.ts";

/**
 * Calls a durable engine in every way and in random order until enough is acknowledged, and kills itself:
 * `node mixed-process.ts DIRECTORY CALLERS ACKNOWLEDGEMENTS SEED [early]`.
 */
const [directory = "", callers = "1", acknowledgements = "1", seed = "0", mutant] = process.argv.slice(2);

/** The last commit of a mutant. */
let last = Promise.resolve();

/** The mutant that answers before the disk does. */
const early = (store: MemoryStore, random: Random): MemoryStore => ({
  load: () => store.load(),
  read: (record) => store.read(record),
  check: (envelope) => store.check(envelope),
  recovered: () => store.recovered(),
  turnEnded: () => store.turnEnded(),
  close: () => store.close(),
  commit(facts, isFollowed) {
    last = store.commit(facts, isFollowed);
    return random.chance(0.8) ? Promise.resolve() : last;
  },
});

/** One caller's call finds what came before it on the disk: what is early then is early by itself. */
const idle = (): Promise<void> => (callers === "1" ? last : Promise.resolve());

let done = 0;

const say = (line: Call | Acknowledgement): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
  if ("acknowledged" in line && ++done === Number(acknowledgements)) process.kill(process.pid, "SIGKILL");
};

// Whoever stops the proof leaves no load behind.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 1000).unref();

const random = seeded(Number(seed));
const store = await SqliteStore.open(directory);
// A message that must be read from the disk waits for its commit, in a mutant too.
const home = await (mutant === "early"
  ? StoredHome.open(early(store, random), { memoryBudget: 2 ** 30 })
  : StoredHome.open(store, { memoryBudget: 16 * 1024 }));
const engine = storedConnection("durable", home);
const all = Array.from({ length: Number(callers) }, (_, index) =>
  new Caller(new Calls({ engine, random, say, idle }, String(index))).run(),
);
await Promise.all(all);
