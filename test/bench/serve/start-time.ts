import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { median } from "../harness.ts";
import { freePort } from "./rabbitmq.ts";

const starts = 7;

/** Milliseconds from the start of `sobre serve` to the first connection that it accepts; the median of several. */
export async function startTime(built: string): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < starts; start++) times.push(await oneStart(built));
  return median(times);
}

async function oneStart(built: string): Promise<number> {
  const port = String(await freePort());
  const before = performance.now();
  const child = spawn(
    process.execPath,
    [`${built}/src/cli/main.js`, "serve", "--queue", "q", "--quiet", "--port", port, "--http-port", port],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  while (child.exitCode === null && !(await accepts(Number(port))))
    await new Promise((resolve) => setTimeout(resolve, 1));
  const time = performance.now() - before;
  if (child.exitCode !== null) throw new Error(`sobre serve has ended with ${child.exitCode}.`);
  child.kill("SIGTERM");
  await ended;
  return time;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const outcome = await Promise.race([
    once(socket, "connect").then(() => true),
    new Promise<boolean>((resolve) => socket.once("error", () => resolve(false))),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}
