import type { Message } from "../codec/message.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Answerable, ClientParts, RepliesPort } from "./client-parts.ts";
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
    const { replyTo, replyToSessionId, messageId, correlationId } = request;
    if (replyTo === undefined)
      throw new SobreError("InvalidOperation", "The message has no replyTo, so the reply cannot be addressed.");
    const sender = await this.#sender(resolveReplyTo(replyTo));
    const own = {
      correlationId: messageId ?? correlationId,
      ...(replyToSessionId !== undefined && { sessionId: replyToSessionId }),
    };
    await sender.sendMessages({ ...reply, ...own });
  }

  async close(): Promise<void> {
    const senders = [...this.#senders.values()];
    this.#senders.clear();
    await Promise.all(senders.map((sender) => sender.close()));
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
