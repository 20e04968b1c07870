import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { MessageKeep } from "../../../../src/broker/memory/bytes/message-keep.ts";
import type { KeptBytes } from "../../../../src/core/engine/stored-origin.ts";
import { MessageOrigin } from "../../../../src/wire/amqp/message/message-origin.ts";
import { lockToken, type Settlement } from "../../../../src/core/engine/delivery.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { amend, createEnvelope, type Envelope } from "../../../../src/core/envelope/index.ts";

/** A message of a kilobyte in a buffer of four. */
class Message implements KeptBytes {
  place = -1;
  slab: object | undefined = undefined;
  bytes: Uint8Array;

  constructor(value: number) {
    this.bytes = new Uint8Array(4096).subarray(7, 1031).fill(value & 0xff);
  }

  moved(bytes: Uint8Array, start: number, length: number): void {
    this.bytes = bytes.subarray(start, start + length);
  }
}

const add = (keep: MessageKeep, message: Message): void => keep.add(message, 1024, message.bytes);

const buffersOf = (messages: readonly Message[]): number => new Set(messages.map(({ bytes }) => bytes.buffer)).size;

describe("the keep of stored messages", () => {
  it("leaves a message that is delivered soon where it came", () => {
    const keep = new MessageKeep();
    const message = new Message(1);
    const { bytes } = message;
    add(keep, message);
    keep.remove(message, 1024);

    for (let other = 0; other < 1000; other++) add(keep, new Message(other));

    expect(message.bytes).toBe(bytes);
  });

  it("leaves messages where they came that share their buffers, up to as many bytes as the buffers have", () => {
    const keep = new MessageKeep();
    const messages = Array.from({ length: 4096 }, (_, value) => new Message(value));
    for (const [index, message] of messages.entries()) {
      const { buffer } = messages[index - (index % 4)]?.bytes ?? message.bytes;
      message.bytes = new Uint8Array(buffer, (index % 4) * 1024, 1024);
    }
    const came = messages.map(({ bytes }) => bytes);

    for (const message of messages) add(keep, message);
    const stay = messages.filter(({ bytes }, index) => bytes === came[index]).length;
    add(keep, new Message(0));

    expect(stay).toBe(4096);
    expect(messages.filter(({ bytes }, index) => bytes === came[index])).toHaveLength(4092);
  });

  it("moves what stays out of the buffers that it came in, byte for byte", () => {
    const keep = new MessageKeep();
    const left: Message[] = [];
    for (let value = 0; value < 6400; value++) {
      const message = new Message(value);
      add(keep, message);
      if (value % 64 === 0) left.push(message);
      else keep.remove(message, 1024);
    }

    expect(buffersOf(left)).toBeLessThanOrEqual(1 + (4 * 2 ** 20) / 4096 / 64);
    for (const [index, { bytes }] of left.entries())
      expect(Buffer.alloc(1024, (index * 64) & 0xff).equals(bytes)).toBe(true);
    expect(keep.bytes).toBe(100 * 1024);
  });

  it("empties slabs that are mostly dead", () => {
    const keep = new MessageKeep(64 * 1024);
    const messages = Array.from({ length: 6400 }, (_, value) => new Message(value));
    for (const message of messages) add(keep, message);
    const before = buffersOf(messages.slice(0, 64 * 80));

    const left = messages.filter((_, index) => index % 32 === 0);
    for (const [index, message] of messages.entries()) if (index % 32 !== 0) keep.remove(message, 1024);

    expect(before).toBe(80);
    expect(buffersOf(left.slice(0, 160))).toBeLessThanOrEqual(8);
    for (const [index, { bytes }] of left.entries()) expect(bytes[1000]).toBe((index * 32) & 0xff);
  });

  it("copies a message of this process once, however long it stays, while they leave in their order", () => {
    const keep = new MessageKeep();
    const waiting: { readonly message: Message; readonly copied: Uint8Array }[] = [];
    let moved = 0;

    for (let value = 0; value < 5000; value++) {
      const message = new Message(value);
      keep.copy(message, message.bytes);
      add(keep, message);
      waiting.push({ message, copied: message.bytes });
      if (waiting.length <= 1000) continue;
      const first = waiting.shift();
      if (first === undefined) break;
      if (first.message.bytes !== first.copied) moved++;
      keep.remove(first.message, 1024);
    }

    expect(moved).toBe(0);
    expect(buffersOf(waiting.map(({ message }) => message))).toBeLessThanOrEqual(17);
    for (const [index, { message }] of waiting.entries()) expect(message.bytes[1000]).toBe((4000 + index) & 0xff);
    expect(keep.bytes).toBe(1000 * 1024);
  });

  it("takes back a message that was stored before, where its bytes are", () => {
    const keep = new MessageKeep();
    const message = new Message(1);
    keep.copy(message, message.bytes);
    const { bytes } = message;
    add(keep, message);
    keep.remove(message, 1024);

    add(keep, message);

    expect([message.bytes === bytes, keep.bytes]).toEqual([true, 1024]);
    keep.remove(message, 1024);
    expect(keep.bytes).toBe(0);
  });

  it("gives a large message a buffer of its own", () => {
    const keep = new MessageKeep();
    const large: KeptBytes = {
      place: -1,
      slab: undefined,
      bytes: new Uint8Array(10 ** 6).subarray(0, 200_000),
      moved: () => undefined,
    };
    const moved: number[] = [];
    keep.add({ ...large, moved: (bytes) => void moved.push(bytes.buffer.byteLength) }, 200_000, large.bytes);

    for (let other = 0; other < 1000; other++) add(keep, new Message(other));

    expect(moved).toEqual([200_000]);
  });
});

const none = lockToken("");

function received(index: number): Envelope {
  const envelope = createEnvelope({
    payload: Buffer.from(`body ${index}`),
    brokerProperties: index % 3 === 0 ? {} : { messageId: `m${index}`, contentType: "text/plain" },
    applicationProperties: { index },
  });
  return decodeMessage(encodeMessage(envelope), { check: true });
}

describe("a message that a queue stores for long", () => {
  it("is what it was, in all of its parts", async () => {
    const engine = await memoryEngine({ queues: ["q"] }).connect({ sharesBytes: true });
    const sender = await engine.openSender("q");
    for (let index = 0; index < 600; index++) await sender.send([received(index)]);

    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const deliveries = await receiver.receive({ maxMessages: 600, maxWaitTimeInMs: 0 });

    expect(deliveries).toHaveLength(600);
    for (const [index, { envelope }] of deliveries.entries()) {
      const expected = received(index);
      const { messageId } = envelope.brokerProperties;
      expect(Buffer.from(envelope.payload).toString()).toBe(`body ${index}`);
      expect(envelope.applicationProperties).toEqual(expected.applicationProperties);
      expect(envelope.brokerProperties).toEqual({ ...expected.brokerProperties, messageId });
      expect(messageId).toMatch(index % 3 === 0 ? /^[0-9a-f]{32}$/ : `m${index}`);
    }
  });

  it("leaves nothing behind when its properties are amended", async () => {
    const engine = await memoryEngine({ queues: ["q"] }).connect({ sharesBytes: true });
    const sender = await engine.openSender("q");
    const binaryId = encodeMessage(amend(received(1), { brokerProperties: { messageId: Uint8Array.of(1, 2) } }));
    await sender.send([decodeMessage(binaryId), received(2), received(3)]);
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const held = await receiver.receive({ maxMessages: 3, maxWaitTimeInMs: 0 });
    const ends: readonly Settlement[] = [
      { kind: "deadLetter", deadLetterReason: "wrong" },
      { kind: "abandon", propertiesToModify: { again: true } },
      { kind: "defer", propertiesToModify: { later: true } },
    ];

    for (const [index, end] of ends.entries()) await engine.settle("q", held[index]?.lockToken ?? none, end);
    for (let index = 0; index < 600; index++) await sender.send([received(index)]);

    const dead = await engine.peek("q/$deadletterqueue", { maxMessages: 1 });
    const [abandoned, deferred] = await engine.peek("q", { maxMessages: 2 });
    const kept = [...dead, abandoned, deferred].map((delivery) => delivery?.envelope);
    expect(kept).toMatchObject([
      { applicationProperties: { index: 1, DeadLetterReason: "wrong" } },
      { applicationProperties: { index: 2, again: true } },
      { applicationProperties: { index: 3, later: true } },
    ]);
    expect(dead[0]?.envelope.brokerProperties.messageId).toMatchObject({ buffer: { byteLength: 2 } });
    for (const [index, envelope] of kept.entries()) {
      expect(Buffer.from(envelope?.payload ?? []).toString()).toBe(`body ${index + 1}`);
      expect(envelope?.origin).toBeInstanceOf(MessageOrigin);
      if (envelope?.origin instanceof MessageOrigin)
        expect(envelope.payload.buffer === envelope.origin.bytes.buffer).toBe(true);
    }
  });
});
