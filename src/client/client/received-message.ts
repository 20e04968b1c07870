import type { RepliesPort } from "./client-parts.ts";
import type { Message } from "../../core/codec/message.ts";
import type { UnreadableResult } from "../../core/codec/result.ts";
import { type Delivery, effectiveTimeToLive, type LockToken, type MessageState } from "../../core/engine/delivery.ts";
import type { ApplicationProperties } from "../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { TypedReadResult } from "../../core/message/type-reader.ts";
import type { Hold } from "./hold.ts";
import type { MessageResult } from "./message-reader.ts";
import { isTypedMessage } from "./message-writer.ts";

/** A received message: its broker properties, named as in `@azure/service-bus`, its body, and how that was read. */
export interface ReceivedMessage<
  Body = unknown,
  Result extends MessageResult = MessageResult,
  Name extends string | undefined = string | undefined,
>
  extends BrokerProperties, Delivery {
  /** Whether the message was read; `if (message.ok)` narrows `body`, `messageType` and `result`. */
  readonly ok: Result["ok"];
  /** The decoded payload; `undefined` when {@link ReceivedMessage.result} says that it could not be read. */
  readonly body: Body;
  readonly applicationProperties: ApplicationProperties;
  /** The message as received, its payload untouched. */
  readonly envelope: Envelope;
  /** The name of the message type; `undefined` unless `messageTypes` are given. */
  readonly messageType: Name;
  /** The version that the message was sent in; the body is in the latest. */
  readonly messageVersion: number | undefined;
  /** Which codec read the body, with every attempt, or why none could. */
  readonly result: Result;
  /**
   * Sends a reply to the address in `replyTo`, in the session `replyToSessionId`, with the message id as correlation
   * id.
   *
   * @param body The body, or a message of a message type.
   * @throws SobreError `InvalidOperation` for a message without `replyTo`, and what sending throws.
   */
  reply(body: unknown, properties?: Omit<Message, "body">): Promise<void>;
}

/** A message that no codec could read, or that is not valid. */
export type UnreadableMessage = ReceivedMessage<undefined, UnreadableResult, undefined>;

/** Messages of the given types, discriminated by `messageType`; without types, any message that was read. */
export type ReadMessage<Types extends readonly MessageType[]> = Types extends readonly []
  ? ReceivedMessage<unknown, TypedReadResult>
  : MessageOf<Types[number]>;

/** A received message of a message type. */
export type MessageOf<Type extends MessageType> =
  Type extends MessageType<infer Name, infer _Input, infer Output>
    ? ReceivedMessage<Output, TypedReadResult, Name>
    : never;

type Properties<Result extends MessageResult> = Omit<ReceivedMessage<unknown, Result>, keyof BrokerProperties>;

/** Broker properties and read result of a message, copied member by member, since this runs for every message. */
class HandedMessage<Result extends MessageResult> implements Delivery, Properties<Result> {
  readonly ok: Result["ok"];
  readonly body: unknown;
  readonly applicationProperties: ApplicationProperties;
  readonly envelope: Envelope;
  readonly messageType: string | undefined;
  readonly messageVersion: number | undefined;
  readonly result: Result;
  readonly lockToken: LockToken | undefined;
  readonly lockedUntilUtc: Date | undefined;
  readonly sequenceNumber: bigint;
  readonly enqueuedSequenceNumber: bigint;
  readonly enqueuedTimeUtc: Date;
  readonly expiresAtUtc: Date | undefined;
  readonly deliveryCount: number;
  readonly state: MessageState;
  readonly deadLetterSource: string | undefined;
  readonly deadLetterReason: string | undefined;
  readonly deadLetterErrorDescription: string | undefined;
  readonly reply: ReceivedMessage["reply"];
  declare timeToLive?: number;
  #hold: Hold | undefined;

  constructor(delivery: Delivery, result: Result, replies: RepliesPort) {
    const { envelope } = delivery;
    this.ok = result.ok;
    this.body = result.ok ? result.body : undefined;
    this.applicationProperties = envelope.applicationProperties;
    this.envelope = envelope;
    this.messageType = result.ok ? result.messageType : undefined;
    this.messageVersion = result.ok ? result.messageVersion : undefined;
    this.result = result;
    this.lockToken = delivery.lockToken;
    this.lockedUntilUtc = delivery.lockedUntilUtc;
    this.sequenceNumber = delivery.sequenceNumber;
    this.enqueuedSequenceNumber = delivery.enqueuedSequenceNumber;
    this.enqueuedTimeUtc = delivery.enqueuedTimeUtc;
    this.expiresAtUtc = delivery.expiresAtUtc;
    this.deliveryCount = delivery.deliveryCount;
    this.state = delivery.state;
    this.deadLetterSource = delivery.deadLetterSource;
    this.deadLetterReason = delivery.deadLetterReason;
    this.deadLetterErrorDescription = delivery.deadLetterErrorDescription;
    // An own property, so that destructuring and spreading the message keep it.
    this.reply = async (body, properties = {}) =>
      replies.send(
        envelope.brokerProperties,
        isTypedMessage(body) ? { ...properties, ...body } : { ...properties, body },
      );
  }

  static take(message: object, hold: Hold): void {
    if (#hold in message) message.#hold = hold;
  }

  static holdOf(message: object): Hold | undefined {
    return #hold in message ? message.#hold : undefined;
  }
}

/** Registers the hold on a message that is handed over. */
export const take = (message: object, hold: Hold): void => HandedMessage.take(message, hold);

/** The hold on a message that was handed over; `undefined` for anything else. */
export const holdOf = (message: object): Hold | undefined => HandedMessage.holdOf(message);

/** Adds the properties that the sender set. */
function receivedMessage<Result extends MessageResult>(
  delivery: Delivery,
  result: Result,
  replies: RepliesPort,
): ReceivedMessage<unknown, Result> {
  const message = Object.assign(new HandedMessage(delivery, result, replies), delivery.envelope.brokerProperties);
  const timeToLive = effectiveTimeToLive(delivery);
  if (timeToLive !== undefined) message.timeToLive = timeToLive;
  return message;
}

/** The messages that a receiver of these types hands over, including unreadable ones in `hand-over` mode. */
export type Received<
  Types extends readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter",
> = OnUnreadable extends "dead-letter" ? ReadMessage<Types> : ReadMessage<Types> | UnreadableMessage;

/** The message as one of the requested types; the reader has validated it. */
export function readMessage<Types extends readonly MessageType[]>(
  delivery: Delivery,
  result: TypedReadResult,
  replies: RepliesPort,
): ReadMessage<Types> {
  return asRead(receivedMessage(delivery, result, replies));
}

/** A message that no codec could read. */
export function unreadableMessage(
  delivery: Delivery,
  result: UnreadableResult,
  replies: RepliesPort,
): UnreadableMessage {
  return asRead(receivedMessage(delivery, result, replies));
}

/**
 * The message, read or not, in the form that a receiver hands over; in `dead-letter` mode unreadable ones never get
 * here.
 */
export function handedOver<Types extends readonly MessageType[], OnUnreadable extends "hand-over" | "dead-letter">(
  delivery: Delivery,
  result: MessageResult,
  replies: RepliesPort,
): Received<Types, OnUnreadable> {
  return asRead(result.ok ? receivedMessage(delivery, result, replies) : unreadableMessage(delivery, result, replies));
}

/** Gives a message the type that its reader has validated. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- the type reader has validated the body against the type it names
const asRead = <Read>(message: ReceivedMessage): Read => message as Read;
