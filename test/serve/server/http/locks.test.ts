import { describe, expect, it } from "vitest";
import { lockToken } from "../../../../src/core/engine/delivery.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { writeSas } from "../../../../src/wire/http/sas.ts";
import { startServer } from "../../../../src/serve/server/index.ts";
import { SealedLocks } from "../../../../src/serve/server/http/sealed-locks.ts";

const keys = { first: "a", second: "b" };
const signed = (name: keyof typeof keys): Record<string, string> => ({
  authorization: writeSas("sb://localhost/q", { name, value: keys[name] }, Date.now() + 60_000),
});

describe("a lock over HTTP", () => {
  it("belongs to the key that the message was received with", async () => {
    await using server = await startServer({ keys, queues: ["q"] });
    const url = `http://127.0.0.1:${server.port}/q/messages`;
    await fetch(url, { method: "POST", headers: signed("first"), body: "a" });
    const locked = await fetch(`${url}/head?timeout=0`, { method: "POST", headers: signed("first") });
    const place = locked.headers.get("location")?.replace(/^.*\/messages/, url) ?? "";
    const complete = async (name: keyof typeof keys): Promise<number> =>
      (await fetch(place, { method: "DELETE", headers: signed(name) })).status;

    expect(await complete("second")).toBe(404);
    expect(await complete("first")).toBe(200);
  });

  it("cannot be taken over with the token that the engine knows it by", () => {
    const locks = new SealedLocks();
    const token = lockToken("0f8fad5b-d9cb-469f-a165-70867728950e");

    const shown = locks.of("first").seal(token);

    expect(shown).not.toBe(token);
    expect(locks.of("first").open(shown)).toBe(token);
    expect(locks.of("second").open(shown)).not.toBe(token);
    expect(locks.of("first").open(token)).not.toBe(token);
    expect(new SealedLocks().of("first").open(shown)).not.toBe(token);
  });

  it("is settled at any server with the same secret", () => {
    const token = lockToken("0f8fad5b-d9cb-469f-a165-70867728950e");
    const shown = new SealedLocks("shared").of("first").seal(token);

    expect(new SealedLocks("shared").of("first").open(shown)).toBe(token);
    expect(new SealedLocks("other").of("first").open(shown)).not.toBe(token);
  });

  it("is released when the server closes, of an engine that stays open", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const server = await startServer({ engine });
    const queue = `http://127.0.0.1:${server.port}/q/messages`;
    await fetch(queue, { method: "POST", body: "a" });
    const locked = await fetch(`${queue}/head?timeout=0`, { method: "POST" });

    await server.close();
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const [again] = await receiver.receive({ maxMessages: 1, maxWaitTime: 0 });

    expect(locked.status).toBe(201);
    expect(again?.deliveryCount).toBe(0);
    await engine.close();
  });
});
