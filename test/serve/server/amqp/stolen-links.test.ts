import { describe, expect, it } from "vitest";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { writeSas } from "../../../../src/wire/http/index.ts";
import type { TokenClaims } from "../../../../src/serve/server/index.ts";
import { Containers } from "../../../../src/serve/server/amqp/link-names.ts";
import { Namespaces } from "../../../../src/serve/server/namespaces.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared, putToken } from "./broker-requests.support.ts";
import { after, attach, begin, header, open } from "./hostile-peer.support.ts";

const stolen = { condition: "amqp:link:stolen" };

const never = (): never => {
  throw new Error("There is none.");
};

const filter = (id: string | null): AmqpMap => new AmqpMap([[typed.symbol("com.microsoft:session-filter"), id]]);

async function sent(engine: Engine, ...bodies: string[]): Promise<void> {
  const sender = await engine.openSender("q");
  await sender.send(bodies.map((body) => createEnvelope({ payload: Buffer.from(body) })));
}

/** Two connections of clients to one server. */
function two(
  engine: Engine,
  [one, other]: readonly [string, string],
  [oneKey, otherKey]: readonly [string, string] = ["root", "root"],
): readonly [BrokerPair, BrokerPair] {
  const containers = new Containers();
  const pair = (containerId: string, keyName: string): BrokerPair =>
    new BrokerPair(engine, { keyName }, { containers, containerId });
  return [pair(one, oneKey), pair(other, otherKey)];
}

describe("two links of one name, direction and container", () => {
  it("on a connection are one: the second has what comes, and the first is detached as stolen", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const pair = new BrokerPair(engine);
    const got: IncomingDelivery[][] = [[], []];
    for (const deliveries of got) {
      const session = await pair.session();
      pair.receiver(session, "q", deliveries, { name: "same" }).grant(10);
      await pair.run();
    }

    await sent(engine, "a", "b");
    await pair.run();

    expect(got.map(({ length }) => length)).toEqual([0, 2]);
    expect(pair.detached).toMatchObject([stolen]);
  });

  it("on two connections are one, too", async () => {
    const [one, other] = two(memoryEngine({ queues: ["q"] }), ["app", "app"]);
    const first = one.sender(await one.session(), "q", [], "same");
    await one.run();
    const second = other.sender(await other.session(), "q", [], "same");
    await other.run();
    await one.run();

    expect(one.detached).toMatchObject([stolen]);
    expect([first.isAttached, second.isAttached]).toEqual([false, true]);
  });

  it.each<readonly [string, readonly [string, string], readonly [string, string]]>([
    ["containers", ["app", "other"], ["root", "root"]],
    ["keys", ["app", "app"], ["root", "reader"]],
  ])("are two where their %s differ", async (_what, ids, keys) => {
    const pairs = two(memoryEngine({ queues: ["q"] }), ids, keys);
    for (const pair of pairs) {
      pair.sender(await pair.session(), "q", [], "same");
      await pair.run();
    }
    for (const pair of pairs) await pair.run();

    expect(pairs.map(({ detached }) => detached)).toEqual([[], []]);
  });

  it("are two where one sends and the other receives", async () => {
    const pair = new BrokerPair(memoryEngine({ queues: ["q"] }));
    const session = await pair.session();
    pair.sender(session, "q", [], "same");
    pair.receiver(session, "q", [], { name: "same" });
    await pair.run();

    expect(pair.detached).toEqual([]);
  });

  it("follow each other where the first was detached before, or its connection was cut", async () => {
    const [one, other] = two(memoryEngine({ queues: ["q"] }), ["app", "app"]);
    const session = await one.session();
    const told: unknown[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const link = one.sender(session, "q", told, "same");
      await one.run();
      if (turn === 0) link.detach();
      await one.run();
    }
    one.server.wire.disconnected();
    const again = other.sender(await other.session(), "q", told, "same");
    await other.run();

    expect(one.detached).toEqual([]);
    expect(again.isAttached).toBe(true);
  });

  it("hand a session over, held or waited for", async () => {
    const engine = memoryEngine({ queues: { s: { requiresSession: true } } });
    const attaches = ["a", "a", null, null].map((id, channel) =>
      attach(0, { channel, name: `${id}`, isReceiver: true, address: "s", filter: filter(id) }),
    );

    const bytes = [header(0), open, ...attaches.flatMap((frame, channel) => [begin(channel), frame])];
    const { told } = await after(bytes, {}, engine);

    expect(told.split("amqp:link:stolen")).toHaveLength(3);
    expect(told).not.toContain("session-cannot-be-locked");
    expect(told.split("com.microsoft:locked-until-utc")).toHaveLength(3);
  });

  it("are distinguished at $cbs before anybody has a token", async () => {
    const links = [0, 1].map((handle) => attach(handle, { name: "same", address: "$cbs" }));

    const { told } = await after([header(0), open, begin(), ...links]);

    expect(told.split("amqp:link:stolen")).toHaveLength(2);
  });
});

const claims: Readonly<Record<string, Omit<TokenClaims, "expiresAt">>> = {
  alice: { rights: ["Listen"], entity: "a", subject: "alice" },
  "alice again": { rights: ["Listen"], entity: "a", subject: "alice" },
  "alice on b": { rights: ["Listen"], entity: "b", subject: "alice" },
  bob: { rights: ["Listen", "Manage"], subject: "bob" },
  nameless: { rights: ["Listen"] },
  "nameless, too": { rights: ["Listen"] },
  key: { rights: ["Listen"], subject: "root" },
};
const verifyToken = async (token: string): Promise<TokenClaims> => {
  const found = claims[token];
  if (found === undefined) throw new Error("unknown");
  return { ...found, expiresAt: new Date(Date.now() + 60_000) };
};
const sas = (entity: string, name = "root"): string =>
  writeSas(`sb://localhost/${entity}`, { name, value: "key" }, Date.now() + 60_000);

/** Whether the link that one token has opened to `a` is taken by that of another. */
async function isTaken(first: string, second: string, to: string): Promise<boolean> {
  const engine = memoryEngine({ queues: ["a", "b"] });
  const access = new Namespaces({ name: "", engine, keys: { root: "key", reader: "key" } }, { verifyToken });
  const containers = new Containers();
  const [victim = never(), thief = never()] = [0, 1].map(() => new BrokerPair(engine, {}, { access, containers }));
  const attached = [
    [victim, first, "a"],
    [thief, second, to],
  ] as const;
  for (const [pair, token, address] of attached) {
    expect(await putToken(pair, token)).toBe(202);
    pair.receiver(await pair.session(), address, [], { name: "orders-link" });
    await pair.run();
  }
  await victim.run();
  expect(thief.detached).toEqual([]);
  return victim.detached.length > 0;
}

describe("a link of another client, whose container and link names are known", () => {
  it.each([
    ["another subject, with rights on both", "alice", "bob", "b"],
    ["another subject, with rights on both, to the same entity", "alice", "bob", "a"],
    ["the same subject without rights on its entity", "alice", "alice on b", "b"],
    ["another token without a subject", "nameless", "nameless, too", "b"],
    ["a token without a subject", "alice", "nameless", "a"],
    ["the same key without rights on its entity", sas("a"), sas("b"), "b"],
    ["another key", sas("a"), sas("", "reader"), "a"],
    ["a subject of the key's name", sas("a"), "key", "a"],
  ])("is not taken by %s", async (_what, first, second, to) => {
    expect(await isTaken(first, second, to)).toBe(false);
  });

  it.each([
    ["the same subject with rights on its entity", "alice", "alice again", "a"],
    ["the same token without a subject", "nameless", "nameless", "b"],
    ["the same key with rights on both", sas("a"), sas(""), "b"],
  ])("is taken by %s", async (_what, first, second, to) => {
    expect(await isTaken(first, second, to)).toBe(true);
  });

  it("to the coordinator is taken by nobody on another connection, which would roll its transactions back", async () => {
    const engine = memoryEngine({ queues: ["a", "b"] });
    const access = new Namespaces({ name: "", engine, keys: { root: "key" } });
    const containers = new Containers();
    const begun = [];
    for (const token of [sas("a"), sas("b")]) {
      const pair = new BrokerPair(engine, {}, { access, containers });
      await putToken(pair, token);
      begun.push({ pair, transaction: await declared(pair) });
    }
    const [{ pair, transaction } = never()] = begun;
    const link = pair.sender(await pair.session(), "a");
    await pair.run();
    const state = { kind: "transactional", transactionId: transaction.id } as const;
    link.send({
      payload: writeMessage({ body: { kind: "value", value: 1 } }),
      tag: Uint8Array.of(1),
      settled: false,
      state,
    });
    await pair.run();
    await transaction.discharge(false);

    expect((await engine.admin.getQueueRuntimeProperties("a")).totalMessageCount).toBe(1);
  });
});
