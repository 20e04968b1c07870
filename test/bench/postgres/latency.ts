import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEnvelope } from "../../../src/envelope/index.ts";
import { PostgresServer } from "../../servers/postgres-server.support.ts";
import type { Figure } from "../harness.ts";
import { payload } from "./contender.ts";
import { openEngine } from "./ours.ts";

const program = fileURLToPath(new URL("latency-process.ts", import.meta.url));
const sends = 300;
const idleSeconds = 20;

/** One message at a time to a receiver that waits in another process, and what that receiver asks of the server while nothing comes. */
export async function latency(): Promise<readonly Figure[]> {
  await using server = await PostgresServer.create(18);
  const engine = await openEngine(server.connectionString, "latency");
  const child = spawn(process.execPath, [program, server.connectionString], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value }: { value?: unknown } = await lines.next();
    return typeof value === "string" ? value : "";
  };
  try {
    await next();
    const sender = await engine.openSender("q");
    const times: number[] = [];
    for (let sent = -50; sent < sends; sent++) {
      await sleep(10);
      const begun = process.hrtime.bigint();
      await sender.send([createEnvelope({ payload })]);
      const arrived = BigInt((await next()).split(" ")[1] ?? 0);
      if (sent >= 0) times.push(Number(arrived - begun) / 1e6);
    }
    times.sort((a, b) => a - b);
    const percentile = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    return [
      figure("send to a receiver that waits in another process, p50", percentile(0.5), 5, " ms"),
      figure("send to a receiver that waits in another process, p99", percentile(0.99), 25, " ms"),
      figure("statements a second of an idle receiver", await idleRate(child, next), 1, ""),
    ];
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
    await engine.close();
  }
}

const figure = (name: string, measured: number, target: number, unit: string): Figure => ({
  name,
  measured,
  bound: "most",
  target,
  floor: target * 2,
  unit,
});

async function idleRate(child: ChildProcess, next: () => Promise<string>): Promise<number> {
  const count = async (): Promise<number> => {
    child.kill("SIGUSR2");
    return Number((await next()).split(" ")[1]);
  };
  // The sweeps after the last message are busy ones.
  await sleep(3000);
  const before = await count();
  await sleep(idleSeconds * 1000);
  return ((await count()) - before) / idleSeconds;
}
