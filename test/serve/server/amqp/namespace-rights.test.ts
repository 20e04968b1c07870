import { afterEach, describe, expect, it, vi } from "vitest";
import type { IncomingDelivery, SendingLink } from "../../../../src/wire/amqp/connection/index.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { writeSas } from "../../../../src/wire/http/sas.ts";
import { Namespaces } from "../../../../src/serve/server/namespaces.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../../src/core/values/typed.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { declared, putToken, request } from "./broker-requests.support.ts";

afterEach(() => void vi.useRealTimers());

const keys = {
  root: "root's",
  reader: { key: "reader's", rights: ["Listen"] },
} as const;

/** The main namespace, in which `reader` may only listen, and `tenant`, whose key has all rights. */
function broker(): { readonly main: Engine; readonly tenant: Engine; readonly access: Namespaces } {
  const main = memoryEngine({ queues: ["a", "b"] });
  const tenant = memoryEngine({ queues: ["a", "b"] });
  const access = new Namespaces({ name: "", engine: main, keys });
  access.add({ name: "tenant", engine: tenant, keys: { tenant: "tenant's" } });
  return { main, tenant, access };
}

const token = (name: string, entity = "", life = 60_000): string =>
  writeSas(`sb://localhost/${entity}`, { name, value: `${name}'s` }, Date.now() + life);

const plain = (name: string): { readonly plain: { readonly name: string; readonly key: string } } => ({
  plain: { name, key: `${name}'s` },
});

/** Sends to `a` in both ways. */
async function sendTo(pair: BrokerPair): Promise<void> {
  const message = writeMessage({ body: { kind: "value", value: 1 } });
  const scheduled = writeMessage({
    messageAnnotations: { "x-opt-scheduled-enqueue-time": new Date(4e12) },
    body: { kind: "value", value: 1 },
  });
  await request(pair, "a", "schedule-message", { messages: [new AmqpMap([["message", scheduled]])] });
  const link = pair.sender(await pair.session(), "a");
  await pair.run();
  if (link.isAttached) link.send({ payload: message, tag: Uint8Array.of(1), settled: false });
  await pair.run();
}

/** A link to `a` whose messages are transferred to `b`. */
async function transfer(pair: BrokerPair): Promise<SendingLink> {
  const link = (await pair.session()).links.newSender("transfer");
  const properties = new AmqpMap([[typed.symbol("com.microsoft:transfer-destination-address"), "b"]]);
  link.open(
    { source: { kind: "source" }, target: { kind: "target", address: "a" }, properties },
    {
      flowed: () => undefined,
      disposed: () => undefined,
      detached: (error) => void pair.detached.push(error),
    },
  );
  await pair.run();
  return link;
}

/** The messages of a namespace. */
const held = async (engine: Engine): Promise<number> => {
  const counts = await Promise.all(["a", "b"].map((name) => engine.admin.getQueueRuntimeProperties(name)));
  return counts.reduce((sum, { totalMessageCount }) => sum + totalMessageCount, 0);
};

describe("rights of another namespace on one connection", () => {
  it.each<[string, (access: Namespaces, main: Engine) => Promise<BrokerPair>]>([
    [
      "a key at the beginning",
      async (access, main) => {
        const pair = new BrokerPair(main, {}, { access, ...plain("tenant") });
        await putToken(pair, token("reader"));
        return pair;
      },
    ],
    [
      "a token before",
      async (access, main) => {
        const pair = new BrokerPair(main, {}, { access });
        await putToken(pair, token("tenant"));
        await putToken(pair, token("reader"));
        return pair;
      },
    ],
    [
      "a token behind",
      async (access, main) => {
        const pair = new BrokerPair(main, {}, { access });
        await putToken(pair, token("reader"));
        await putToken(pair, token("tenant"));
        return pair;
      },
    ],
    [
      "a token behind a key",
      async (access, main) => {
        const pair = new BrokerPair(main, {}, { access, ...plain("reader") });
        await putToken(pair, token("tenant"));
        return pair;
      },
    ],
  ])("send nothing to this one, shown as %s", async (_what, connected) => {
    const { main, access } = broker();
    const pair = await connected(access, main);

    await sendTo(pair);

    expect(await held(main)).toBe(0);
  });

  it("are refused at $cbs, while further tokens of the connection's own namespace are taken", async () => {
    const { main, access } = broker();
    const pair = new BrokerPair(main, {}, { access, ...plain("tenant") });

    const answers = [];
    for (const name of ["reader", "tenant", "root", "tenant"]) answers.push(await putToken(pair, token(name)));

    expect(answers).toEqual([401, 202, 401, 202]);
  });

  it("do not open the destination of a transfer", async () => {
    const { main, tenant, access } = broker();
    const pair = new BrokerPair(main, {}, { access, ...plain("tenant") });
    await putToken(pair, token("root", "a"));
    const link = await transfer(pair);
    if (link.isAttached)
      link.send({
        payload: writeMessage({ body: { kind: "value", value: 1 } }),
        tag: Uint8Array.of(1),
        settled: false,
      });
    await pair.run();

    expect([await held(main), await held(tenant)]).toEqual([0, 1]);
  });

  it("leave a client without credentials its own namespace, until it shows a key of another one", async () => {
    const main = memoryEngine({ queues: ["a"] });
    const free = memoryEngine({ queues: ["a"] });
    const access = new Namespaces({ name: "", engine: main, keys: undefined });
    access.add({ name: "free", engine: free, keys: undefined });
    const pair = new BrokerPair(main, {}, { access });
    const wellKnown = writeSas("sb://localhost/", { name: "free", value: "SAS_KEY_VALUE" }, Date.now() + 60_000);
    await putToken(pair, wellKnown);

    await declared(pair);
    pair.sender(await pair.session(), "a");
    await pair.run();

    expect(pair.server.isOf(free)).toBe(true);
    expect(pair.server.isOf(main)).toBe(false);
  });
});

describe("a link that a token has opened", () => {
  it("ends with that token, whatever keys of other namespaces the connection has", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { main, access } = broker();
    const pair = new BrokerPair(main, {}, { access });
    await putToken(pair, token("reader", "", 2000));
    await putToken(pair, token("tenant"));
    const got: IncomingDelivery[] = [];
    pair.receiver(await pair.session(), "b", got).grant(10);
    await pair.run();

    vi.setSystemTime(Date.now() + 3000);
    pair.server.tick();
    const sender = await main.openSender("b");
    await sender.send([createEnvelope({ payload: Uint8Array.of(1) })]);
    await pair.run();

    expect(got).toEqual([]);
    expect(pair.detached).toMatchObject([{ condition: "amqp:unauthorized-access" }]);
  });

  it("ends with the token for the entity that its messages are transferred to", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { main, access } = broker();
    const pair = new BrokerPair(main, {}, { access });
    await putToken(pair, token("root", "a"));
    await putToken(pair, token("root", "b", 2000));
    const link = await transfer(pair);
    expect(link.isAttached).toBe(true);

    vi.setSystemTime(Date.now() + 3000);
    pair.server.tick();
    await pair.run();

    expect(pair.detached).toMatchObject([{ condition: "amqp:unauthorized-access" }]);
  });
});
