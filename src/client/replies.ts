import type { Message } from "../codec/message.ts";
import type { BrokerPropertiesInit } from "../envelope/broker-properties.ts";
import { amend } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Answerable, ClientParts, RepliesPort } from "./client-parts.ts";
import { faultOf } from "./faults.ts";
import { resolveReplyTo } from "./reply-address.ts";
import { createSender, type Sender } from "./sender.ts";

/** The maximum number of reply addresses for which a sender is kept. */
const maxSenders = 100;

/** Sends replies through one sender per address; the least recently used is closed to make room. */
export class Replies implements RepliesPort {
  readonly #parts: Omit<ClientParts, "replies">;
  readonly #senders = new Map<string, Sender>();

  constructor(parts: Omit<ClientParts, "replies">) {
    this.#parts = parts;
  }

  /**
   * Sends a reply to the `replyTo` of the request, in the session that it names, with its message id as correlation id.
   *
   * @throws SobreError `InvalidOperation` for a request without `replyTo`, and what sending throws.
   */
  async send(request: Answerable, reply: Message): Promise<void> {
    const sender = await this.#senderFor(request);
    await sender.sendMessages({ ...reply, ...addressOf(request) });
  }

  /** Sends a fault as {@link send} sends a reply, without serializer and stages: it has no body. */
  async fail(request: Answerable, error: unknown): Promise<void> {
    const sender = await this.#senderFor(request);
    await sender.sendEnvelopes(amend(faultOf(error), { brokerProperties: addressOf(request) }));
  }

  async close(): Promise<void> {
    const senders = [...this.#senders.values()];
    this.#senders.clear();
    await Promise.all(senders.map((sender) => sender.close()));
  }

  async #senderFor({ replyTo }: Answerable): Promise<Sender> {
    if (replyTo === undefined)
      throw new SobreError("InvalidOperation", "The message has no replyTo, so the reply cannot be addressed.");
    return this.#sender(resolveReplyTo(replyTo));
  }

  async #sender(entityPath: string): Promise<Sender> {
    const known = this.#senders.get(entityPath);
    const sender = known ?? createSender(entityPath, { ...this.#parts, replies: this, closed: () => undefined });
    this.#senders.delete(entityPath);
    this.#senders.set(entityPath, sender);
    const [oldest] = this.#senders;
    if (oldest !== undefined && this.#senders.size > maxSenders) {
      this.#senders.delete(oldest[0]);
      await oldest[1].close();
    }
    return sender;
  }
}

/** The properties that make a message the reply to a request. */
function addressOf({ replyToSessionId, messageId, correlationId }: Answerable): BrokerPropertiesInit {
  return {
    correlationId: messageId ?? correlationId,
    ...(replyToSessionId !== undefined && { sessionId: replyToSessionId }),
  };
}
