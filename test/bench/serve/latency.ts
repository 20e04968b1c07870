import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** Messages a second. */
const rate = 2000;
/** Messages of a run, and of one that only warms up. */
const messages = { measured: 1000, warmUp: 6000 };
const runs = 21;

/** Percentiles of a run, in milliseconds from the write of a message to its read at the receiver. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** The runs against a server, from the one with the least p99 on. */
export interface Latency {
  readonly name: string;
  readonly runs: readonly Percentiles[];
}

/** How long messages take at 2,000 a second, each on its own: through the built package, and through a bare relay. */
export async function latencies(built: string): Promise<readonly [ours: Latency, relay: Latency]> {
  const ours = await newLine("sobre", built);
  const relay = await newLine("relay");
  for (const line of [ours, relay]) await run(line, messages.warmUp);
  for (let round = 0; round < runs; round++)
    for (const line of [ours, relay]) line.told.push(percentiles(await run(line, messages.measured)));
  await close(ours);
  await close(relay);
  return [latencyOf(ours), latencyOf(relay)];
}

const latencyOf = ({ server: { name }, told }: Line): Latency => ({
  name,
  runs: told.toSorted((one, other) => one.p99 - other.p99),
});

/** A server with one process that sends to it and another that receives. */
interface Line {
  readonly server: ServerProcess;
  readonly sender: ChildProcess;
  readonly receiver: ChildProcess;
  readonly told: Percentiles[];
}

async function newLine(name: string, ...args: readonly string[]): Promise<Line> {
  const server = await startServerProcess(name, ...args);
  const receiver = await ready("receiver", server.port);
  return { server, receiver, sender: await ready("sender", server.port), told: [] };
}

async function ready(role: string, port: number): Promise<ChildProcess> {
  const child = fork(new URL(`paced-${role}-process.ts`, import.meta.url), [String(port), String(rate)]);
  await once(child, "message");
  return child;
}

async function run({ sender, receiver }: Line, count: number): Promise<readonly number[]> {
  receiver.send(count);
  const answer = once(receiver, "message");
  sender.send(count);
  const [told]: unknown[] = await answer;
  return Array.isArray(told) ? told.map(Number) : [];
}

function percentiles(latency: readonly number[]): Percentiles {
  const sorted = latency.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}

async function close({ sender, receiver, server }: Line): Promise<void> {
  for (const child of [sender, receiver]) {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  }
  await server.close();
}
