import type { Incoming } from "./incoming.ts";
import type { QueueEntity } from "./queue-entity.ts";
import type { TopicEntity } from "./topic-entity.ts";
import type { MemoryTransaction } from "./transaction.ts";

/** Numbers checked messages now, since their sender is told, and schedules them at the commit; a rollback leaves a gap. */
export function scheduleInTransaction(
  target: QueueEntity | TopicEntity,
  messages: readonly Incoming[],
  transaction: MemoryTransaction,
): readonly bigint[] {
  const { intake } = target;
  const numbers: bigint[] = [];
  transaction.add({
    check: (reservations) => {
      target.messages.checkAlive();
      const reserved = reservations.get(target) ?? 0;
      reservations.set(target, reserved + intake.checkSend(messages, reserved));
    },
    apply: (now) => messages.forEach((message, index) => intake.schedule(message, now, numbers[index])),
  });
  for (const message of messages) numbers.push(intake.reserve(message));
  return numbers;
}
