import { describe, expect, it } from "vitest";
import type { ServedConnection } from "../../src/serve/server/amqp/served-connection.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../src/core/values/typed.ts";
import {
  after,
  attach,
  type AttachInit,
  begin,
  described,
  frame,
  header,
  open,
  used,
} from "../serve/server/amqp/hostile-peer.support.ts";

const uint = typed.uint;
const engine = memoryEngine({ queues: { q: {}, s: { requiresSession: true } } });
const filter = new AmqpMap([[typed.symbol("com.microsoft:session-filter"), null]]);
const properties = new AmqpMap(Array.from({ length: 50 }, (_, index) => [`p${index}`, "v".repeat(1000)]));
const long = "x".repeat(50_000);

const flow = (channel = 0): Buffer =>
  frame(described(0x13, [uint(0), uint(10), uint(0), uint(10), uint(0), uint(0), uint(10), null, null, true]), {
    channel,
  });
const channels = (frames: (channel: number) => readonly Buffer[]): readonly Buffer[] => [
  header(0),
  open,
  ...Array.from({ length: 1024 }, (_, channel) => Buffer.concat([begin(channel), ...frames(channel)])),
];
const linkOnEach = (options: (channel: number) => AttachInit): readonly Buffer[] =>
  channels((channel) => [attach(0, { channel, ...options(channel) })]);
const running = [header(0), open, begin(), attach(0)];

describe("a hostile peer that floods", () => {
  it.each<readonly [string, readonly Uint8Array[]]>([
    ["channels", channels(() => [])],
    ["links that send", linkOnEach(() => ({}))],
    ["links that receive", channels((channel) => [attach(0, { channel, isReceiver: true })])],
    ["links that wait for messages", channels((channel) => [attach(0, { channel, isReceiver: true }), flow(channel)])],
    ["links that wait for sessions", linkOnEach(() => ({ isReceiver: true, address: "s", filter }))],
    ["links to requests", linkOnEach(() => ({ address: "q/$management" }))],
    ["links to requests of entities that are not there", linkOnEach((n) => ({ address: `${n}/$management` }))],
    ["links to what is not there", linkOnEach((n) => ({ address: `no ${n}` }))],
    ["long names", linkOnEach((n) => ({ name: `${n}${long}` }))],
    ["long addresses", linkOnEach((n) => ({ address: `${n}${long}` }))],
    ["long addresses of requests", linkOnEach((n) => ({ address: `${n}${long}/$management` }))],
    ["long properties", linkOnEach((n) => ({ address: `no ${n}`, properties }))],
    [
      "handles",
      channels((channel) =>
        channel > 40 ? [] : Array.from({ length: 256 }, (_, handle) => attach(handle, { name: `${handle}`, channel })),
      ),
    ],
    ["flows", [...running, Buffer.concat(Array.from({ length: 5000 }, () => flow()))]],
    ["empty frames", [...running, Buffer.concat(Array.from({ length: 8000 }, () => frame(Buffer.alloc(0))))]],
    [
      "pieces of a frame",
      [header(0), open, ...Array.from(Buffer.from([0, 0, 255, 255, 2]), (byte) => Buffer.of(byte))],
    ],
    ["frames of a message that have nothing in them", [...running, ...pieces(4000, 0)]],
    ["frames of a message that have one byte each", [...running, ...pieces(4000, 1)]],
  ])("with %s makes a connection hold less than a megabyte", async (_what, bytes) => {
    const peers = 3;
    const kept: ServedConnection[] = [];
    // Compilers keep their share from the first rounds on.
    for (let round = 0; round < 1; round++) (await after(bytes, {}, engine)).connection.wire.disconnected();
    // Other work in the process can only add to what the peers take, so one turn that shows it is enough.
    let least = Infinity;
    for (let turn = 0; turn < 3 && least >= 2 ** 20; turn++) {
      const before = used();
      for (let peer = 0; peer < peers; peer++) kept.push((await after(bytes, {}, engine)).connection);
      least = Math.min(least, (used() - before) / peers);
    }
    for (const { wire } of kept) wire.disconnected();

    expect(least).toBeLessThan(2 ** 20);
  });

  it("with too many refused links is closed in the end, with the reason", async () => {
    const { told, over } = await after(
      channels((channel) =>
        Array.from({ length: 10 }, (_, handle) => attach(handle, { channel, isReceiver: true, address: "s", filter })),
      ),
      {},
      engine,
    );

    expect(over).toBe(true);
    expect(told).toContain("amqp:resource-limit-exceeded");
    expect(told).toContain("\u0000\u0053\u0018");
  });
});

/** Frames of one message that goes on and on. */
function pieces(count: number, size: number): readonly Buffer[] {
  const first = frame(
    Buffer.concat([described(0x14, [uint(0), uint(0), Buffer.of(1), uint(0), false, true]), Buffer.alloc(size)]),
  );
  const other = frame(Buffer.concat([described(0x14, [uint(0), null, null, null, null, true]), Buffer.alloc(size, 1)]));
  return [first, Buffer.concat(Array.from({ length: count }, () => other))];
}
