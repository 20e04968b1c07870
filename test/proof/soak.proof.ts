import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";
import { SoakClient } from "./soak/client.ts";

const connections = 20;
/** Seconds in all, and those after which the first measurement is taken. */
const seconds = { share: 85, full: 600, first: 60 } as const;
/** The most that live memory may grow, and the longest turn in milliseconds of the server's own processor time. */
const most = { growth: 1.05, turn: 50 } as const;
/** Milliseconds between two rounds of a client. */
const rest = 250;
/** Milliseconds until locks that nobody holds any more have run out, and remembered ids are forgotten. */
const quiet = 7000;

interface Measured {
  readonly live: number;
  readonly longest: number;
}

/** Clients do every operation on a server of its own process: its live memory does not grow, and no turn is long. */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const server = fork(fileURLToPath(new URL("soak/server-process.ts", import.meta.url)), { execArgv: ["--expose-gc"] });
  try {
    const { connectionString } = await told<{ readonly connectionString: string }>(server);
    const clients = Array.from(
      { length: connections },
      (_, index) => new SoakClient(connectionString, `client-${index}`, seeded(seed + index)),
    );
    const run = async (time: number): Promise<Measured> => {
      const end = Date.now() + time * 1000;
      await Promise.all(
        clients.map(async (client) => {
          while (Date.now() < end) {
            await client.round();
            await wait(rest);
          }
        }),
      );
      return measured(server, clients);
    };
    // The first calls load and compile what they need.
    for (const client of clients) await client.round();
    await measured(server, clients);
    const first = await run(seconds.first);
    const last = await run((full ? seconds.full : seconds.share) - seconds.first);
    await Promise.all(clients.map((client) => client.close()));
    return report(first, last, clients);
  } finally {
    server.kill();
  }
}

/** Measures a server on which nothing is left and nothing happens. */
async function measured(server: ChildProcess, clients: readonly SoakClient[]): Promise<Measured> {
  await wait(quiet);
  const [client] = clients;
  for (const entity of ["q", "q/$DeadLetterQueue", "d", "t/Subscriptions/all", "t/Subscriptions/some"])
    await client?.drain(entity);
  server.send("measure");
  return told<Measured>(server);
}

async function told<T>(server: ChildProcess): Promise<T> {
  const [message]: T[] = await once(server, "message", { signal: AbortSignal.timeout(30_000) });
  if (message === undefined) throw new Error("The server has said nothing.");
  return message;
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

function report(first: Measured, last: Measured, clients: readonly SoakClient[]): string {
  const longest = Math.max(first.longest, last.longest);
  const text = `${megabytes(first.live)} MB live after the first minute and ${megabytes(last.live)} MB at the end, the longest turn ${first.longest.toFixed(1)} and ${last.longest.toFixed(1)} ms`;
  if (last.live > first.live * most.growth) throw new Error(`Memory has grown: ${text}.`);
  if (longest > most.turn) throw new Error(`A turn was too long: ${text}.`);
  const done = new Map<string, number>();
  for (const client of clients) for (const [what, count] of client.done) done.set(what, (done.get(what) ?? 0) + count);
  if (done.size < 8) throw new Error(`Not every operation was done: ${[...done.keys()].join(", ")}.`);
  const total = [...done.values()].reduce((sum, count) => sum + count, 0);
  return `${clients.length} connections, ${total} rounds of ${done.size} operations: ${text}`;
}
