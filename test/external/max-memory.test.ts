import { describe, expect, it } from "vitest";
import { memoryEngineWithin } from "../../src/broker/memory/memory-engine.ts";
import { Memory } from "../../src/broker/memory/meter.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { used } from "../serve/server/amqp/hostile-peer.support.ts";
import { BrokerPair } from "../serve/server/amqp/broker-pair.support.ts";

const post = (port: number, path: string, body: string, type = "text/plain"): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/${path}/messages`, { method: "POST", body, headers: { "content-type": type } });

const batch = JSON.stringify(Array.from({ length: 10_000 }, () => ({ Body: "" })));
const batchType = "application/vnd.microsoft.servicebus.json";

describe("a server whose memory is used up", () => {
  it("refuses sends over HTTP with 403, in every namespace, until messages leave", async () => {
    await using server = await startServer({ queues: ["q"], maxMemory: 2 ** 20 });
    server.namespace("other", { queues: ["q"] });
    const large = "x".repeat(600_000);
    expect((await post(server.port, "q", large)).status).toBe(201);

    const refused = await post(server.port, "q", large);
    const elsewhere = await server.namespace("other").engine.openSender("q");

    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("limit of 1 MB of memory");
    await expect(elsewhere.send([createEnvelope({ payload: Buffer.from(large) })])).rejects.toMatchObject({
      code: "QuotaExceeded",
    });
    await fetch(`http://127.0.0.1:${server.port}/q/messages/head?timeout=0`, { method: "DELETE" });
    expect((await post(server.port, "q", large)).status).toBe(201);
  });

  it("rejects messages over AMQP with amqp:resource-limit-exceeded, and keeps the link", async () => {
    const pair = new BrokerPair(memoryEngineWithin(new Memory(100_000), { queues: ["q"] }));
    const told: unknown[] = [];
    const sender = pair.sender(await pair.session(), "q", told);
    await pair.run();

    for (let id = 0; id < 3; id++)
      sender.send({
        payload: Buffer.concat([Buffer.from("005375b0", "hex"), size(40_000)]),
        tag: Buffer.of(id),
        settled: false,
      });
    await pair.run();

    expect(told).toMatchObject([
      { kind: "accepted" },
      { kind: "accepted" },
      { kind: "rejected", error: { condition: "amqp:resource-limit-exceeded" } },
    ]);
    expect(sender.state).toBe("attached");
  });

  it("takes no more live memory for batches of empty messages than it may", async () => {
    await using server = await startServer({ queues: ["q"], maxMemory: 16 * 2 ** 20 });
    await (await post(server.port, "q", "a")).text();
    const before = used();

    const told: number[] = [];
    for (let round = 0; round < 5; round++) told.push((await post(server.port, "q", batch, batchType)).status);

    expect(told).toEqual([201, 201, 403, 403, 403]);
    expect(used() - before).toBeLessThan(16 * 2 ** 20);
  });
});

function size(bytes: number): Buffer {
  const section = Buffer.alloc(4 + bytes);
  section.writeUInt32BE(bytes);
  return section;
}
