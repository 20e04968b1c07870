import type { RepliesPort } from "./client-parts.ts";
import type { Message } from "../codec/serializer.ts";
import type { UnreadableResult } from "../codec/result.ts";
import { type Delivery, effectiveTimeToLive } from "../engine/delivery.ts";
import type { ApplicationProperties } from "../envelope/application-properties.ts";
import type { BrokerProperties } from "../envelope/broker-properties.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { MessageType } from "../message/message-type.ts";
import type { TypedReadResult } from "../message/type-reader.ts";
import type { MessageResult } from "./message-reader.ts";
import { isTypedMessage } from "./message-writer.ts";

/** A received message: the broker properties as in `@azure/service-bus`, the body, and how it was read. */
export interface ReceivedMessage<
  Body = unknown,
  Result extends MessageResult = MessageResult,
  Name extends string | undefined = string | undefined,
>
  extends BrokerProperties, Delivery {
  /** Whether the message was read; `if (message.ok)` narrows `body`, `messageType` and `result`. */
  readonly ok: Result["ok"];
  /** The value the payload holds; `undefined` when {@link ReceivedMessage.result} says that it could not be read. */
  readonly body: Body;
  readonly applicationProperties: ApplicationProperties;
  /** The message as it travelled, its payload untouched. */
  readonly envelope: Envelope;
  /** Name of the message type, where types are read. */
  readonly messageType: Name;
  /** The version the message travelled in; the body is in the latest. */
  readonly messageVersion: number | undefined;
  /** Which codec read the body, with every attempt, or why none could. */
  readonly result: Result;
  /**
   * Sends a reply: to the address in `replyTo`, in the session of `replyToSessionId`, with the message id as correlation id.
   *
   * @param body The body, or a message of a message type.
   * @throws SobreError `InvalidOperation` for a message without `replyTo`, and what sending throws.
   */
  reply(body: unknown, properties?: Omit<Message, "body">): Promise<void>;
}

/** A message that nothing could read, or that is not valid. */
export type UnreadableMessage = ReceivedMessage<undefined, UnreadableResult, undefined>;

/** The messages of the given types, told apart by `messageType`; without types, any message that was read. */
export type ReadMessage<Types extends readonly MessageType[]> = Types extends readonly []
  ? ReceivedMessage<unknown, TypedReadResult>
  : MessageOf<Types[number]>;

/** A received message of a message type. */
export type MessageOf<Type extends MessageType> =
  Type extends MessageType<infer Name, infer _Input, infer Output>
    ? ReceivedMessage<Output, TypedReadResult, Name>
    : never;

/** Joins what the broker, the sender and the serializer say about a message; one by one, since every message passes here. */
function receivedMessage<Result extends MessageResult>(
  delivery: Delivery,
  result: Result,
  replies: RepliesPort,
): ReceivedMessage<unknown, Result> {
  const { envelope } = delivery;
  const message = {
    ok: result.ok,
    body: result.ok ? result.body : undefined,
    applicationProperties: envelope.applicationProperties,
    envelope,
    messageType: result.ok ? result.messageType : undefined,
    messageVersion: result.ok ? result.messageVersion : undefined,
    result,
    lockToken: delivery.lockToken,
    lockedUntilUtc: delivery.lockedUntilUtc,
    sequenceNumber: delivery.sequenceNumber,
    enqueuedSequenceNumber: delivery.enqueuedSequenceNumber,
    enqueuedTimeUtc: delivery.enqueuedTimeUtc,
    expiresAtUtc: delivery.expiresAtUtc,
    deliveryCount: delivery.deliveryCount,
    state: delivery.state,
    deadLetterSource: delivery.deadLetterSource,
    deadLetterReason: delivery.deadLetterReason,
    deadLetterErrorDescription: delivery.deadLetterErrorDescription,
    reply: async (body: unknown, properties: Omit<Message, "body"> = {}): Promise<void> =>
      replies.send(
        envelope.brokerProperties,
        isTypedMessage(body) ? { ...properties, ...body } : { ...properties, body },
      ),
  } satisfies Delivery & Omit<ReceivedMessage<unknown, Result>, keyof BrokerProperties>;
  const timeToLive = effectiveTimeToLive(delivery);
  return Object.assign(message, envelope.brokerProperties, timeToLive === undefined ? undefined : { timeToLive });
}

/** The messages delivered to handlers of these types, possibly with unreadable ones. */
export type Received<
  Types extends readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter",
> = OnUnreadable extends "dead-letter" ? ReadMessage<Types> : ReadMessage<Types> | UnreadableMessage;

/** The message as the types that were asked for; the reader has made it so. */
export function readMessage<Types extends readonly MessageType[]>(
  delivery: Delivery,
  result: TypedReadResult,
  replies: RepliesPort,
): ReadMessage<Types> {
  return asRead(receivedMessage(delivery, result, replies));
}

/** The message that nothing could read. */
export function unreadableMessage(
  delivery: Delivery,
  result: UnreadableResult,
  replies: RepliesPort,
): UnreadableMessage {
  return { ...receivedMessage(delivery, result, replies), body: undefined, messageType: undefined };
}

/** The message, read or not, as what a receiver hands over; one that dead-letters has left the unreadable ones out. */
export function handedOver<Types extends readonly MessageType[], OnUnreadable extends "hand-over" | "dead-letter">(
  delivery: Delivery,
  result: MessageResult,
  replies: RepliesPort,
): Received<Types, OnUnreadable> {
  return asRead(result.ok ? receivedMessage(delivery, result, replies) : unreadableMessage(delivery, result, replies));
}

/** Gives a message the type that its reader has proven. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- the type reader has validated the body against the type it names
const asRead = <Read>(message: ReceivedMessage): Read => message as Read;
