import type { Message } from "../../core/codec/message.ts";
import type { BrokerPropertiesInit } from "../../core/envelope/broker-properties.ts";
import { amend } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isRetryable } from "./attempts.ts";
import type { Answerable, ClientParts, RepliesPort } from "./client-parts.ts";
import { faultOf } from "./faults.ts";
import { resolveReplyTo } from "./reply-address.ts";
import { createSender, type Sender } from "./sender.ts";

/** The maximum number of reply addresses for which a sender is kept. */
const maxSenders = 100;

/** Sends replies through one sender per address; the least recently used is closed to make room. */
export class ReplySenders implements RepliesPort {
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
    await this.#through(request, (sender) => sender.sendMessages({ ...reply, ...addressOf(request) }));
  }

  /** Sends a fault as {@link send} sends a reply, without serializer and stages: it has no body. */
  async fail(request: Answerable, error: unknown): Promise<void> {
    const fault = amend(faultOf(error), { brokerProperties: addressOf(request) });
    await this.#through(request, (sender) => sender.sendEnvelopes(fault));
  }

  async close(): Promise<void> {
    const senders = [...this.#senders.values()];
    this.#senders.clear();
    await Promise.all(senders.map((sender) => sender.close()));
  }

  async #through({ replyTo }: Answerable, send: (sender: Sender) => Promise<void>): Promise<void> {
    if (replyTo === undefined)
      throw new SobreError("InvalidOperation", "The message has no replyTo, so the reply cannot be addressed.");
    const entityPath = resolveReplyTo(replyTo);
    const sender = this.#sender(entityPath);
    try {
      await send(sender);
    } catch (error) {
      // A reply queue that is gone must not leave the client with a lost link.
      if (!isRetryable(error) && this.#senders.get(entityPath) === sender) {
        this.#senders.delete(entityPath);
        // Closing waits for other replies to this address.
        void sender.close();
      }
      throw error;
    }
  }

  #sender(entityPath: string): Sender {
    const sender = this.#senders.get(entityPath) ?? this.#open(entityPath);
    this.#senders.delete(entityPath);
    this.#senders.set(entityPath, sender);
    const [oldest] = this.#senders;
    if (oldest !== undefined && this.#senders.size > maxSenders) {
      this.#senders.delete(oldest[0]);
      void oldest[1].close();
    }
    return sender;
  }

  #open(entityPath: string): Sender {
    const signals = this.#parts.signals.atReplyTo(entityPath);
    return createSender(entityPath, { ...this.#parts, signals, replies: this, closed: () => undefined });
  }
}

/** The properties that make a message the reply to a request. */
function addressOf({ replyToSessionId, messageId, correlationId }: Answerable): BrokerPropertiesInit {
  return {
    correlationId: messageId ?? correlationId,
    ...(replyToSessionId !== undefined && { sessionId: replyToSessionId }),
  };
}
