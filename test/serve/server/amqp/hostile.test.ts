import { describe, expect, it } from "vitest";
import { ServedConnection } from "../../../../src/serve/server/amqp/served-connection.ts";
import type { IncomingDelivery } from "../../../../src/wire/amqp/connection/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { seeded } from "../../../random.support.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { after, attach, begin, described, frame, header, open, performative } from "./hostile-peer.support.ts";

const uint = typed.uint;

function never(): never {
  throw new Error("Nobody shows a token.");
}

const running = [header(0), open, begin(), attach(0)];
const uint64 = typed.ulong;
const answering = frame(described(0x11, [typed.ushort(7), uint(0), uint(10), uint(10)]));
const settling = (sender: number, receiver: number): Buffer =>
  performative(0x12, "l", uint(0), false, typed.ubyte(sender), typed.ubyte(receiver), null, null);
const copying = performative(
  0x12,
  "l",
  uint(0),
  true,
  null,
  null,
  typed.described(typed.ulong(0x28), ["q", null, null, null, null, null, typed.symbol("copy")]),
  typed.described(typed.ulong(0x29), ["q"]),
);

describe("a hostile peer", () => {
  const zeroWidth = Buffer.from([0, 0x53, 0x10, 0xc0, 0x0b, 1, 0xf0, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0x40]);
  const zeroWidthInit = Buffer.from(zeroWidth).fill(0x41, 2, 3);
  const deep = Buffer.concat([
    Buffer.from([0, 0x53, 0x10]),
    Buffer.from(Array.from({ length: 200 }, (_, level) => [0xd0, 0, 0, 0x10, 200 - level, 0, 0, 0, 1]).flat()),
  ]);

  it.each<readonly [string, string, readonly Uint8Array[]]>([
    [
      "a frame smaller than its header",
      "amqp:connection:framing-error",
      [header(0), Buffer.from([0, 0, 0, 7, 2, 0, 0, 0])],
    ],
    ["a frame of 0 bytes", "amqp:connection:framing-error", [header(0), Buffer.alloc(8)]],
    ["a claim of 4 GiB", "amqp:connection:framing-error", [header(0), Buffer.from([255, 255, 255, 255, 2, 0, 0, 0])]],
    ["a claim of 4 GiB after the open", "amqp:connection:framing-error", [header(0), open, Buffer.alloc(8, 255)]],
    [
      "a body that begins inside the header",
      "amqp:connection:framing-error",
      [header(0), frame(Buffer.alloc(4), { offset: 1 })],
    ],
    [
      "a body that begins behind the frame",
      "amqp:connection:framing-error",
      [header(0), frame(Buffer.alloc(4), { offset: 200 })],
    ],
    ["a frame of an unknown type", "amqp:connection:framing-error", [header(0), frame(Buffer.alloc(0), { type: 7 })]],
    ["zero-width arrays before the open", "amqp:decode-error", [header(0), frame(zeroWidth)]],
    ["zero-width arrays before authentication", "amqp:decode-error", [header(3), frame(zeroWidthInit, { type: 1 })]],
    ["deep nesting", "amqp:decode-error", [header(0), frame(deep)]],
    ["a body that is no described list", "amqp:decode-error", [header(0), frame(Buffer.from([0x40]))]],
    ["a body that is cut off", "amqp:decode-error", [header(0), frame(Buffer.from([0, 0x53, 0x10, 0xc0]))]],
    ["an open without a container id", "amqp:invalid-field", [header(0), performative(0x10)]],
    ["an open whose container id is a number", "amqp:decode-error", [header(0), performative(0x10, uint(7))]],
    ["a begin before the open", "amqp:illegal-state", [header(0), begin()]],
    ["two opens", "amqp:illegal-state", [header(0), open, open]],
    ["a close before the open", "amqp:illegal-state", [header(0), performative(0x18)]],
    ["an AMQP frame during SASL", "amqp:not-allowed", [header(3), open]],
    [
      "an unknown SASL mechanism",
      "amqp:unauthorized-access",
      [header(3), frame(described(0x41, [typed.symbol("X")]), { type: 1 })],
    ],
    ["a channel above the limit", "amqp:connection:framing-error", [header(0), open, begin(5000)]],
    ["two begins on a channel", "amqp:illegal-state", [header(0), open, begin(), begin()]],
    ["a frame on a channel without a session", "amqp:not-allowed", [header(0), open, attach(0)]],
    ["a handle above the limit", "amqp:connection:framing-error", [header(0), open, begin(), attach(1000)]],
    ["an unknown performative", "amqp:not-implemented", [header(0), open, begin(), performative(0x1f)]],
  ])("is closed for %s, with %s", async (_what, condition, bytes) => {
    const { told, over } = await after(bytes);

    expect(over).toBe(true);
    expect(told).toContain(condition);
    // The last frame is a close.
    expect(told).toContain("\u0000\u0053\u0018");
  });

  it.each<readonly [string, string, readonly Uint8Array[]]>([
    ["a handle that is in use", "amqp:session:handle-in-use", [...running, attach(0, { name: "other" })]],
    ["a handle that is not attached", "amqp:session:unattached-handle", [...running, performative(0x14, uint(9))]],
    ["a delivery without an id", "amqp:invalid-field", [...running, performative(0x14, uint(0))]],
  ])("has its session ended for %s, with %s", async (_what, condition, bytes) => {
    const { told, over } = await after(bytes);

    expect(over).toBe(false);
    expect(told).toContain(condition);
  });

  it("has its session ended when it sends without credit", async () => {
    const transfer = performative(0x14, uint(0), uint(0), Buffer.of(1), uint(0), true);

    const { told, over } = await after([header(0), open, begin(), Buffer.concat([attach(0), transfer])]);

    expect(told).toContain("amqp:link:transfer-limit-exceeded");
    expect(over).toBe(false);
  });

  it("gets no more links than allowed, and keeps those it has", async () => {
    const { told, over } = await after(
      [header(0), open, begin(), ...[0, 1, 2, 3].map((handle) => attach(handle, { name: `l${handle}` }))],
      {
        maxLinks: 2,
      },
    );

    expect(told.split("amqp:resource-limit-exceeded")).toHaveLength(3);
    expect(over).toBe(false);
  });

  it("learns which protocol is spoken here when it speaks another one", async () => {
    const { told, over } = await after([Buffer.from("AMQP\u0000\u0000\u0009\u0001", "latin1")]);

    expect(told).toBe(header(0).toString("latin1"));
    expect(over).toBe(true);
  });

  it("buffers no more than it has sent of a frame it has claimed", async () => {
    const { connection } = await after([header(0), open]);
    const claim = Buffer.from([0, 0, 0xff, 0xff, 2, 0, 0, 0]);

    const before = process.memoryUsage().arrayBuffers;
    connection.wire.receive(claim);
    const grown = process.memoryUsage().arrayBuffers - before;

    expect(grown).toBeLessThan(10_000);
  });

  it("handles a disposition of four billion deliveries at once", async () => {
    const { over } = await after([...running, performative(0x15, true, uint(0), uint(0xffff_ffff), true)]);

    expect(over).toBe(false);
  });

  it("that says nothing is given up after ten seconds, and one that stops talking after two minutes", () => {
    let now = 0;
    const closed: unknown[] = [];
    const connect = (): ServedConnection =>
      new ServedConnection({
        access: {
          anonymous: () => ({ engine: memoryEngine(), scope: "", rights: ["Listen"], expiresAt: Infinity }),
          password: () => undefined,
          token: never,
        },
        output: () => undefined,
        closed: (reason) => void closed.push(reason),
        now: () => now,
      });
    const silent = Array.from({ length: 1000 }, connect);
    const talking = connect();
    talking.wire.receive(Buffer.concat([header(0), open]));
    const tick = (time: number): number => {
      now = time;
      for (const connection of [...silent, talking]) connection.tick();
      return closed.length;
    };

    expect([tick(9999), tick(10_000), tick(119_999), tick(120_000)]).toEqual([0, 1000, 1000, 1001]);
  });

  it("that puts no token is closed after a minute, even while it talks", () => {
    let now = 0;
    const closed: unknown[] = [];
    const connection = new ServedConnection({
      access: { anonymous: () => undefined, password: () => undefined, token: never },
      output: () => undefined,
      closed: (reason) => void closed.push(reason),
      now: () => now,
    });
    connection.wire.receive(Buffer.concat([header(0), open]));

    for (now = 0; now < 60_000; now += 1000) {
      connection.wire.receive(frame(Buffer.alloc(0)));
      connection.tick();
    }
    expect(closed).toEqual([]);
    connection.tick();

    expect(closed).toEqual(["The client did not put a token within a minute."]);
  });

  it.each<readonly [string, string, readonly Uint8Array[]]>([
    ["a begin that answers nothing", "amqp:not-allowed", [header(0), open, answering]],
    ["a settle mode of 3", "amqp:invalid-field", [header(0), open, begin(), settling(3, 0)]],
    ["a receiver's settle mode of 2", "amqp:invalid-field", [header(0), open, begin(), settling(0, 2)]],
    ["the distribution mode copy", "amqp:not-implemented", [header(0), open, begin(), copying]],
  ])("is refused with %s", async (_what, condition, bytes) => {
    expect((await after(bytes)).told).toContain(condition);
  });

  it("that declares transactions all at once gets 256 of them", async () => {
    const pair = new BrokerPair(memoryEngine());
    const session = await pair.session();
    const told: unknown[] = [];
    const link = session.links.newSender("coordinator");
    link.open(
      { source: { kind: "source" }, target: { kind: "coordinator" } },
      {
        flowed: () => undefined,
        disposed: (_delivery, state) => void told.push(state?.kind),
        detached: () => undefined,
      },
    );
    await pair.run();
    const declare = writeMessage({ body: { kind: "value", value: typed.described(uint64(0x31), [null]) } });

    for (let id = 0; told.length < 300 && id < 300;) {
      for (; link.ready && id < 300; id++) link.send({ payload: declare, tag: Buffer.from(`${id}`), settled: false });
      await pair.run();
    }

    expect(told.filter((kind) => kind === "declared")).toHaveLength(256);
    expect(told).toHaveLength(300);
  });

  it("that does not read gets no more messages than a megabyte and those on the way", async () => {
    const crowded = memoryEngine({ queues: ["q"] });
    const sender = await crowded.openSender("q");
    const payload = new Uint8Array(100_000);
    await sender.send(Array.from({ length: 200 }, () => createEnvelope({ payload })));
    const pair = new BrokerPair(crowded);
    const session = await pair.session();
    const got: IncomingDelivery[] = [];
    const receiver = pair.receiver(session, "q", got);
    await pair.run();

    receiver.grant(200);
    // The server's socket has said that its peer does not read.
    pair.server.wire.receive(pair.client.take());
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    pair.server.wire.writable = false;
    const bytes = pair.server.wire.take().byteLength;
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    const later = pair.server.wire.take().byteLength;

    expect(bytes).toBeLessThan(2 ** 20);
    expect(later).toBe(0);
  });

  it("never brings the server down, whatever bytes it changes", async () => {
    const good = Buffer.concat([...running, performative(0x14, uint(0), uint(0), Buffer.of(1), uint(0), true)]);
    const random = seeded(7);
    for (let round = 0; round < 2000; round++) {
      const bytes = Buffer.from(good);
      for (let change = 0; change <= round % 4; change++)
        bytes[8 + random.integer(bytes.length - 8)] = random.integer(256);

      await after([bytes]);
    }

    expect(good.length).toBeGreaterThan(100);
  });
});
