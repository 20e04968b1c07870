import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ServiceBusClient } from "@azure/service-bus";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";

const command = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** One life of `sobre serve --data`. */
interface Life {
  readonly client: ServiceBusClient;
  /** Copies the directory while nothing in it changes, as an atomic snapshot of its file system does. */
  snapshot(): Promise<void>;
  /** Ends the process with a signal; resolves to its exit code. */
  end(signal: "SIGINT" | "SIGKILL"): Promise<unknown>;
}

let directory = "";
let copy = "";
const running = new Set<ChildProcess>();
beforeEach(async () => {
  [directory, copy] = await Promise.all([storeDirectory(), storeDirectory()]);
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([directory, copy].map((folder) => rm(folder, { recursive: true })));
});

async function serve(data = directory): Promise<Life> {
  const args = ["serve", "--data", data, "--queue", "orders", "--quiet", "--port", "0", "--http-port", "0"];
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const ended = once(child, "exit").finally(() => running.delete(child));
  const failed = ended.then(([code]) => Promise.reject(new Error(`The server has ended with ${code}.`)));
  const [line]: unknown[] = await Promise.race([once(child.stdout, "data"), failed]);
  const client = new ServiceBusClient(String(line).trim(), { retryOptions: { maxRetries: 0 } });
  return {
    client,
    async snapshot() {
      child.kill("SIGSTOP");
      await vi.waitFor(() => expect(statesOf(child.pid)).toEqual(["T"]), { interval: 1, timeout: 10_000 });
      await cp(data, copy, { recursive: true });
      child.kill("SIGCONT");
    },
    async end(signal) {
      child.kill(signal);
      const [code]: unknown[] = await ended;
      // It would wait for the answers of a process that is gone.
      void client.close().catch(() => {});
      return code;
    },
  };
}

/** Runs `sobre store check` in a process of its own; resolves to its exit code and what it says. */
async function check(): Promise<readonly [code: unknown, said: string]> {
  const child = spawn(process.execPath, [command, "store", "check", directory], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return [code, `${out}${errors}`];
}

/** The states of a process's threads, each once: "T" is stopped. */
function statesOf(pid = 0): readonly string[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const states = threads.map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2);
  });
  return [...new Set(states)];
}

describe("the official client, with `sobre serve --data`", () => {
  it("finds after a kill what was acknowledged, with one delivery more where it was held, and none after Ctrl+C", async () => {
    let life = await serve();
    const sender = life.client.createSender("orders");
    await sender.sendMessages([
      { body: 1, messageId: "completed" },
      { body: 2, messageId: "held", applicationProperties: { count: 7 } },
      { body: 3, messageId: "waiting" },
    ]);
    await sender.scheduleMessages({ body: 4, messageId: "later" }, new Date(Date.now() + 3_600_000));
    const receiver = life.client.createReceiver("orders");
    const [first] = await receiver.receiveMessages(2);
    if (first !== undefined) await receiver.completeMessage(first);
    const holder = [...running].map(({ pid }) => `in use by process ${pid}, which has had it open since`);
    expect(await check()).toEqual([1, expect.stringContaining(String(holder[0]))]);
    await life.end("SIGKILL");
    expect(await check()).toEqual([0, expect.stringMatching(/orders +3 /)]);

    const counts = async (): Promise<unknown> => {
      const there = await life.client.createReceiver("orders").peekMessages(10);
      return there.map(({ messageId, deliveryCount, state }) => [messageId, deliveryCount, state]);
    };
    life = await serve();
    const expected = [
      ["held", 1, "active"],
      ["waiting", 0, "active"],
      ["later", 0, "scheduled"],
    ];
    expect(await counts()).toEqual(expected);
    const [held] = await life.client.createReceiver("orders").receiveMessages(1);
    expect([held?.messageId, held?.body, held?.applicationProperties]).toEqual(["held", 2, { count: 7 }]);
    expect(await life.end("SIGINT")).toBe(0);

    life = await serve();
    expect(await counts()).toEqual(expected);
    expect(await life.end("SIGINT")).toBe(0);
  });

  it("finds in a snapshot of a running server all that was acknowledged before it, and nothing that came after", async () => {
    const life = await serve();
    const sender = life.client.createSender("orders");
    const receiver = life.client.createReceiver("orders");
    const [sent, completed] = [new Set<string>(), new Set<string>()];
    const ending = new AbortController();
    const send = async (lane: number): Promise<void> => {
      for (let turn = 0; !ending.signal.aborted; turn++) {
        await sender.sendMessages({ body: turn, messageId: `${lane}/${turn}` });
        sent.add(`${lane}/${turn}`);
      }
    };
    const complete = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        const [one] = await receiver.receiveMessages(1);
        if (one !== undefined) await receiver.completeMessage(one);
        completed.add(String(one?.messageId));
      }
    };
    const load = Promise.all([send(0), send(1), send(2), send(3), complete()]);
    await vi.waitFor(() => expect(Math.min(sent.size / 10, completed.size)).toBeGreaterThan(20), { timeout: 20_000 });
    const before = { sent: [...sent], completed: [...completed] };

    await life.snapshot();

    ending.abort();
    await load;
    await sender.sendMessages({ body: "", messageId: "after" });
    const restored = await serve(copy);
    const found = new Set<string>();
    const reader = restored.client.createReceiver("orders");
    // Each peek continues after the one before.
    for (let page = await reader.peekMessages(250); page.length > 0; page = await reader.peekMessages(250))
      for (const { messageId } of page) found.add(String(messageId));
    // One settlement may have been on its way.
    const gone = new Set([...completed].slice(0, before.completed.length + 1));
    expect(before.sent.filter((id) => !found.has(id) && !gone.has(id))).toEqual([]);
    expect(before.completed.filter((id) => found.has(id))).toEqual([]);
    expect(found.has("after")).toBe(false);
    expect(await Promise.all([restored.end("SIGINT"), life.end("SIGINT")])).toEqual([0, 0]);
  });
});
