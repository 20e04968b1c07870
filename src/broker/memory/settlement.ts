import type { LockToken, Settlement } from "../../core/engine/delivery.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { deadLetterEnvelope, legalMark } from "../policy/dead-letter.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { invalidOperation, lockLost } from "../../core/engine/refusals.ts";
import type { Operation } from "./transaction.ts";

/** Carries out a settlement that has been checked completely and cannot fail. */
export type Decision = (now: number) => void;

/**
 * Checks a settlement of a held message.
 *
 * @throws SobreError for illegal properties, and `InvalidOperation` for dead-lettering on a sub-queue.
 */
export function decide(queue: MessageQueue, message: QueuedMessage, settlement: Settlement): Decision {
  switch (settlement.kind) {
    case "complete":
      return () => queue.remove(message);
    case "abandon": {
      const envelope = modified(queue, message, settlement.propertiesToModify);
      return (now) => queue.abandon(message, envelope, now);
    }
    case "release":
      return (now) => queue.giveBack(message, "uncounted", now);
    case "defer": {
      const envelope = modified(queue, message, settlement.propertiesToModify);
      return (now) => queue.defer(message, envelope, now);
    }
    case "deadLetter": {
      const { address, canDeadLetter } = queue.policy;
      if (!canDeadLetter)
        throw invalidOperation(
          `Nothing is dead-lettered again on '${address}'. Complete the message, or leave it there.`,
        );
      const { deadLetterReason: reason, deadLetterErrorDescription: description, propertiesToModify } = settlement;
      const mark = legalMark({ reason, description, source: undefined });
      const envelope = deadLetterEnvelope(message.envelope, mark, propertiesToModify);
      queue.policy.facts?.check(envelope);
      return (now) => queue.deadLetter(message, envelope, mark, now);
    }
    default:
      return settlement satisfies never;
  }
}

/** A settlement within a transaction: the message stays locked until the commit. */
export function settlementOperation(
  queue: MessageQueue,
  token: LockToken,
  { kind }: Settlement,
  decision: Decision,
): Operation {
  const message = queue.held(token);
  const holds = (): boolean => message.lock?.token === token;
  return {
    begin(transaction) {
      if (message.lock === undefined) return;
      message.lock.transaction = transaction;
      if (kind !== "release") message.lock.wasSettled = true;
    },
    check() {
      if (!holds()) throw lockLost(queue.policy.address);
    },
    apply(now) {
      decision(now);
    },
    undo() {
      if (message.lock !== undefined && holds()) message.lock.transaction = undefined;
    },
  };
}

type Modification = Extract<Settlement, { kind: "abandon" }>["propertiesToModify"];

function modified({ policy }: MessageQueue, { envelope }: QueuedMessage, properties: Modification): Envelope {
  if (properties === undefined) return envelope;
  const changed = amend(envelope, { applicationProperties: properties });
  policy.facts?.check(changed);
  return changed;
}
