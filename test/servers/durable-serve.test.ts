import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ServiceBusClient } from "@azure/service-bus";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storeDirectory } from "../engines/durable/store-directory.support.ts";

const command = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** One life of `sobre serve --data`. */
interface Life {
  readonly client: ServiceBusClient;
  /** Ends the process with a signal; resolves to its exit code. */
  end(signal: "SIGINT" | "SIGKILL"): Promise<unknown>;
}

let directory = "";
const running = new Set<ChildProcess>();
beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await rm(directory, { recursive: true });
});

async function serve(): Promise<Life> {
  const args = ["serve", "--data", directory, "--queue", "orders", "--quiet", "--port", "0", "--http-port", "0"];
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  const ended = once(child, "exit").finally(() => running.delete(child));
  const [line]: unknown[] = await once(child.stdout, "data");
  const client = new ServiceBusClient(String(line).trim(), { retryOptions: { maxRetries: 0 } });
  return {
    client,
    async end(signal) {
      child.kill(signal);
      const [code]: unknown[] = await ended;
      // It would wait for the answers of a process that is gone.
      void client.close().catch(() => {});
      return code;
    },
  };
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
    await life.end("SIGKILL");

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
});
