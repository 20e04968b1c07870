import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { json } from "../../codecs/json/index.ts";
import type { RedriveLog } from "../../src/client/client/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { durableEngine } from "../../src/broker/durable/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { startServer } from "../../src/serve/server/index.ts";

const queues = { orders: {}, carts: { requiresSession: true } };

/** A broker of each kind, closed after the test. */
const kinds: Readonly<Record<string, () => Promise<Engine>>> = {
  memory: async () => memoryEngine({ queues }),
  async durable() {
    const directory = mkdtempSync(join(tmpdir(), "sobre-redrive-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    return durableEngine({ directory, queues });
  },
  async azure() {
    const server = await startServer({ queues });
    onTestFinished(() => server.close());
    return azureEngine({ connectionString: server.connectionString });
  },
};

describe.each(Object.keys(kinds))("a re-drive over the engine %s", (kind) => {
  it("looks first, then sends in growing batches, is resumed by its log, and keeps the order of a session", async () => {
    const engine = await kinds[kind]?.();
    if (engine === undefined) throw new Error("There is no such engine.");
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }), closeEngine: true });
    const lines: string[] = [];
    const log: RedriveLog = { read: async () => lines, append: async (line) => void lines.push(line) };
    const bodies = Array.from({ length: 12 }, (_, body) => body);
    await client.createSender("carts").sendMessages(bodies.map((body) => ({ body, sessionId: "cart" })));
    const session = await client.acceptSession("carts", "cart");
    for (let taken = 0; taken < bodies.length;)
      for (const message of await session.receiveMessages(20)) {
        await session.deadLetterMessage(message);
        taken++;
      }
    await session.close();
    const from = "carts/$DeadLetterQueue";

    const looked = await client.redrive(from, { dryRun: true });
    const begun = await client.redrive(from, { firstBatch: 2, settleTime: 1, maxMessages: 5, log });
    const ended = await client.redrive(from, { firstBatch: 2, settleTime: 1, stopOnFailure: true, log });

    expect([looked.sent, begun.sent, ended.sent, ended.state]).toEqual([12, 5, 7, "done"]);
    expect(ended.id).toBe(begun.id);
    expect(lines).toHaveLength(1 + bodies.length);
    const again = await client.acceptSession("carts", "cart");
    const received: unknown[] = [];
    while (received.length < bodies.length)
      for (const message of await again.receiveMessages(20)) {
        received.push(message.body);
        await again.completeMessage(message);
      }
    await again.close();
    await client.close();
    expect(received).toEqual(bodies);
  });
});
