import * as fc from "fast-check";
import { encodeValue } from "../../../../src/core/amqp-values/encode-value.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type Typed } from "../../../../src/core/values/typed.ts";
import type { EnvelopeInit } from "../../../../src/core/envelope/index.ts";
import { SobreError } from "../../../../src/core/errors/index.ts";
import { names, simple } from "../../../core/envelope/arbitraries.support.ts";

const words = fc.string({ unit: "grapheme", maxLength: 20 });
const ascii = fc.string({ maxLength: 300 });
const ids = fc.oneof(words, fc.nat(), fc.uint8Array({ maxLength: 20 }), fc.uuid().map(typed.uuid));
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((payload) => ({ bodyKind: "data" as const, payload })),
  fc.oneof(simple, compound()).map((value) => ({
    bodyKind: "value" as const,
    payload: attempt(() => encodeValue(value)) ?? Uint8Array.of(0x40),
  })),
  fc.array(fc.array(fc.integer(), { maxLength: 300 }), { maxLength: 3 }).map((lists) => ({
    bodyKind: "sequence" as const,
    payload: new Uint8Array(Buffer.concat(lists.map((list) => encodeValue(list)))),
  })),
);

/** Envelopes that AMQP can hold, nearly all of them. */
export const writable: fc.Arbitrary<EnvelopeInit> = fc
  .record({
    body: bodies,
    brokerProperties: fc.record(
      {
        contentType: ascii,
        contentEncoding: ascii,
        correlationId: ids,
        messageId: ids,
        viaPartitionKey: words,
        partitionKey: words,
        replyTo: words,
        replyToSessionId: words,
        scheduledEnqueueTimeUtc: fc.date({ noInvalidDate: true }),
        subject: words,
        timeToLive: fc.oneof(fc.integer({ min: 1 }), fc.constantFrom(2 ** 32 - 1, 2 ** 40, Infinity)),
        to: words,
      },
      { requiredKeys: [] },
    ),
    applicationProperties: fc.dictionary(names, simple, { maxKeys: 5 }),
  })
  .map(({ body, brokerProperties, applicationProperties }) => ({
    bodyKind: body.bodyKind,
    payload: body.payload,
    brokerProperties,
    applicationProperties,
  }));

/** Described values that hold lists, maps and arrays. */
function compound(): fc.Arbitrary<Typed> {
  const text = fc.string({ unit: "grapheme", maxLength: 120 });
  const array = fc.oneof(
    fc.array(text).map((values) => typed.array("string", values)),
    fc.array(fc.integer()).map((values) => typed.array("int", values)),
    fc.array(fc.uint8Array({ maxLength: 300 })).map((values) => typed.array("binary", values)),
    fc.array(fc.array(simple, { maxLength: 3 })).map((values) => typed.array("list", values)),
    fc.array(fc.array(fc.boolean())).map((values) =>
      typed.array(
        "array",
        values.map((flags) => typed.array("boolean", flags)),
      ),
    ),
    fc.array(text).map((values) =>
      typed.array(
        "map",
        values.map((key) => new AmqpMap([[key, null]])),
      ),
    ),
  );
  const content = fc.oneof(
    array,
    fc.array(simple),
    fc.dictionary(text, simple).map((entries) => new AmqpMap(Object.entries(entries))),
  );
  return content.map((value) => typed.described(typed.symbol("acme:x"), value));
}

/** `undefined` for what AMQP cannot hold, as lone surrogates and content types that are not ASCII. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}
