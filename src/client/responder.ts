import type { Message } from "../codec/serializer.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { MessageType } from "../message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import type { MessageContext, ProcessorHandlers } from "./message-work.ts";
import { aFunction, checkOption, invalidOption } from "../options/option-checks.ts";
import { type ProcessorOptions, startProcessor } from "./processor.ts";
import type { Processor } from "./processor-loops.ts";
import type { ReadMessage } from "./received-message.ts";
import { resolveReplyTo } from "./reply-address.ts";
import { createSender, type Sender } from "./sender.ts";

/** What a request is answered with: a message, several as they become ready, or nothing. */
export type Replying = Message | AsyncIterable<Message> | Iterable<Message> | undefined | void;

/** What a responder calls. */
export interface ResponderHandlers<Request> extends Pick<
  ProcessorHandlers<Request>,
  "processError" | "processUnreadable"
> {
  /** Answers a request. When it rejects, the request is abandoned, as in a processor. */
  processRequest(message: Request, context: MessageContext): Replying | Promise<Replying>;
}

/** How many addresses of replies a responder keeps a sender for. */
const maxSenders = 100;

/**
 * Starts a responder: a processor that sends what its handler answers to the `replyTo` of the request, in the session that
 * the request names, with the request's message id as correlation id. Replies are sent before the request is completed.
 *
 * @throws SobreError `InvalidArgument` as `startProcessor` does.
 */
export function startResponder<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  handlers: ResponderHandlers<ReadMessage<Types>>,
  options: ProcessorOptions<Types> = {},
): Processor {
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkOption("processRequest", Reflect.get(handlers, "processRequest"), aFunction);
  checkOption("processError", handlers.processError, aFunction);
  const senders = new Senders(parts);
  const processMessage = async (request: ReadMessage<Types>, context: MessageContext): Promise<void> => {
    const answer = await handlers.processRequest(request, context);
    if (answer === undefined) return;
    const { replyTo, replyToSessionId, messageId, correlationId } = request;
    if (replyTo === undefined) {
      throw new SobreError("InvalidOperation", "The request has no replyTo, so that its reply has nowhere to go.");
    }
    const sender = await senders.get(resolveReplyTo(replyTo));
    const own = {
      correlationId: messageId ?? correlationId,
      ...(replyToSessionId !== undefined && { sessionId: replyToSessionId }),
    };
    for await (const reply of messagesOf(answer)) {
      // A spread of anything else would be a message without a body.
      if (!isMessage(reply)) throw wrongAnswer();
      await sender.sendMessages({ ...reply, ...own });
    }
  };
  const processUnreadable: ProcessorHandlers["processUnreadable"] =
    handlers.processUnreadable && ((message, context) => handlers.processUnreadable?.(message, context));
  // A handler that closes the responder still sends its reply.
  const closed = async (): Promise<void> => {
    await senders.close();
    await parts.closed();
  };
  return startProcessor<Types>(
    entityPath,
    { ...parts, closed },
    {
      processMessage,
      processError: (args) => handlers.processError(args),
      ...(processUnreadable && { processUnreadable }),
    },
    options,
  );
}

function messagesOf(answer: unknown): Iterable<Message> | AsyncIterable<Message> {
  if (isMany(answer)) return answer;
  if (isMessage(answer)) return [answer];
  throw wrongAnswer();
}

function wrongAnswer(): SobreError {
  return new SobreError(
    "InvalidArgument",
    "processRequest must resolve to a message with a body, to an iterable of messages, or to undefined.",
  );
}

function isMany(answer: unknown): answer is Iterable<Message> | AsyncIterable<Message> {
  return typeof answer === "object" && answer !== null && (Symbol.iterator in answer || Symbol.asyncIterator in answer);
}

function isMessage(answer: unknown): answer is Message {
  return typeof answer === "object" && answer !== null && "body" in answer;
}

/** Senders by address; the one that was not used for longest makes room. */
class Senders {
  readonly #parts: ClientParts;
  readonly #senders = new Map<string, Sender>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async get(entityPath: string): Promise<Sender> {
    const known = this.#senders.get(entityPath);
    const sender = known ?? createSender(entityPath, { ...this.#parts, closed: () => undefined });
    this.#senders.delete(entityPath);
    this.#senders.set(entityPath, sender);
    const [oldest] = this.#senders;
    if (oldest !== undefined && this.#senders.size > maxSenders) {
      this.#senders.delete(oldest[0]);
      await oldest[1].close();
    }
    return sender;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#senders.values()].map((sender) => sender.close()));
  }
}
