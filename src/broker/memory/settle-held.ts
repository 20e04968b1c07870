import type { LockToken } from "../../core/engine/delivery.ts";
import { lockLost } from "../../core/engine/refusals.ts";
import type { DecidedSettlement } from "../policy/settlement.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { PendingOperation } from "./transaction.ts";

/** Carries out the settlement of a held message. */
export function settleHeld(
  queue: MessageQueue,
  message: QueuedMessage,
  decision: DecidedSettlement,
  now: number,
): void {
  switch (decision.kind) {
    case "complete":
      return queue.remove(message);
    case "release":
      return queue.giveBack(message, "uncounted", now);
    case "abandon":
      queue.store.amend(message, decision.envelope);
      return queue.giveBack(message, "counted", now);
    case "defer":
      return queue.defer(message, decision.envelope, now);
    case "deadLetter":
      return queue.bury(message, decision.envelope, decision.deadLetter, now);
    default:
      return decision satisfies never;
  }
}

/** A settlement within a transaction: the message stays locked until the commit. */
export function settlementOperation(
  queue: MessageQueue,
  token: LockToken,
  decided: DecidedSettlement,
): PendingOperation {
  const message = queue.held(token);
  const holds = (): boolean => message.lock?.token === token;
  return {
    begin(transaction) {
      if (message.lock === undefined) return;
      message.lock.transaction = transaction;
      if (decided.kind !== "release") message.lock.wasSettled = true;
    },
    check() {
      if (!holds()) throw lockLost(queue.address);
    },
    apply(now) {
      settleHeld(queue, message, decided, now);
    },
    undo() {
      if (message.lock !== undefined && holds()) message.lock.transaction = undefined;
    },
  };
}
