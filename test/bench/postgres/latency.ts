import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { ReceiveMode } from "../../../src/core/engine/delivery.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import type { Figure } from "../harness.ts";
import { payload } from "./contender.ts";
import { openEngine } from "./ours.ts";

const program = fileURLToPath(new URL("latency-process.ts", import.meta.url));
const sends = 300;
const idleSeconds = 20;

/** One message at a time to a receiver that waits in another process, and what that receiver asks of the server while nothing comes. */
export async function latency(): Promise<readonly Figure[]> {
  await using server = await PostgresServer.create(18, ["shared_preload_libraries=pg_stat_statements"]);
  const { connectionString } = server;
  const figures: Figure[] = [];
  for (const [mode, how] of [
    ["receiveAndDelete", ""],
    ["peekLock", " that locks it"],
  ] as const) {
    const { p50, p99 } = await timesOf(connectionString, mode);
    figures.push(figure(`send to a receiver in another process${how}, p50`, p50, 5, " ms"));
    figures.push(figure(`send to a receiver in another process${how}, p99`, p99, 25, " ms"));
  }
  figures.push(figure("statements a second of an idle receiver", await idleRate(connectionString), 1, ""));
  return figures;
}

const figure = (name: string, measured: number, target: number, unit: string): Figure => ({
  name,
  measured,
  bound: "most",
  target,
  floor: target * 2,
  unit,
});

type Receiving = ChildProcessByStdio<null, Readable, null>;

const receiving = (connectionString: string, mode: ReceiveMode): Receiving =>
  spawn(process.execPath, [program, connectionString, mode], { stdio: ["ignore", "pipe", "inherit"] });

async function end(child: Receiving): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function timesOf(
  connectionString: string,
  mode: ReceiveMode,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const engine = await openEngine(connectionString, "latency");
  const child = receiving(connectionString, mode);
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
      const arrived = BigInt(await next());
      if (sent >= 0) times.push(Number(arrived - begun) / 1e6);
    }
    times.sort((a, b) => a - b);
    const percentile = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    return { p50: percentile(0.5), p99: percentile(0.99) };
  } finally {
    await end(child);
    await engine.close();
  }
}

/** Every statement of the server is counted: nobody else uses it. */
async function idleRate(connectionString: string): Promise<number> {
  const child = receiving(connectionString, "receiveAndDelete");
  const client = new Client({ connectionString });
  try {
    await once(child.stdout, "data");
    await client.connect();
    await client.query("create extension pg_stat_statements");
    await client.query("select pg_stat_statements_reset()");
    await sleep(idleSeconds * 1000);
    const { rows } = await client.query<{ readonly calls: string }>(
      "select sum(calls) as calls from pg_stat_statements where query not like '%pg_stat_statements%'",
    );
    return Number(rows[0]?.calls) / idleSeconds;
  } finally {
    await end(child);
    await client.end();
  }
}
