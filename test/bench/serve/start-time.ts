import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { median } from "../harness.ts";

const starts = 7;

interface Start {
  readonly time: number;
  readonly memory: number;
}

/** Milliseconds from the start of `sobre serve` to its first answer, and its resident bytes then; medians of several starts. */
export async function starting(built: string): Promise<Start> {
  const measured: Start[] = [];
  const uncached: number[] = [];
  const bare: number[] = [];
  // The first of them compiles, for all that follow.
  await oneStart(built);
  for (let start = 0; start < starts; start++) {
    measured.push(await oneStart(built));
    uncached.push((await oneStart(built, { NODE_DISABLE_COMPILE_CACHE: "1" })).time);
    bare.push(bareStart());
  }
  const time = median(measured.map((one) => one.time));
  const [first, node] = [median(uncached).toFixed(0), median(bare).toFixed(0)];
  console.log(`  start of sobre serve: ${time.toFixed(0)} ms, ${first} without a compile cache; node -e 0: ${node} ms`);
  return { time, memory: median(measured.map(({ memory }) => memory)) };
}

/** Milliseconds that Node itself takes. */
function bareStart(): number {
  const before = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - before;
}

async function oneStart(built: string, env: NodeJS.ProcessEnv = {}): Promise<Start> {
  const before = performance.now();
  const child = spawn(
    process.execPath,
    [`${built}/cli/main.js`, "serve", "--queue", "q", "--quiet", "--port", "0", "--http-port", "0"],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } },
  );
  const ended = once(child, "exit");
  // It prints its connection string when it listens.
  const [text]: unknown[] = await once(child.stdout, "data");
  const [, port] = /localhost:(\d+)/.exec(String(text)) ?? [];
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 0]));
  await once(socket, "data");
  const time = performance.now() - before;
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" });
  child.kill("SIGTERM");
  await ended;
  return { time, memory: Number(stdout) * 1024 };
}
