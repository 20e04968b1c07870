import { assert, property, uuid } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import { tagOf, tokenOf } from "../../../src/wire/amqp/message/lock-tag.ts";
import { lockToken } from "../../../src/core/engine/index.ts";
import { receivedDelivery } from "../../../src/broker/azure/received-delivery.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";

const token = lockToken("00112233-4455-6677-8899-aabbccddeeff");
const body = { kind: "data", sections: [Uint8Array.of(1)] } as const;

describe("a message as a broker delivers it", () => {
  it("shows everything in header, annotations and dead-letter properties", () => {
    const bytes = writeMessage({
      header: { ttl: 60_000, deliveryCount: 2 },
      messageAnnotations: {
        "x-opt-custom": 5,
        "x-opt-sequence-number": 12n,
        "x-opt-enqueue-sequence-number": typed.ulong(11n),
        "x-opt-enqueued-time": new Date(1_000),
        "x-opt-locked-until": new Date(31_000),
        "x-opt-message-state": typed.int(1),
        "x-opt-deadletter-source": "orders",
        "x-opt-partition-key": typed.symbol("key"),
      },
      applicationProperties: { DeadLetterReason: "Unreadable", DeadLetterErrorDescription: "why" },
      body,
    });

    const { envelope, ...facts } = receivedDelivery(bytes, token);

    expect(facts).toEqual({
      lockToken: token,
      lockedUntilUtc: new Date(31_000),
      sequenceNumber: 12n,
      enqueuedSequenceNumber: 11n,
      enqueuedTimeUtc: new Date(1_000),
      expiresAtUtc: new Date(61_000),
      deliveryCount: 2,
      state: "deferred",
      deadLetterSource: "orders",
      deadLetterReason: "Unreadable",
      deadLetterErrorDescription: "why",
    });
    expect([envelope.brokerProperties, envelope.payload]).toEqual([
      { partitionKey: "key", timeToLive: 60_000 },
      parseMessage(bytes).payload(),
    ]);
  });

  it("has its defaults where the broker says nothing", () => {
    const { sequenceNumber, enqueuedSequenceNumber, enqueuedTimeUtc, ...others } = receivedDelivery(
      writeMessage({ body }),
      undefined,
    );

    expect([sequenceNumber, enqueuedSequenceNumber, enqueuedTimeUtc]).toEqual([0n, 0n, new Date(0)]);
    expect(others).toMatchObject({ lockToken: undefined, expiresAtUtc: undefined, deliveryCount: 0, state: "active" });
  });

  it("has the lock token of its delivery tag, in the byte order of a .NET Guid", () => {
    const tag = Buffer.from("33221100554477668899aabbccddeeff", "hex");

    expect(tokenOf(tag)).toBe(token);
    assert(
      property(uuid(), (text) => {
        expect(tokenOf(tagOf(lockToken(text)))).toBe(text);
      }),
    );
  });
});
