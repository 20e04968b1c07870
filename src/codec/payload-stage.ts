import type { Envelope } from "../envelope/envelope.ts";

/**
 * An asynchronous step between serializer and engine: compression, encryption, claim check.
 *
 * Stages run in their order when sending and in the reverse order when receiving.
 */
export interface PayloadStage {
  /** Short name in lower case, e.g. `compression`. */
  readonly name: string;
  /** The envelope to send in place of this one; the same object to leave it alone. */
  beforeSend?(envelope: Envelope): Envelope | Promise<Envelope>;
  /**
   * The envelope to deserialize in place of this one; the same object to leave it alone.
   *
   * @throws SobreError whose code becomes that of the unreadable message.
   */
  afterReceive?(envelope: Envelope): Envelope | Promise<Envelope>;
}
