import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Engine, EngineReceiver } from "../../../src/core/engine/engine.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import type { Random } from "../../random.support.ts";
import { Ledger } from "./ledger.ts";

const modules = [
  new URL("load-process.ts", import.meta.url),
  new URL("../../../src/broker/durable/store-worker.ts", import.meta.url),
];

/** Bytes of lines after which a life ends, at most; a call takes about 60. */
const longestLife = 8000;

/** Kills a loaded engine at random moments, again and again, and holds each restart to what was acknowledged before. */
export async function kills(directory: string, cycles: number, random: Random): Promise<string> {
  const ledger = new Ledger();
  // Bundled, they start in a fifth of the time.
  const programs = `${directory}.programs`;
  const entryPoints = modules.map((module) => fileURLToPath(module));
  await build({
    entryPoints,
    bundle: true,
    format: "esm",
    platform: "node",
    outdir: programs,
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
  });
  const program = join(programs, "load-process.mjs");
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const end = { bytes: random.integer(longestLife), milliseconds: random.integer(5) };
    await oneLife([program, directory, String(cycle)], `${directory}.lines`, end, ledger);
    await audit(directory, ledger);
  }
  if (ledger.acknowledged < cycles * 20)
    throw new Error(
      `Only ${ledger.acknowledged} calls were acknowledged in ${cycles} cycles: too few to prove anything.`,
    );
  return `${cycles} kills under load, ${ledger.acknowledged} acknowledgements held`;
}

/** Loads an engine until it is killed, some milliseconds after it has written some lines. */
async function oneLife(
  args: readonly string[],
  path: string,
  end: { readonly bytes: number; readonly milliseconds: number },
  ledger: Ledger,
): Promise<void> {
  const lines = openSync(path, "w");
  const child = spawn(process.execPath, args, { stdio: ["ignore", lines, "inherit"] });
  const exited = once(child, "exit");
  closeSync(lines);
  const began = performance.now();
  while (statSync(path).size <= end.bytes) {
    if (child.exitCode !== null) throw new Error(`The load ended by itself with ${child.exitCode}.`);
    if (performance.now() - began > 60_000) throw new Error("The load has done too little within a minute.");
    await sleep(1);
  }
  await sleep(end.milliseconds);
  child.kill("SIGKILL");
  await exited;
  for (const line of readFileSync(path, "utf8").split("\n")) ledger.add(line);
}

/** Messages of a queue, or of a session, that are left to the next life: with all of them each audit would take longer. */
const mostLeft = 300;

async function audit(directory: string, ledger: Ledger): Promise<void> {
  const engine = await durableEngine({ directory, memoryBudget: 0 });
  const receiveMode = "receiveAndDelete";
  for (const queue of ["plain", "ordered"]) ledger.check(queue, await engine.peek(queue, { maxMessages: 1_000_000 }));
  const plain = await engine.openReceiver("plain", { receiveMode });
  await takeSurplus(engine, plain, ledger, "plain");
  for (const sessionId of ["s1", "s2", "s3"]) {
    const session = await engine.acceptSession("ordered", { receiveMode, sessionId, maxWaitTimeInMs: 0 });
    ledger.checkState(sessionId, Buffer.from((await session.getSessionState()) ?? []).toString());
    await takeSurplus(engine, session, ledger, "ordered", sessionId);
    await session.close();
  }
  await engine.close();
}

async function takeSurplus(
  engine: Engine,
  receiver: EngineReceiver,
  ledger: Ledger,
  ...[queue, sessionId]: readonly [string, string?]
): Promise<void> {
  const { length } = await engine.peek(queue, { maxMessages: 1_000_000, sessionId });
  if (length <= mostLeft) return;
  for (const { envelope, sequenceNumber } of await receiver.receive({ maxMessages: length, maxWaitTimeInMs: 0 }))
    ledger.add(`take done ${queue} ${String(envelope.brokerProperties.messageId)} ${sequenceNumber}`);
}

const poisonProcess = fileURLToPath(new URL("poison-process.ts", import.meta.url));

/** A message that kills its process is dead-lettered after as many deliveries as its queue allows. */
export async function poison(directory: string, maxDeliveryCount: number): Promise<string> {
  for (let life = 1; life <= maxDeliveryCount; life++) {
    const child = spawn(process.execPath, [poisonProcess, directory, String(maxDeliveryCount)], { stdio: "inherit" });
    const [, signal] = await once(child, "exit");
    if (signal !== "SIGKILL") throw new Error(`The message did not kill its process in life ${life}.`);
  }
  const engine = await durableEngine({ directory });
  const [dead, ...more] = await engine.peek("poison/$DeadLetterQueue", { maxMessages: 10 });
  const left = await engine.peek("poison", { maxMessages: 10 });
  await engine.close();
  if (dead?.deadLetterReason !== "MaxDeliveryCountExceeded" || more.length > 0 || left.length > 0)
    throw new Error(`After ${maxDeliveryCount} kills the message is not in the dead-letter queue.`);
  return `a message that kills its process was dead-lettered after ${maxDeliveryCount} lives`;
}
