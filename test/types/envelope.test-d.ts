import { describe, expectTypeOf, it } from "vitest";
import {
  amend,
  type ApplicationPropertyValue,
  type BrokerProperties,
  type BrokerPropertiesInit,
  createEnvelope,
  type Envelope,
  type EnvelopeInit,
  type MessageId,
  readOnlyProperties,
} from "../../src/core/envelope/index.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import type { ErrorCode, ErrorTraits, SobreError } from "../../src/core/errors/index.ts";

const payload = new Uint8Array();

describe("broker properties", () => {
  it("have the types of @azure/service-bus, and more of them", () => {
    expectTypeOf<Required<BrokerProperties>>().toEqualTypeOf<{
      readonly contentType: string;
      readonly contentEncoding: string;
      readonly correlationId: MessageId;
      readonly messageId: MessageId;
      readonly partitionKey: string;
      readonly viaPartitionKey: string;
      readonly replyTo: string;
      readonly replyToSessionId: string;
      readonly scheduledEnqueueTimeUtc: Date;
      readonly sessionId: string;
      readonly subject: string;
      readonly timeToLive: number;
      readonly to: string;
    }>();
  });

  it("take undefined for leaving one out", () => {
    expectTypeOf<{ subject: string | undefined }>().toExtend<BrokerPropertiesInit>();
  });

  it("cannot be written where the broker writes them", () => {
    type Writable = {
      [K in (typeof readOnlyProperties)[number]]: { [P in K]: string } extends BrokerPropertiesInit ? K : never;
    };

    expectTypeOf<Writable[keyof Writable]>().toBeNever();
    expectTypeOf<(typeof readOnlyProperties)[number]>().toEqualTypeOf<
      | "deadLetterSource"
      | "deadLetterReason"
      | "deadLetterErrorDescription"
      | "deliveryCount"
      | "enqueuedSequenceNumber"
      | "enqueuedTimeUtc"
      | "expiresAtUtc"
      | "lockedUntilUtc"
      | "lockToken"
      | "sequenceNumber"
      | "state"
    >();
    // @ts-expect-error -- the broker counts deliveries
    createEnvelope({ payload, brokerProperties: { deliveryCount: 1 } });
    // @ts-expect-error -- the broker gives lock tokens
    amend(createEnvelope({ payload }), { brokerProperties: { lockToken: "t" } });
    // @ts-expect-error -- no broker property
    createEnvelope({ payload, brokerProperties: { label: "old name" } });
  });

  it("cannot be changed", () => {
    const envelope = createEnvelope({ payload });

    // @ts-expect-error -- immutable
    envelope.brokerProperties.subject = "x";
    // @ts-expect-error -- immutable
    envelope.applicationProperties["x"] = 1;
    // @ts-expect-error -- immutable
    envelope.payload = payload;
    expectTypeOf(envelope).toEqualTypeOf<Envelope>();
  });
});

describe("application properties", () => {
  it("are AMQP simple types", () => {
    expectTypeOf(typed.uuid("x")).toExtend<ApplicationPropertyValue>();
    expectTypeOf<readonly string[]>().not.toExtend<ApplicationPropertyValue>();
    expectTypeOf<{ a: 1 }>().not.toExtend<ApplicationPropertyValue>();
    // @ts-expect-error -- lists belong into the payload
    createEnvelope({ payload, applicationProperties: { list: [1] } });
  });

  it("may be undefined for leaving one out", () => {
    expectTypeOf<{ x: undefined }>().toExtend<NonNullable<EnvelopeInit["applicationProperties"]>>();
  });
});

describe("errors", () => {
  it("have codes of the closed list", () => {
    expectTypeOf<SobreError["code"]>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<"NoSuchCode">().not.toExtend<ErrorCode>();
    expectTypeOf<ErrorTraits["retryable"]>().toBeBoolean();
  });
});
