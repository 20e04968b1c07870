import type { ApplicationPropertyValue } from "../../src/core/envelope/index.ts";
import type { MessageProperties } from "../../src/wire/amqp/message/message-properties.ts";

/** Content that every contender can hold, in the words of no one of them. */
export interface SampleMessage {
  readonly header: { readonly durable: boolean; readonly priority: number; readonly ttl: number };
  readonly properties: MessageProperties;
  readonly applicationProperties: Readonly<Record<string, ApplicationPropertyValue>>;
  readonly data: Buffer;
}

/** The same numbers in every run (a linear congruential generator). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const subjects = ["OrderPlaced", "OrderPaid", "InvoiceSent", "StockMoved", "CustomerMerged", "PaymentRefused"];
const names = [
  "tenant",
  "region",
  "attempt",
  "traceparent",
  "amount",
  "retry",
  "source",
  "schema-version",
  "shard",
  "kind",
];

/** 512 small messages of ordinary use: ids, labels and bodies differ in content and length, and not all have all properties. */
export function variedMessages(count = 512): readonly SampleMessage[] {
  const random = generator(7);
  return Array.from({ length: count }, () => message(random));
}

function message(random: (below: number) => number): SampleMessage {
  const often = <T>(item: T): T | undefined => (random(4) > 0 ? item : undefined);
  const text = (least: number, more: number): string =>
    Array.from({ length: least + random(more) }, () => (random(36) + 0).toString(36)).join("");
  const sessionId = often(`session-${random(1000)}`);
  return {
    header: { durable: random(2) === 0, priority: random(10), ttl: 1000 * (1 + random(86_400)) },
    properties: {
      messageId: `${text(8, 1)}-${text(4, 1)}-${text(4, 1)}-${text(12, 1)}`,
      userId: often(Buffer.from(text(4, 12))),
      to: often(`queue-${random(50)}`),
      subject: subjects[random(subjects.length)],
      replyTo: often(`replies/${text(3, 9)}`),
      correlationId: often(text(12, 24)),
      contentType: "application/json",
      contentEncoding: random(8) === 0 ? "gzip" : undefined,
      absoluteExpiryTime: often(new Date(1_800_000_000_000 + random(1e9))),
      creationTime: often(new Date(1_790_000_000_000 + random(1e9))),
      groupId: sessionId,
      groupSequence: sessionId === undefined ? undefined : random(10_000),
      replyToGroupId: often(`client-${random(300)}`),
    },
    applicationProperties: Object.fromEntries(
      Array.from({ length: 3 + random(5) }, (_, index) => [
        names[(index + random(2)) % names.length],
        value(random, text),
      ]),
    ),
    data: Buffer.from(JSON.stringify({ id: text(6, 8), quantity: random(100), note: text(10, 80) })),
  };
}

function value(
  random: (below: number) => number,
  text: (least: number, more: number) => string,
): ApplicationPropertyValue {
  switch (random(6)) {
    case 0:
    case 1:
      return text(3, 30);
    case 2:
      return random(100);
    case 3:
      return random(1_000_000);
    case 4:
      return random(2) === 0;
    default:
      return random(100_000) / 8 + 0.125;
  }
}

/** A nested map of 50 entries of mixed types. */
export function nestedMap(): Record<string, unknown> {
  const random = generator(11);
  const leaf = (index: number): unknown =>
    [`text number ${index}`, random(1000), random(2) === 0, random(1e6) / 7, null, index * 1e5][index % 6];
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, outer) => [
      `section${outer}`,
      Object.fromEntries(Array.from({ length: 4 }, (_unused, inner) => [`field${inner}`, leaf(outer * 4 + inner)])),
    ]),
  );
}
