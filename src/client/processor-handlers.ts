import type { ReceiveMode } from "../engine/delivery.ts";
import { parseAddress } from "../engine/address.ts";
import { aFunction, checkOption, checkOptional, invalidOption } from "../options/option-checks.ts";
import { needsUnreadableHandler } from "./dead-lettering.ts";
import type { MessageContext } from "./handling.ts";
import type { ProcessErrorArgs } from "./process-error.ts";
import type { ReadMessage, UnreadableMessage } from "./received-message.ts";

/** The callbacks of a processor. */
export interface ProcessorHandlers<Message = ReadMessage<readonly []>, Context = MessageContext> {
  /**
   * Called with every message that was read. When it resolves, the message is completed; when it rejects, the message
   * is abandoned with the cause in the application property `sobre-failure`. The resolved value is ignored.
   */
  processMessage(message: Message, context: Context): Promise<void> | void;
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
): void {
  if (typeof handlers !== "object" || handlers === null) throw invalidOption("handlers", "must be an object");
  checkOption("processMessage", handlers.processMessage, aFunction);
  checkOption("processError", handlers.processError, aFunction);
  checkOptional("processUnreadable", handlers.processUnreadable, aFunction);
  if (handlers.processUnreadable !== undefined) return;
  if (receiveMode === "receiveAndDelete") throw needsUnreadableHandler("in receiveAndDelete");
  if (parseAddress(entityPath).subQueue !== undefined) throw needsUnreadableHandler("on a sub-queue");
}
