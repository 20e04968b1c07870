import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { readOne } from "../../../../src/serve/server/amqp/sent-message.ts";

const whole = writeMessage({
  header: { durable: true },
  deliveryAnnotations: { "x-a": 1 },
  messageAnnotations: { "x-b": 2 },
  properties: { messageId: "1" },
  body: { kind: "data", sections: [Uint8Array.of(1), Uint8Array.of(2)] },
  footer: { f: true },
});
const pieces = parseMessage(whole)
  .borders()
  .map(({ start, end }) => whole.subarray(start, end));
const [header, deliveryAnnotations, messageAnnotations, properties, first, second, footer] = pieces;
const joined = (...parts: readonly (Uint8Array | undefined)[]): Buffer =>
  Buffer.concat(parts.filter((part) => part !== undefined));

describe("the sections of a sent message", () => {
  it.each([
    [
      "delivery annotations behind properties",
      [header, messageAnnotations, properties, deliveryAnnotations, first, second, footer],
    ],
    [
      "the footer in front of the body",
      [header, deliveryAnnotations, messageAnnotations, properties, footer, first, second],
    ],
    ["the header last", [deliveryAnnotations, messageAnnotations, properties, first, second, footer, header]],
  ])("are read with %s, and kept in the right order", (_what, parts) => {
    expect(Buffer.from(encodeMessage(readOne(joined(...parts)))).equals(whole)).toBe(true);
  });

  it.each([
    ["one of them twice", [header, header, properties, first]],
    ["a body in two places", [first, properties, second]],
  ])("are refused with %s", (_what, parts) => {
    expect(() => readOne(joined(...parts))).toThrow(expect.objectContaining({ code: "DecodeFailed" }));
  });
});
