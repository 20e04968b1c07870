import { parseAddress, type SubQueue, subQueueSuffix } from "../../core/engine/address.ts";
import type { ReceiveMode } from "../../core/engine/delivery.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { AbortOption } from "./attempts.ts";
import type { ClientParts } from "./client-parts.ts";
import { type ProcessorOptions, subscribeChecks } from "./processor.ts";

/** Options of a receiver. */
export interface ReceiverOptions<
  Types extends readonly MessageType[] = readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter" = "hand-over" | "dead-letter",
> {
  /** Default: `peekLock`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /** Receive from this sub-queue, e.g. the dead-letter queue, instead of the entity. */
  readonly subQueueType?: SubQueue | undefined;
  /**
   * The message types to read: bodies are validated and upgraded to the latest version. Default: any body, unchanged.
   */
  readonly messageTypes?: Types | undefined;
  /**
   * Treatment of unreadable or invalid messages: handed over with their result (`hand-over`, the default), or
   * dead-lettered (`dead-letter`, in `peekLock` only).
   */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** How many messages to prefetch in `peekLock`; closing releases them without counting a delivery. Default: 0. */
  readonly prefetchCount?: number | undefined;
  /**
   * Milliseconds for which the locks of received messages are renewed until they are settled. Default: 0, no renewal.
   */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

/** Options of `Receiver.receiveMessages`. */
export interface ReceiveMessagesOptions {
  /** Milliseconds to wait for the first message. Default: 60,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Ends the wait; no received message is lost. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of `Receiver.peekMessages`. */
export interface PeekMessagesOptions extends AbortOption {
  /** Where to start. Default: the oldest message. */
  readonly fromSequenceNumber?: bigint | undefined;
}

/** Options of `Receiver.subscribe`. In a session, the session receiver renews the lock. */
export type SubscribeOptions = Omit<ProcessorOptions, "receiveMode" | "messageTypes">;

/** Options of `Receiver.deleteMessages`. */
export interface DeleteMessagesOptions extends AbortOption {
  /** Delete only messages enqueued before this time. Default: all. */
  readonly beforeEnqueueTime?: Date | undefined;
}

/** Checks of the options shared by all receivers. */
export const receivingChecks: OptionChecks<Omit<ReceiverOptions, "prefetchCount" | "subQueueType">> = {
  receiveMode: is.oneOf("peekLock", "receiveAndDelete"),
  messageTypes: is.messageTypes,
  onUnreadable: is.oneOf("hand-over", "dead-letter"),
  maxAutoLockRenewalDurationInMs: is.milliseconds,
};

/** Checks of {@link ReceiverOptions}. */
export const receiverChecks: OptionChecks<ReceiverOptions> = {
  ...receivingChecks,
  subQueueType: is.oneOf("deadLetter", "transferDeadLetter"),
  prefetchCount: is.countFrom(0),
};

/** Where and how to receive. */
export interface ReceivingEnd {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly parts: ClientParts;
}

/** @throws SobreError `InvalidArgument` naming the option. */
export function receivingEnd(
  entity: string,
  { receiveMode = "peekLock", onUnreadable = "hand-over", subQueueType }: ReceiverOptions,
): Pick<ReceivingEnd, "entityPath" | "receiveMode"> {
  if (onUnreadable === "dead-letter" && receiveMode === "receiveAndDelete") {
    throw invalidOption("onUnreadable", '"dead-letter" needs receiveMode: "peekLock"');
  }
  if (onUnreadable === "dead-letter" && (subQueueType !== undefined || parseAddress(entity).subQueue !== undefined)) {
    throw invalidOption(
      "onUnreadable",
      '"dead-letter" is not available on sub-queues, whose messages cannot be dead-lettered again',
    );
  }
  if (subQueueType === undefined) return { entityPath: entity, receiveMode };
  if (parseAddress(entity).subQueue !== undefined)
    throw invalidOption("subQueueType", "is already part of the entity's path");
  return { entityPath: `${entity}${subQueueSuffix[subQueueType]}`, receiveMode };
}

/** @throws SobreError `InvalidArgument` naming an unknown option or one of the receiver. */
export function checkSubscribe(options: SubscribeOptions | undefined, isSession: boolean): void {
  if (options === undefined) return;
  checkOptions(options, subscribeChecks);
  if (isSession && options.prefetchCount !== undefined && options.prefetchCount !== 0)
    throw invalidOption("prefetchCount", "is not available in sessions, whose messages are received one at a time");
  if (isSession && options.retries !== undefined)
    throw invalidOption("retries", "is not available in sessions, whose messages would lose their order");
}

/** Check of a number of messages. */
export const atLeastOne: is.OptionCheck = is.countFrom(1);

/** Checks of {@link ReceiveMessagesOptions}. */
export const receiveChecks: OptionChecks<ReceiveMessagesOptions> = {
  maxWaitTimeInMs: is.milliseconds,
  abortSignal: is.abortSignal,
};

/** Checks of {@link PeekMessagesOptions}. */
export const peekChecks: OptionChecks<PeekMessagesOptions> = {
  fromSequenceNumber: is.sequenceNumber,
  abortSignal: is.abortSignal,
};

/** Checks of {@link DeleteMessagesOptions}. */
export const deleteChecks: OptionChecks<DeleteMessagesOptions> = {
  beforeEnqueueTime: is.date,
  abortSignal: is.abortSignal,
};
