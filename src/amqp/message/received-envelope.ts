import type { ApplicationProperties } from "../../envelope/application-properties.ts";
import type { BodyKind, Envelope } from "../../envelope/envelope.ts";
import type { BrokerProperties } from "../../envelope/broker-properties.ts";
import type { MessageOrigin } from "./message-origin.ts";

/** An envelope whose parts are read when they are first asked for; the getters are the class's, since own ones cost more than the message. */
export class ReceivedEnvelope implements Envelope {
  readonly #origin: MessageOrigin;

  constructor(origin: MessageOrigin) {
    this.#origin = origin;
  }

  get payload(): Uint8Array {
    return this.#origin.payload;
  }

  get bodyKind(): BodyKind {
    return this.#origin.bodyKind;
  }

  get brokerProperties(): BrokerProperties {
    return this.#origin.brokerProperties;
  }

  get applicationProperties(): ApplicationProperties {
    return this.#origin.applicationProperties;
  }

  get origin(): MessageOrigin {
    return this.#origin;
  }
}
