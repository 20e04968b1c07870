import * as fc from "fast-check";
import { typed } from "../../../src/core/values/typed-makers.ts";
import {
  type ApplicationPropertyValue,
  createEnvelope,
  type Envelope,
  type EnvelopeInit,
  type MessageId,
} from "../../../src/core/envelope/index.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import { anyText } from "../../unicode.support.ts";

const least = -(2n ** 63n);
const longest = 2n ** 63n - 1n;

/** Any text, emoji and lone surrogates included. */
const text: fc.Arbitrary<string> = anyText({ maxLength: 20 });

export const bytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 20 });
const dates: fc.Arbitrary<Date> = fc.date({ noInvalidDate: true });
const ulong = fc.bigInt(0n, 2n ** 64n - 1n);
const sized = (size: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: size, maxLength: size });

/** Values that come back from JSON as they are. */
export const plainSimple: fc.Arbitrary<ApplicationPropertyValue> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, Number.NaN, Infinity, -Infinity, 2 ** 53, 2 ** 31, -(2 ** 31), 5e-324),
  text,
  fc.double(),
  fc.integer(),
  fc.bigInt(least, 2n ** 64n - 1n),
  dates,
  bytes,
);

/** Typed values that a plain one would not name. */
export const typedSimple: fc.Arbitrary<Typed> = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map(typed.ubyte),
  fc.integer({ min: 0, max: 65_535 }).map(typed.ushort),
  fc.integer({ min: 0, max: 0xffff_ffff }).map(typed.uint),
  ulong.map(typed.ulong),
  fc.integer({ min: -128, max: 127 }).map(typed.byte),
  fc.integer({ min: -32_768, max: 32_767 }).map(typed.short),
  fc.integer().map(typed.int),
  fc.float().map(typed.float),
  fc.integer().map(typed.double),
  sized(4).map(typed.decimal32),
  sized(8).map(typed.decimal64),
  sized(16).map(typed.decimal128),
  fc
    .string({ unit: "grapheme-composite", minLength: 1, maxLength: 1 })
    .map((value) => typed.char(String.fromCodePoint(value.codePointAt(0) ?? 0))),
  fc.bigInt(least, longest).map(typed.timestamp),
  fc.uuid().map(typed.uuid),
  fc.string({ unit: "grapheme-ascii" }).map(typed.symbol),
  fc
    .tuple(fc.bigInt(least, longest), fc.string())
    .map(([code, value]) => typed.described(typed.ulong(BigInt.asUintN(64, code)), value)),
);

export const simple: fc.Arbitrary<ApplicationPropertyValue> = fc.oneof(plainSimple, typedSimple);

export const names: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("constructor", "__proto__", "toString", "$int64", "$object", "", "a.b", "Content-Type"),
  text,
);

const ids: fc.Arbitrary<MessageId> = fc.oneof(text, fc.nat(), ulong, bytes, fc.uuid().map(typed.uuid));

/** Envelopes with any of the broker properties and any application properties. */
export const envelopes: fc.Arbitrary<Envelope> = fc
  .record<EnvelopeInit>({
    payload: bytes,
    bodyKind: fc.constantFrom("data", "value", "sequence"),
    brokerProperties: fc.record(
      {
        contentType: text,
        contentEncoding: text,
        correlationId: ids,
        messageId: ids,
        viaPartitionKey: text,
        replyTo: text,
        replyToSessionId: text,
        scheduledEnqueueTimeUtc: dates,
        sessionId: text,
        subject: text,
        timeToLive: fc.oneof(fc.integer({ min: 1 }), fc.constant(Infinity)),
        to: text,
      },
      { requiredKeys: [] },
    ),
    applicationProperties: fc.dictionary(names, simple, { maxKeys: 5 }),
  })
  .map(createEnvelope);
