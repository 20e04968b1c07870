import { describe, expect, it } from "vitest";
import { nodeOf } from "../../../../src/serve/server/amqp/node-address.ts";
import { tagOf, tokenOf } from "../../../../src/wire/amqp/message/lock-tag.ts";
import { sessionFilter, ticksOf, withSession } from "../../../../src/serve/server/amqp/session-filter.ts";
import { ServedConnection } from "../../../../src/serve/server/amqp/served-connection.ts";
import { Connection, type IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import type { Terminus } from "../../../../src/wire/amqp/connection/performative.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { lockToken } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../../src/core/values/typed.ts";

const ignore = (): void => undefined;

const described = (value: AmqpValue): AmqpValue => typed.described(typed.ulong(0x13_7000_000cn), value);

const source = (value: AmqpValue): Terminus => ({
  kind: "source",
  filter: new AmqpMap([[typed.symbol("com.microsoft:session-filter"), value]]),
});

/** The part that no broker may change. */
const bare = (message: ReturnType<typeof parseMessage>): unknown =>
  [
    message.sectionBytes("properties"),
    message.sectionBytes("applicationProperties"),
    message.bodyBytes(),
    message.sectionBytes("footer"),
  ].map((bytes) => Buffer.from(bytes ?? []).toString("hex"));

describe("the address of a link", () => {
  it.each([
    ["q", "q"],
    ["/q/", "q"],
    ["t/Subscriptions/s", "t/Subscriptions/s"],
    ["/a%20b", "a b"],
    ["/100%", "100%"],
    ["amqps://host:5671/t/subscriptions/s", "t/subscriptions/s"],
    ["sb://host/q/$DeadLetterQueue", "q/$DeadLetterQueue"],
  ])("%s is the entity %s", (address, entity) => {
    expect(nodeOf(address)).toEqual({ kind: "entity", entity });
  });

  it.each([
    ["$cbs", { kind: "cbs" }],
    ["amqp://h/$cbs", { kind: "cbs" }],
    ["q/$management", { kind: "management", entity: "q" }],
    ["/q/$DeadLetterQueue/$Management", { kind: "management", entity: "q/$DeadLetterQueue" }],
  ])("%s is a node of its own", (address, node) => {
    expect(nodeOf(address)).toEqual(node);
  });
});

const granted = (requested: AmqpValue): unknown =>
  withSession(source(requested), "a").filter?.get("com.microsoft:session-filter");

describe("the filter of a granted session", () => {
  it("has the form that the client sent, which is the only one that it reads", () => {
    expect(granted(null)).toBe("a");
    expect(granted(described(null))).toEqual(described("a"));
  });
});

describe("a lock token", () => {
  it("is a .NET Guid's bytes as a delivery tag, and comes back from it", () => {
    const token = lockToken("00112233-4455-6677-8899-aabbccddeeff");

    const tag = tagOf(token);

    expect(Buffer.from(tag).toString("hex")).toBe("33221100554477668899aabbccddeeff");
    expect(tokenOf(tag)).toBe(token);
  });
});

describe("a session filter", () => {
  it("names a session plainly or described, or asks for the next one", () => {
    const wanted = [source("a"), source(described("b")), source(""), source(null), source(described(null))];

    expect(wanted.map(sessionFilter)).toEqual(["a", "b", "", null, null]);
    expect(sessionFilter({ kind: "source" })).toBeUndefined();
  });

  it("is refused when it is of another type, instead of any session being given", () => {
    for (const value of [5, true, described(typed.ulong(1))])
      expect(() => sessionFilter(source(value))).toThrow("must be a session id as a string, or null");
  });

  it("is granted until a time in .NET's ticks", () => {
    expect(ticksOf(new Date(0))).toBe(621_355_968_000_000_000n);
  });
});

describe("a message on its way through the broker", () => {
  it("keeps the bytes of its bare message and footer", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const server = new ServedConnection({
      access: {
        anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
        password: () => undefined,
        token: () => {
          throw new Error("no tokens");
        },
      },
      output: () => undefined,
      now: () => 0,
    });
    const client = new Connection({
      role: "client",
      containerId: "test",
      now: () => 0,
      events: { opened: () => undefined, attach: () => undefined, closed: () => undefined, output: () => undefined },
    });
    const run = async (): Promise<void> => {
      for (let turn = 0; turn < 60; turn++) {
        server.wire.receive(client.take());
        for (let wait = 0; wait < 5; wait++) await Promise.resolve();
        client.receive(server.wire.take());
      }
    };
    const sent = writeMessage({
      header: { durable: true, priority: 9 },
      messageAnnotations: { "x-custom": "kept" },
      properties: { messageId: typed.uuid("00112233-4455-6677-8899-aabbccddeeff"), userId: Uint8Array.of(1) },
      applicationProperties: { f: typed.float(1.5), c: typed.char("x") },
      body: { kind: "data", sections: [Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3)] },
      footer: { f: "o" },
    });
    const got: IncomingDelivery[] = [];
    await run();
    const session = client.openSession();
    const sender = session.links.newSender("s");
    const address = { address: "q" } as const;
    sender.open({ target: { kind: "target", ...address } }, { flowed: ignore, disposed: ignore, detached: ignore });
    const receiver = session.links.newReceiver("r");
    receiver.open(
      { source: { kind: "source", ...address }, target: { kind: "target" } },
      { delivered: (delivery) => void got.push(delivery), detached: ignore },
    );
    await run();

    sender.send({ payload: sent, tag: Uint8Array.of(1), settled: false });
    receiver.grant(1);
    await run();

    const [before, after] = [parseMessage(sent), parseMessage(got[0]?.payload ?? new Uint8Array())];
    expect(bare(after)).toEqual(bare(before));
    expect(after.header).toMatchObject({ durable: true, priority: 9, deliveryCount: 0 });
    expect(after.messageAnnotations?.get("x-custom")).toBe("kept");
  });
});
