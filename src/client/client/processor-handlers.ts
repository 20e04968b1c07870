import type { ReceiveMode } from "../../core/engine/delivery.ts";
import { parseAddress } from "../../core/engine/address.ts";
import { checkOption, checkOptional, invalidOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { needsUnreadableHandler } from "./dead-lettering.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { checkHandler, type HandlerOrByType } from "./handlers-by-type.ts";
import type { MessageContext } from "./handling.ts";
import type { ProcessErrorArgs } from "./process-error.ts";
import type { ReadMessage, UnreadableMessage } from "./received-message.ts";

/** The callbacks of a processor. */
export interface ProcessorHandlers<Message = ReadMessage<readonly []>, Context = MessageContext> {
  /**
   * Called with every message that was read; with `messageTypes`, it may be an object with a function for each type, by
   * its name. When it resolves, the message is completed; when it rejects, the message is abandoned with the cause in
   * the application property `sobre-failure`. The resolved value is ignored.
   *
   * @example
   * ```ts
   * const Placed = defineMessage("shop.placed", { 1: z.object({ id: z.number() }) });
   * const Cancelled = defineMessage("shop.cancelled", { 1: z.object({ why: z.string() }) });
   * const processor = client.startProcessor(
   *   "orders",
   *   {
   *     processMessage: {
   *       "shop.placed": ({ body }) => console.log(body.id),
   *       "shop.cancelled": ({ body }) => console.log(body.why), // without it, this does not compile
   *     },
   *     processError: ({ error }) => console.error(error),
   *   },
   *   { messageTypes: [Placed, Cancelled] },
   * );
   * await processor.close();
   * ```
   */
  readonly processMessage: HandlerOrByType<Message, Context, Promise<void> | void>;
  /** Called with every error; errors that it throws are ignored. */
  processError(args: ProcessErrorArgs): Promise<void> | void;
  /** Called with unreadable messages that cannot be dead-lettered; required in `receiveAndDelete` and on sub-queues. */
  processUnreadable?(message: UnreadableMessage, context: Context): Promise<void> | void;
}

/** @throws SobreError `InvalidArgument` naming the handler that is missing. */
export function checkHandlers(
  entityPath: string,
  receiveMode: ReceiveMode,
  handlers: { readonly [K in "processMessage" | "processError" | "processUnreadable"]?: unknown },
  messageTypes?: readonly MessageType[],
): void {
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkHandler("processMessage", handlers.processMessage, messageTypes);
  checkOption("processError", handlers.processError, is.aFunction);
  checkOptional("processUnreadable", handlers.processUnreadable, is.aFunction);
  if (handlers.processUnreadable !== undefined) return;
  if (receiveMode === "receiveAndDelete") throw needsUnreadableHandler("in receiveAndDelete");
  if (parseAddress(entityPath).subQueue !== undefined) throw needsUnreadableHandler("on a sub-queue");
}
