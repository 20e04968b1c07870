import type { BrokerPropertiesInit } from "../envelope/broker-properties.ts";
import type { BodyKind, EnvelopeInit } from "../envelope/envelope.ts";

/** A message to send: the body, a value of any type, and the broker properties, as in `@azure/service-bus`. */
export type Message<Body = unknown> = BrokerPropertiesInit & {
  readonly body: Body;
  readonly applicationProperties?: EnvelopeInit["applicationProperties"];
  /**
   * `value` or `sequence` sends the body as an AMQP value or list, encoded by the first codec that writes that kind,
   * whatever the content type. Default: the kind that the content type's codec writes, usually `data`.
   */
  readonly bodyKind?: BodyKind | undefined;
};
