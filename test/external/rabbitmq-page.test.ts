import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rabbitmqEngine } from "../../src/broker/rabbitmq/rabbitmq-engine.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { createClient, createEnvelope, createSerializer, json } from "../../src/index.ts";
import { RabbitmqServer } from "./rabbitmq-server.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(`${root}/docs/rabbitmq.md`, "utf8");

/** The code of the page that says what it prints, under the heading above it. */
const examples = Array.from(
  page.matchAll(/^## ([^\n]*)\n(?:(?!^## )[^])*?```ts\n([^]*?)```\s*```text\n([^]*?)```/gm),
  ([, title = "", code = "", output = ""]) => ({ title, code, output }),
);

let server: RabbitmqServer;
let engine: Engine;

beforeAll(async () => {
  server = await RabbitmqServer.create();
  engine = await rabbitmqEngine({ url: server.url(), prefix: "client.", queues: ["orders", "late"] });
});
afterAll(async () => {
  await engine.close();
  await server[Symbol.asyncDispose]();
});

describe("the page about RabbitMQ", () => {
  it("has code that prints what it says", () => {
    expect(examples.map(({ title }) => title)).toEqual(["One service", "Topics"]);
  });

  it.each(examples)("prints what it says: $title", async ({ code, output }) => {
    const options = ["--conditions=sobre-source", "--input-type=module-typescript", "--eval", code];
    const { stdout } = await promisify(execFile)(process.execPath, options, {
      cwd: root,
      env: { ...process.env, RABBITMQ_URL: server.url(), NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
    });

    expect(stdout).toBe(output);
  });
});

describe("a client over RabbitMQ", () => {
  it("processes messages, retries a handler at once, and dead-letters what cannot be read", async () => {
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
    const sender = client.createSender("orders");
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    const brokerProperties = { contentType: "application/json" };
    const broken = createEnvelope({ payload: Buffer.from("{"), brokerProperties });
    await (await engine.openSender("orders")).send([broken]);
    const seen: unknown[] = [];
    const failures = new Set<unknown>([2]);
    const processor = client.startProcessor(
      "orders",
      {
        processMessage({ body }) {
          seen.push(body);
          if (failures.delete(body)) throw new Error("once");
        },
        processError: () => undefined,
      },
      { retries: { immediate: 1 } },
    );
    const dead = client.createReceiver("orders/$DeadLetterQueue", { receiveMode: "receiveAndDelete" });
    const [unreadable] = await dead.receiveMessages(1, { maxWaitTimeInMs: 30_000 });
    await processor.close();

    expect(seen.toSorted((one, other) => Number(one) - Number(other))).toEqual([1, 2, 2]);
    expect(unreadable).toMatchObject({ deadLetterReason: "Unreadable" });
    expect(client.health().status).toBe("healthy");
    await client.close();
  });

  it("refuses delayed retries, which need a transaction or deferring", async () => {
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
    const handlers = { processMessage: () => undefined, processError: () => undefined };

    expect(() => client.startProcessor("late", handlers, { retries: { delayed: ["1s"] } })).toThrow(
      expect.objectContaining({ code: "UnsupportedCapability" }),
    );
    await client.close();
  });
});
