import type { Delivery, EngineReceiver, LockToken, ReceiveMode, Settlement } from "../engine/index.ts";
import { SobreError } from "../errors/index.ts";
import { createMessageReader } from "./message-reader.ts";
import { type ReceivedMessage, receivedMessage } from "./received-message.ts";
import type { ClientParts } from "./sender.ts";
import { unreadableSettlement } from "./unreadable.ts";

/** Options of a receiver. */
export interface ReceiverOptions {
  /** Default: `peekLock`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /**
   * What happens to messages that nothing can read: handed over with their result (`hand-over`, the default), or
   * dead-lettered and left out (`dead-letter`, in `peekLock` only).
   */
  readonly onUnreadable?: "hand-over" | "dead-letter" | undefined;
}

/** Options of {@link Receiver.receiveMessages}. */
export interface ReceiveMessagesOptions {
  /** Milliseconds to wait for the first message. Default: 60,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Ends the wait; nothing that was received is lost. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of {@link Receiver.deadLetterMessage}. */
export interface DeadLetterOptions {
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
  readonly propertiesToModify?: PropertiesToModify;
}

/** Application properties to change while settling; `undefined` removes one. */
export type PropertiesToModify = Extract<Settlement, { readonly kind: "abandon" }>["propertiesToModify"];

/** Receives messages from one entity, with the verbs of `@azure/service-bus`. */
export interface Receiver {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Resolves to at most `maxMessageCount` messages, or to none when the wait is over. */
  receiveMessages(maxMessageCount: number, options?: ReceiveMessagesOptions): Promise<readonly ReceivedMessage[]>;
  /** Reads messages without locking them, from `fromSequenceNumber` or the oldest. */
  peekMessages(
    maxMessageCount: number,
    options?: { readonly fromSequenceNumber?: bigint },
  ): Promise<readonly ReceivedMessage[]>;
  /** The settling verbs throw SobreError `MessageLockLost` when the lock is gone; nothing is changed then. */
  completeMessage(message: Delivery): Promise<void>;
  abandonMessage(message: Delivery, propertiesToModify?: PropertiesToModify): Promise<void>;
  deferMessage(message: Delivery, propertiesToModify?: PropertiesToModify): Promise<void>;
  deadLetterMessage(message: Delivery, options?: DeadLetterOptions): Promise<void>;
  /** Resolves to the new end of the lock. */
  renewMessageLock(message: Delivery): Promise<Date>;
  close(): Promise<void>;
}

/**
 * Makes a receiver; the link is opened by the first receive.
 *
 * @throws SobreError `InvalidArgument` for `onUnreadable: "dead-letter"` in `receiveAndDelete`.
 */
export function createReceiver(entityPath: string, parts: ClientParts, options: ReceiverOptions = {}): Receiver {
  const { receiveMode = "peekLock", onUnreadable = "hand-over" } = options;
  if (onUnreadable === "dead-letter" && receiveMode === "receiveAndDelete") {
    throw new SobreError("InvalidArgument", 'onUnreadable: "dead-letter" needs receiveMode: "peekLock".');
  }
  const { engine } = parts;
  const read = createMessageReader(parts.serializer, parts.stages);
  let link: Promise<EngineReceiver> | undefined;
  const open = (): Promise<EngineReceiver> => {
    link ??= engine.openReceiver(entityPath, { receiveMode });
    // A failed opening is not kept, so that the next receive tries again.
    link.catch(() => (link = undefined));
    return link;
  };
  const settle = (message: Delivery, settlement: Settlement): Promise<void> =>
    engine.settle(entityPath, lockTokenOf(message), settlement);
  const unwrap = async (delivery: Delivery): Promise<ReceivedMessage | undefined> => {
    const result = await read(delivery.envelope);
    if (result.ok || onUnreadable === "hand-over") return receivedMessage(delivery, result);
    await settle(delivery, unreadableSettlement(delivery.envelope, result));
    return undefined;
  };
  return {
    entityPath,
    receiveMode,
    async receiveMessages(maxMessageCount, { maxWaitTimeInMs = 60_000, abortSignal } = {}) {
      const receiver = await open();
      const deliveries = await receiver.receive({
        maxMessages: maxMessageCount,
        maxWaitTime: maxWaitTimeInMs,
        signal: abortSignal,
      });
      const messages = await Promise.all(deliveries.map(unwrap));
      return messages.filter((message) => message !== undefined);
    },
    async peekMessages(maxMessageCount, { fromSequenceNumber } = {}) {
      const deliveries = await engine.peek(entityPath, { maxMessages: maxMessageCount, fromSequenceNumber });
      return Promise.all(deliveries.map(async (delivery) => receivedMessage(delivery, await read(delivery.envelope))));
    },
    completeMessage: (message) => settle(message, { kind: "complete" }),
    abandonMessage: (message, propertiesToModify) => settle(message, { kind: "abandon", propertiesToModify }),
    deferMessage: (message, propertiesToModify) => settle(message, { kind: "defer", propertiesToModify }),
    deadLetterMessage: (message, deadLetter = {}) => settle(message, { kind: "deadLetter", ...deadLetter }),
    renewMessageLock: async (message) => engine.renew(entityPath, lockTokenOf(message)),
    async close() {
      await (await link)?.close();
    },
  };
}

function lockTokenOf({ lockToken }: Delivery): LockToken {
  if (lockToken !== undefined) return lockToken;
  throw new SobreError(
    "InvalidOperation",
    "This message is not locked: it was peeked, or received with receiveAndDelete.",
  );
}
