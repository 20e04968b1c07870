import type { DeserializeResult } from "../codec/index.ts";
import type { Delivery } from "../engine/index.ts";
import type { ApplicationProperties, BrokerProperties, Envelope } from "../envelope/index.ts";

/** A received message: the broker properties as in `@azure/service-bus`, the body, and how it was read. */
export interface ReceivedMessage<Result extends DeserializeResult = DeserializeResult>
  extends BrokerProperties, Delivery {
  /** The value the payload holds; `undefined` when {@link ReceivedMessage.result} says that it could not be read. */
  readonly body: unknown;
  readonly applicationProperties: ApplicationProperties;
  /** The message as it travelled, its payload untouched. */
  readonly envelope: Envelope;
  /** Which codec read the body, with every attempt, or why none could. */
  readonly result: Result;
}

/** Joins what the broker, the sender and the serializer say about a message. */
export function receivedMessage<Result extends DeserializeResult>(
  delivery: Delivery,
  result: Result,
): ReceivedMessage<Result> {
  const { envelope } = delivery;
  return {
    ...envelope.brokerProperties,
    ...delivery,
    applicationProperties: envelope.applicationProperties,
    body: result.ok ? result.body : undefined,
    result,
  };
}
