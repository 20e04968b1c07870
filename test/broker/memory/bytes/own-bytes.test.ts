import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import type { Engine } from "../../../../src/core/engine/engine.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { memoryEngineWithin } from "../../../../src/broker/memory/memory-engine.ts";
import { Memory } from "../../../../src/broker/memory/meter.ts";
import { amend, createEnvelope, type Envelope } from "../../../../src/core/envelope/index.ts";
import { messageKeep } from "../../../../src/broker/memory/bytes/message-keep.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";

const payload = (): Uint8Array => Uint8Array.of(1, 2, 3);

async function send(engine: Engine, ...envelopes: readonly Envelope[]): Promise<void> {
  await (await engine.openSender("q")).send(envelopes);
}

async function peek(engine: Engine): Promise<Envelope> {
  const [delivery] = await engine.peek("q", { maxMessages: 1 });
  if (delivery === undefined) throw new Error("Nothing is there.");
  return delivery.envelope;
}

/** An AMQP message with a footer, which only its origin holds. */
const written = (): Uint8Array =>
  Buffer.concat([
    encodeMessage(
      createEnvelope({
        payload: payload(),
        brokerProperties: { messageId: "m" },
        applicationProperties: { digest: Uint8Array.of(4) },
      }),
    ),
    Uint8Array.of(0x00, 0x53, 0x78, 0xc1, 0x05, 0x02, 0xa3, 0x01, 0x66, 0x41),
  ]);

describe("the bytes of a stored message", () => {
  it("are the sender's at the time of the send, also of a message that was decoded", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const bytes = written();
    await send(engine, decodeMessage(bytes));

    bytes.fill(255);

    const served = await engine.connect({ sharesBytes: true });
    expect(encodeMessage(await peek(served))).toEqual(new Uint8Array(written()));
  });

  it("are the sender's, too, where a decoded message was amended, with the sections that stay", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const bytes = written();
    await send(engine, amend(decodeMessage(bytes), { brokerProperties: { subject: "order" } }));

    bytes.fill(255);

    const message = parseMessage(encodeMessage(await peek(await engine.connect({ sharesBytes: true }))));
    expect(message.payload()).toEqual(payload());
    expect(message.properties).toMatchObject({ messageId: "m", subject: "order" });
    expect(message.applicationProperties?.get("digest")).toEqual(Uint8Array.of(4));
    expect(message.footer?.size).toBe(1);
  });

  it("are nobody else's within decimals and described values", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const [decimal, inner] = [new Uint8Array(4).fill(1), Uint8Array.of(2)];
    const values = { price: typed.decimal32(decimal), seal: typed.described("seal", inner) };
    await send(engine, createEnvelope({ payload: payload(), applicationProperties: values }));

    decimal.fill(255);
    inner.fill(255);

    const { applicationProperties } = await peek(engine);
    expect(applicationProperties["price"]).toEqual(typed.decimal32(new Uint8Array(4).fill(1)));
    expect(applicationProperties["seal"]).toEqual(typed.described("seal", Uint8Array.of(2)));
  });

  it("are handed over in a buffer of their own", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    await send(engine, createEnvelope({ payload: payload() }), createEnvelope({ payload: payload() }));

    const { buffer } = (await peek(engine)).payload;

    expect(buffer.byteLength).toBe(3);
  });

  it("stay what they were while those that came with them leave", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const holder = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const deleter = await engine.openReceiver("q", { receiveMode: "receiveAndDelete" });

    for (let sent = 0; sent < 1000; sent++) {
      await send(engine, createEnvelope({ payload: new Uint8Array(1024).fill(sent) }));
      await (sent % 100 === 0 ? holder : deleter).receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    }

    const held = await (await engine.connect({ sharesBytes: true })).peek("q", { maxMessages: 10 });
    expect(held.map(({ envelope }) => envelope.payload)).toEqual(
      Array.from({ length: 10 }, (_, index) => new Uint8Array(1024).fill(index * 100)),
    );
  });

  it("count no more when their engine ends, however it does", async () => {
    for (const end of ["close", "abort"] as const) {
      const memory = new Memory();
      const before = messageKeep.bytes;
      const engine = memoryEngineWithin(memory, { queues: ["q"], topics: { t: { subscriptions: ["s"] } } });
      const empty = memory.used;
      await send(engine, createEnvelope({ payload: new Uint8Array(5000) }), createEnvelope({ payload: payload() }));
      expect(messageKeep.bytes - before).toBe(5003);

      await engine[end]();

      expect([messageKeep.bytes - before, memory.used]).toEqual([0, empty]);
    }
  });

  it("are those of a large payload as well", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const large = new Uint8Array(200_000).fill(7);
    await send(engine, createEnvelope({ payload: large }));

    large.fill(255);

    expect((await peek(engine)).payload).toEqual(new Uint8Array(200_000).fill(7));
  });
});
