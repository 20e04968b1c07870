import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { encodeValue } from "../../../codecs/amqp/index.ts";
import { BrokerConnection } from "../../../src/amqp/wire/broker/index.ts";
import type { ConnectionLimits, IncomingDelivery } from "../../../src/amqp/wire/index.ts";
import { memoryEngine } from "../../../src/engines/memory/index.ts";
import { amqp, type AmqpValue, createEnvelope } from "../../../src/envelope/index.ts";
import { BrokerPair } from "./broker-pair.ts";
import { seeded } from "../../random.ts";

const engine = memoryEngine({ queues: ["q"] });
const header = (protocol: number): Buffer => Buffer.from([0x41, 0x4d, 0x51, 0x50, protocol, 1, 0, 0]);

/** A frame around any body. */
function frame(body: Uint8Array, { type = 0, channel = 0, offset = 2 } = {}): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.byteLength);
  head[4] = offset;
  head[5] = type;
  head.writeUInt16BE(channel, 6);
  return Buffer.concat([head, body]);
}

const described = (descriptor: number, fields: AmqpValue): Uint8Array =>
  encodeValue(amqp.described(amqp.ulong(descriptor), fields));
const performative = (descriptor: number, ...fields: AmqpValue[]): Buffer => frame(described(descriptor, fields));
const uint = amqp.uint;

const open = performative(0x10, "hostile");
const begin = (channel = 0): Buffer => frame(described(0x11, [null, uint(0), uint(10), uint(10)]), { channel });
const source = amqp.described(amqp.ulong(0x28), ["q"]);
const target = amqp.described(amqp.ulong(0x29), ["q"]);
const attach = (handle: number, name = "l", channel = 0): Buffer =>
  frame(described(0x12, [name, uint(handle), false, null, null, source, target, null, null, uint(0)]), { channel });
const flow = performative(0x13, uint(0), uint(10), uint(0), uint(10), uint(0), uint(0), uint(10), null, null, true);
const collect = garbageCollector();

/** Node's collector, which has to be asked for. */
function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  return () => void (typeof found === "function" && Reflect.apply(found, undefined, []));
}

/** Bytes in use. */
function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function never(): never {
  throw new Error("Nobody shows a token.");
}

/** A server's end after these bytes, with the conditions of the errors that it has told. */
async function after(
  bytes: readonly Uint8Array[],
  limits: Partial<ConnectionLimits> = {},
): Promise<{ readonly told: string; readonly over: boolean; readonly connection: BrokerConnection }> {
  const connection = new BrokerConnection({
    access: {
      anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
      password: () => undefined,
      token: () => {
        throw new Error("no tokens");
      },
    },
    limits,
    output: () => undefined,
    now: () => 0,
  });
  const written: string[] = [];
  let longest = 0;
  for (const chunk of bytes) {
    const before = process.threadCpuUsage();
    connection.wire.receive(chunk);
    // Links are opened between the frames.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    written.push(Buffer.from(connection.wire.take()).toString("latin1"));
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
  }
  // Processor time of this thread, which a busy machine does not lengthen.
  expect(longest).toBeLessThan(50);
  return { told: written.join(""), over: connection.wire.over, connection };
}

const running = [header(0), open, begin(), attach(0)];

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
      [header(3), frame(described(0x41, [amqp.symbol("X")]), { type: 1 })],
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
    ["a handle that is in use", "amqp:session:handle-in-use", [...running, attach(0, "other")]],
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
      [header(0), open, begin(), ...[0, 1, 2, 3].map((handle) => attach(handle, `l${handle}`))],
      {
        maxLinks: 2,
      },
    );

    expect(told.split("amqp:resource-limit-exceeded")).toHaveLength(3);
    expect(over).toBe(false);
  });

  it("is told what is spoken here when it speaks something else", async () => {
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

  it("disposes of a range of four billion deliveries in no time", async () => {
    const { over } = await after([...running, performative(0x15, true, uint(0), uint(0xffff_ffff), true)]);

    expect(over).toBe(false);
  });

  it.each<readonly [string, readonly Uint8Array[]]>([
    ["channels", [header(0), open, Buffer.concat(Array.from({ length: 1024 }, (_, channel) => begin(channel)))]],
    [
      "links",
      [
        header(0),
        open,
        ...Array.from({ length: 5 }, (_, channel) => {
          const links = Array.from({ length: 256 }, (_none, handle) => attach(handle, `l${handle}`, channel));
          return Buffer.concat([begin(channel), ...links]);
        }),
      ],
    ],
    ["flows", [...running, Buffer.concat(Array.from({ length: 5000 }, () => flow))]],
    ["empty frames", [...running, Buffer.concat(Array.from({ length: 8000 }, () => frame(Buffer.alloc(0))))]],
    [
      "pieces of a frame",
      [header(0), open, ...Array.from(Buffer.from([0, 0, 255, 255, 2]), (byte) => Buffer.of(byte))],
    ],
  ])("that floods with %s takes less than a megabyte", async (_what, bytes) => {
    const peers = 10;
    const kept: BrokerConnection[] = [];
    // What compilers keep is there from the first rounds on.
    for (let round = 0; round < 3; round++) await after(bytes);
    // What else goes on in the process can only add to what the peers take.
    const grown: number[] = [];
    for (let before = used(); grown.length < 3; before = used()) {
      for (let peer = 0; peer < peers; peer++) kept.push((await after(bytes)).connection);
      grown.push((used() - before) / peers);
    }

    expect(Math.min(...grown)).toBeLessThan(2 ** 20);
    expect(kept.filter(({ wire }) => wire.over)).toEqual([]);
  });

  it("that says nothing is given up after ten seconds, and one that stops talking after two minutes", () => {
    let now = 0;
    const closed: unknown[] = [];
    const connect = (): BrokerConnection =>
      new BrokerConnection({
        access: { anonymous: () => undefined, password: () => undefined, token: () => never() },
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
