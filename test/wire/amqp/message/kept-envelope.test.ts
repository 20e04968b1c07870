import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../../../src/wire/amqp/message/encode-message.ts";
import { checkProperties } from "../../../../src/wire/amqp/message/kept-envelope.ts";
import { createEnvelope } from "../../../../src/core/envelope/envelope.ts";
import { attempt } from "./arbitraries.support.ts";

/** Of any characters, among them halves of pairs, which UTF-8 has no form for. */
const text = fc.oneof(
  { weight: 8, arbitrary: fc.string() },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme" }) },
  fc.constant("\ud800"),
);
const properties = fc.record(
  { messageId: fc.oneof(text, fc.nat()), subject: text, contentType: text, timeToLive: fc.integer({ min: 1 }) },
  { requiredKeys: [] },
);

describe("the check of an envelope that is to be kept", () => {
  it("passes the properties that can be written, and no others", () => {
    const seen = { written: 0, refused: 0 };
    fc.assert(
      fc.property(
        properties,
        fc.dictionary(text, fc.oneof(text, fc.double()), { maxKeys: 2 }),
        (broker, application) => {
          const init = { payload: new Uint8Array(), brokerProperties: broker, applicationProperties: application };
          const envelope = attempt(() => createEnvelope(init));
          if (envelope === undefined) return;

          const bytes = attempt(() => encodeMessage(envelope));
          const passes = attempt(() => checkProperties(envelope) ?? true) === true;

          seen[passes ? "written" : "refused"]++;
          expect(passes).toBe(bytes !== undefined);
        },
      ),
    );
    expect(Math.min(seen.written, seen.refused)).toBeGreaterThan(0);
  });
});
