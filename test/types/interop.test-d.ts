import { describe, expectTypeOf, it } from "vitest";
import type {
  AmqplibMessage,
  AmqplibMessageLike,
  ServiceBusMessageFields,
  ServiceBusMessageLike,
} from "../../src/client/interop/index.ts";

/** `ServiceBusMessage` of `@azure/service-bus` 7.9, as its declarations have it. */
interface OfficialMessage {
  body: unknown;
  messageId?: string | number | Buffer;
  contentType?: string;
  correlationId?: string | number | Buffer;
  partitionKey?: string;
  sessionId?: string;
  replyToSessionId?: string;
  timeToLive?: number;
  subject?: string;
  to?: string;
  replyTo?: string;
  scheduledEnqueueTimeUtc?: Date;
  applicationProperties?: { [key: string]: number | boolean | string | Date | null };
}

/** Its additions on receiving, of which the raw message is read. */
interface OfficialReceivedMessage extends OfficialMessage {
  readonly _rawAmqpMessage: {
    bodyType?: "data" | "sequence" | "value";
    properties?: { contentEncoding?: string; groupSequence?: number };
    messageAnnotations?: { [key: string]: unknown };
  };
  readonly deliveryCount?: number;
}

/** The options to publish with, of `@types/amqplib`. */
interface OfficialPublish {
  expiration?: string | number | undefined;
  userId?: string | undefined;
  deliveryMode?: boolean | number | undefined;
  contentType?: string | undefined;
  contentEncoding?: string | undefined;
  headers?: unknown;
  priority?: number | undefined;
  correlationId?: string | undefined;
  replyTo?: string | undefined;
  messageId?: string | undefined;
  timestamp?: number | undefined;
  type?: string | undefined;
  appId?: string | undefined;
}

describe("messages of other clients", () => {
  it("of the official client need no cast in either direction", () => {
    expectTypeOf<OfficialMessage>().toExtend<ServiceBusMessageLike>();
    expectTypeOf<OfficialReceivedMessage>().toExtend<ServiceBusMessageLike>();
    expectTypeOf<ServiceBusMessageFields>().toExtend<OfficialMessage>();
  });

  it("of amqplib need no cast in either direction", () => {
    expectTypeOf<{
      content: Buffer;
      fields: { deliveryTag: number };
      properties: OfficialPublish & { headers: Record<string, unknown> | undefined; clusterId: unknown };
    }>().toExtend<AmqplibMessageLike>();
    expectTypeOf<AmqplibMessage["content"]>().toExtend<Buffer>();
    expectTypeOf<AmqplibMessage["properties"]>().toExtend<OfficialPublish>();
  });
});
