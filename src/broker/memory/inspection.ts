import type {
  DeadLetterSum,
  DeadLetterSums,
  SessionInspection,
  StateCounts,
  SumDeadLettersOptions,
} from "../../core/engine/inspection.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { MemorySession } from "./session.ts";

/** The messages of a queue by state. */
export function countsOf(queue: MessageQueue): StateCounts {
  const { size, scheduledCount: scheduled, deferredCount: deferred } = queue.store;
  const active = size - scheduled - deferred;
  return { active, deferred, scheduled, locked: queue.locks.size, oldestEnqueuedTimeUtc: oldestIn(queue) };
}

/** Some sessions of a queue, by id. */
export const sessionsOf = (queue: MessageQueue, skip: number, maxSessions: number): readonly SessionInspection[] =>
  queue.sessions?.sorted(skip, maxSessions).map((session) => inspected(queue, session)) ?? [];

/** Counts messages of a queue by dead-letter reason and source. */
export function deadLettersOf(
  { store }: MessageQueue,
  { maxMessages, fromSequenceNumber }: SumDeadLettersOptions,
): DeadLetterSums {
  const sums = new Map<string, DeadLetterSum>();
  const largestFirst = (): readonly DeadLetterSum[] => [...sums.values()].toSorted((a, b) => b.count - a.count);
  let left = maxMessages;
  for (const message of store.from(fromSequenceNumber)) {
    const number = store.numberOf(message);
    if (left-- === 0) return { sums: largestFirst(), next: number };
    const { reason, source } = message.deadLetter ?? {};
    const key = JSON.stringify([reason, source]);
    const { count, firstSequenceNumber } = sums.get(key) ?? { count: 0, firstSequenceNumber: number };
    sums.set(key, { reason, source, count: count + 1, firstSequenceNumber });
  }
  return { sums: largestFirst(), next: undefined };
}

function inspected({ store }: MessageQueue, session: MemorySession): SessionInspection {
  const { id, lock, state, stateSetAt, messageCount } = session;
  const numbers = session.foremost.map((message) => store.numberOf(message));
  return {
    sessionId: id,
    holder: lock === undefined ? undefined : (lock.holder.label ?? ""),
    lockedUntilUtc: lock === undefined ? undefined : new Date(lock.until),
    state: state === undefined ? undefined : new Uint8Array(state),
    stateSetAtUtc: state === undefined ? undefined : new Date(stateSetAt),
    messageCount,
    firstSequenceNumber: numbers.reduce<bigint | undefined>(
      (least, number) => (least === undefined || number < least ? number : least),
      undefined,
    ),
  };
}

function oldestIn({ store }: MessageQueue): Date | undefined {
  for (const { state, enqueuedAt } of store.from(undefined)) if (state !== "scheduled") return new Date(enqueuedAt);
  return undefined;
}
