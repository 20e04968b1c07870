import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Random } from "../../random.support.ts";

const retryingProcess = fileURLToPath(new URL("retrying-process.ts", import.meta.url));

/** Kills processes that retry messages of a durable engine; what was sent is handled in the end. */
export async function killProcesses(kills: number, random: Random): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "sobre-retries-proof-"));
  const lines: string[] = [];
  try {
    for (let life = 0; life < kills; life++) await oneLife(directory, life, lines, 5 + random.integer(150));
    await oneLife(directory, kills, lines, undefined);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  const those = (kind: string): string[] =>
    lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1));
  const done = those("done");
  const handled = new Set(done);
  const lost = those("sent").filter((id) => !handled.has(id));
  const dead = those("dead");
  if (lost.length > 0) throw new Error(`${lost.length} messages were lost by kills, as ${lost[0]}.`);
  if (dead.length > 0) throw new Error(`${dead[0]} is dead.`);
  return `${kills} processes killed, ${handled.size} messages of a durable engine handled, ${done.length - handled.size} of them again`;
}

/** A process that is killed some milliseconds after it is open, or ends by itself. */
async function oneLife(
  directory: string,
  life: number,
  lines: string[],
  milliseconds: number | undefined,
): Promise<void> {
  const last = milliseconds === undefined ? ["last"] : [];
  const child = spawn(process.execPath, [retryingProcess, directory, String(life), ...last], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const output = createInterface({ input: child.stdout });
  const ended = once(output, "close");
  const opened = new Promise<void>((resolve) => {
    output.on("line", (line) => {
      lines.push(line);
      if (line === "open") resolve();
    });
  });
  if (milliseconds !== undefined) {
    await Promise.race([opened, exited]);
    await sleep(milliseconds);
    child.kill("SIGKILL");
  }
  const [code] = await exited;
  await ended;
  if (milliseconds === undefined && code !== 0) throw new Error(`The last process ended with ${String(code)}.`);
}
