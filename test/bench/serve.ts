import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type Figure, median } from "./harness.ts";
import { Load } from "./serve/load.ts";

const messages = 20_000;
const rounds = 5;

/** A server in a process of its own, with the load on it. */
interface Peer {
  readonly child: ChildProcess;
  readonly load: Load;
  readonly readyAfter: number;
}

async function start(name: string): Promise<Peer> {
  const before = performance.now();
  const child = fork(new URL(`serve/${name}-process.ts`, import.meta.url));
  const [told]: unknown[] = await once(child, "message");
  const readyAfter = performance.now() - before;
  return { child, readyAfter, load: new Load(numberIn(told, "port")) };
}

function numberIn(told: unknown, name: string): number {
  const value: unknown = typeof told === "object" && told !== null ? Reflect.get(told, name) : undefined;
  return typeof value === "number" ? value : Number.NaN;
}

async function usage({ child }: Peer, name: string): Promise<number> {
  const answer = once(child, "message");
  child.send("usage");
  const [told]: unknown[] = await answer;
  return numberIn(told, name);
}

/** One round: microseconds of the clock and of the server's processor per message. */
async function measure(peer: Peer): Promise<{ readonly time: number; readonly cpu: number }> {
  const before = await usage(peer, "cpu");
  const time = await peer.load.run(messages);
  return { time: (time * 1000) / messages, cpu: ((await usage(peer, "cpu")) - before) / messages };
}

/** What serving costs, side by side with a minimal broker made of rhea. */
export async function bench(): Promise<readonly Figure[]> {
  const ours = await start("sobre");
  const memory = await usage(ours, "memory");
  const rhea = await start("rhea");
  const times: number[] = [];
  const cpus: number[] = [];
  await measure(ours);
  await measure(rhea);
  for (let round = 0; round < rounds; round++) {
    const one = await measure(ours);
    const other = await measure(rhea);
    console.log(
      `  sobre ${one.time.toFixed(1)} µs (${one.cpu.toFixed(1)} µs of CPU) a message, rhea ${other.time.toFixed(1)} µs (${other.cpu.toFixed(1)} µs)`,
    );
    times.push(other.time / one.time);
    cpus.push(one.cpu / other.cpu);
  }
  for (const { child, load } of [ours, rhea]) {
    load.close();
    child.disconnect();
  }
  return [
    {
      name: "throughput against a minimal rhea broker",
      measured: median(times),
      bound: "least",
      target: 4,
      floor: 2.5,
      unit: "×",
    },
    {
      name: "server CPU per message against it",
      measured: median(cpus),
      bound: "most",
      target: 1 / 3,
      floor: 0.5,
      unit: "×",
    },
    {
      name: "ready after the start of the process, from sources",
      measured: ours.readyAfter,
      bound: "most",
      target: 150,
      floor: 1500,
      unit: " ms",
    },
    { name: "idle memory", measured: memory / 2 ** 20, bound: "most", target: 80, floor: 130, unit: " MB" },
  ];
}
