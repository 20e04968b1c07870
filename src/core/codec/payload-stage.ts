import type { Envelope } from "../envelope/envelope.ts";

/**
 * An asynchronous step between serializer and engine: compression, encryption, claim check.
 *
 * Stages run in order when sending and in reverse order when receiving.
 */
export interface PayloadStage {
  /** A short name in lower case, e.g. `compression`. */
  readonly name: string;
  /** Returns the envelope to send; the given one if nothing changes. */
  beforeSend?(envelope: Envelope): Envelope | Promise<Envelope>;
  /**
   * Returns the envelope to deserialize; the given one if nothing changes.
   *
   * @throws SobreError whose code becomes that of the unreadable message.
   */
  afterReceive?(envelope: Envelope): Envelope | Promise<Envelope>;
}
