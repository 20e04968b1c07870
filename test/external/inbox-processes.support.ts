import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("inbox-process.support.ts", import.meta.url));

/** How processes handle the same messages by one inbox. */
export interface InboxRun {
  readonly kind: "sqlite" | "postgres";
  /** The file or connection string. */
  readonly where: string;
  readonly messages: number;
  readonly kills: number;
}

const hour = 3_600_000;

/**
 * Two processes whose clocks are two hours apart handle the same messages by one inbox; one after the other is killed
 * at random and started again. Resolves when both have handled all.
 */
export async function runProcesses({ kind, where, messages, kills }: InboxRun): Promise<void> {
  const start = (skew: number): ChildProcess =>
    spawn(process.execPath, [program, kind, where, String(skew), String(messages)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    });
  const skews = [hour, -hour];
  const running = skews.map(start);
  for (let kill = 0; kill < kills; kill++) {
    const which = kill % 2;
    const victim = running[which];
    if (victim === undefined || victim.exitCode !== null) break;
    if (victim.stdout !== null) await Promise.race([once(victim.stdout, "data"), once(victim, "exit")]);
    await setTimeout(50 + Math.random() * 250);
    const ended = victim.exitCode === null ? once(victim, "exit") : undefined;
    victim.kill("SIGKILL");
    await ended;
    running[which] = start(skews[which] ?? 0);
  }
  const codes = await Promise.all(
    running.map(async (one) => (one.exitCode === null ? (await once(one, "exit"))[0] : one.exitCode)),
  );
  if (codes.some((code) => code !== 0)) throw new Error(`The processes ended with ${codes.join(" and ")}.`);
}
