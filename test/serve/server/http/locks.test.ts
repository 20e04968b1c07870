import { describe, expect, it } from "vitest";
import { lockToken } from "../../../../src/core/engine/delivery.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { writeSas } from "../../../../src/wire/http/sas.ts";
import { type Right, startServer, type TokenClaims } from "../../../../src/serve/server/index.ts";
import { SealedLocks } from "../../../../src/serve/server/http/sealed-locks.ts";

const keys = { first: "a", second: "b" };
const signed = (name: keyof typeof keys): Record<string, string> => ({
  authorization: writeSas("sb://localhost/q", { name, value: keys[name] }, Date.now() + 60_000),
});

const verifyToken = async (token: string): Promise<TokenClaims> => {
  const [subject = ""] = token.split(" ");
  const rights: readonly Right[] = ["Manage"];
  return { rights, expiresAt: new Date(Date.now() + 60_000), ...(subject !== "nobody" && { subject }) };
};

const status = async (place: string, method: string, authorization: string): Promise<number> =>
  (await fetch(place, { method, headers: { authorization } })).status;

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

  it("belongs to the subject of the access token that the message was received with", async () => {
    await using server = await startServer({ queues: ["q"], verifyToken });
    const url = `http://127.0.0.1:${server.port}/q/messages`;
    const settled = async (one: string, other: string): Promise<number> => {
      await fetch(url, { method: "POST", headers: { authorization: one }, body: "a" });
      const { headers } = await fetch(`${url}/head?timeout=0`, { method: "POST", headers: { authorization: one } });
      return status(headers.get("location")?.replace(/^.*\/messages/, url) ?? "", "DELETE", other);
    };

    expect(await settled("alice 1", "bob 1")).toBe(404);
    expect(await settled("nobody 1", "nobody 2")).toBe(404);
    expect(await settled("alice 1", "alice 2")).toBe(200);
    expect(await settled("nobody 1", "nobody 1")).toBe(200);
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
    const [again] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

    expect(locked.status).toBe(201);
    expect(again?.deliveryCount).toBe(0);
    await engine.close();
  });
});
