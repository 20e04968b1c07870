import type { Message } from "../../core/codec/message.ts";
import { isSobreError, SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import { boundHandler, checkHandler, type HandlerOrByType } from "./handlers-by-type.ts";
import type { MessageContext } from "./handling.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import { errorReporter } from "./process-error.ts";
import { checkOption, invalidOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type ProcessorOptions, startProcessor } from "./processor.ts";
import type { Processor } from "./processor-loops.ts";
import type { ReadMessage } from "./received-message.ts";

/** The answer to a request: a message, several messages as they become available, or none. */
export type Replying = Message | AsyncIterable<Message> | Iterable<Message> | undefined | void;

/** The handlers of a responder. */
export interface ResponderHandlers<Request> extends Pick<
  ProcessorHandlers<Request>,
  "processError" | "processUnreadable"
> {
  /**
   * Answers a request; with `messageTypes`, it may be an object with a function for each type, by its name. If it
   * rejects, the requester gets a fault, see {@link ResponderOptions.faultReplies}.
   */
  readonly processRequest: HandlerOrByType<Request, MessageContext, Replying | Promise<Replying>>;
}

/** Options of a responder: those of a processor, and whether failures are answered. */
export interface ResponderOptions<
  Types extends readonly MessageType[] = readonly MessageType[],
> extends ProcessorOptions<Types> {
  /**
   * Whether a request that failed is answered with a fault, so that the requester rejects with `RequestFailed` and the
   * code instead of waiting for its time-out. With `retries` that is when they are exhausted; without, at the first
   * failure, and the request is dead-lettered as `RequestFailed`. An unreadable or invalid request is answered, too.
   * Default: true.
   */
  readonly faultReplies?: boolean | undefined;
}

/**
 * Starts a responder: a processor that sends its handler's answers to the `replyTo` of the request, in the session that
 * the request names, with the request's message id as correlation id. Replies are sent before the request is completed.
 *
 * @throws SobreError `InvalidArgument` as `startProcessor` does.
 */
export function startResponder<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  handlers: ResponderHandlers<ReadMessage<Types>>,
  responderOptions: ResponderOptions<Types> = {},
): Processor {
  checkOption("options", responderOptions, is.object);
  const { faultReplies = true, ...options } = responderOptions;
  checkOption("faultReplies", faultReplies, is.flag);
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkHandler("processRequest", Reflect.get(handlers, "processRequest"), options.messageTypes);
  checkOption("processError", handlers.processError, is.aFunction);
  const processRequest = boundHandler<ReadMessage<Types>, MessageContext, Replying | Promise<Replying>>(
    handlers,
    handlers.processRequest,
  );
  const processMessage = async (request: ReadMessage<Types>, context: MessageContext): Promise<void> => {
    const answer = await processRequest(request, context);
    if (answer === undefined) return;
    for await (const reply of messagesOf(answer)) {
      // Spreading anything else would give a message without a body.
      if (!isMessage(reply)) throw wrongAnswer();
      await parts.replies.send(request, reply);
    }
  };
  const report = errorReporter(entityPath, (args) => handlers.processError(args), doNothing);
  const fault: ClientParts["fault"] = async (request, error) => {
    const { brokerProperties } = request;
    if (brokerProperties.replyTo === undefined) return false;
    try {
      await parts.replies.fail(brokerProperties, error);
      return true;
    } catch (cause) {
      // An address of nothing is the requester's fault, and was reported when the reply was due.
      if (!isSobreError(cause, "InvalidArgument")) await report("handler", cause, request);
      return false;
    }
  };
  const processUnreadable: ProcessorHandlers["processUnreadable"] =
    handlers.processUnreadable &&
    (async (message, context) => {
      await handlers.processUnreadable?.(message, context);
      if (faultReplies && !message.result.ok) await fault(message.envelope, message.result.error);
    });
  return startProcessor<Types>(
    entityPath,
    faultReplies ? { ...parts, fault } : parts,
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
    "processRequest must resolve to a message with a body, an iterable of messages, or undefined.",
  );
}

function isMany(answer: unknown): answer is Iterable<Message> | AsyncIterable<Message> {
  return typeof answer === "object" && answer !== null && (Symbol.iterator in answer || Symbol.asyncIterator in answer);
}

function isMessage(answer: unknown): answer is Message {
  return typeof answer === "object" && answer !== null && "body" in answer;
}

const doNothing = (): void => undefined;
