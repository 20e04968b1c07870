import {
  checkInspection,
  type DeadLetterSum,
  type EngineInspection,
  type SessionInspection,
} from "../../core/engine/inspection.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { Namespace } from "./namespace.ts";
import type { Session } from "./session.ts";

/** Describes the queues of a namespace; `enter` throws once the connection is closed. */
export function memoryInspection(namespace: Namespace, enter: () => number): EngineInspection {
  const queueOf = (entity: string): MessageQueue => {
    enter();
    return namespace.queue(entity);
  };
  return {
    async counts(entity) {
      const queue = queueOf(entity);
      const { size, scheduledCount: scheduled, deferredCount: deferred } = queue.store;
      const active = size - scheduled - deferred;
      return { active, deferred, scheduled, locked: queue.locks.size, oldestEnqueuedTimeUtc: oldestIn(queue) };
    },
    async sessions(entity, options = {}) {
      const queue = queueOf(entity);
      checkInspection.sessions(options);
      const { skip = 0, maxSessions = 100 } = options;
      if (queue.sessions === undefined) throw invalidOperation(`'${entity}' has no sessions.`);
      return queue.sessions.sorted(skip, maxSessions).map((session) => inspected(queue, session));
    },
    async deadLetters(entity, options) {
      const queue = queueOf(entity);
      checkInspection.deadLetters(options);
      const { maxMessages, fromSequenceNumber } = options;
      const sums = new DeadLetterCounter();
      let left = maxMessages;
      for (const message of queue.store.from(fromSequenceNumber)) {
        const number = queue.store.numberOf(message);
        if (left-- === 0) return { sums: sums.largestFirst(), next: number };
        sums.add(message.deadLetter ?? unmarked, number);
      }
      return { sums: sums.largestFirst(), next: undefined };
    },
  };
}

function inspected({ store }: MessageQueue, session: Session): SessionInspection {
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

/** Counts messages by reason and source. */
class DeadLetterCounter {
  readonly #sums = new Map<string, DeadLetterSum>();

  add({ reason, source }: Pick<DeadLetterSum, "reason" | "source">, number: bigint): void {
    const key = JSON.stringify([reason, source]);
    const { count, firstSequenceNumber } = this.#sums.get(key) ?? { count: 0, firstSequenceNumber: number };
    this.#sums.set(key, { reason, source, count: count + 1, firstSequenceNumber });
  }

  largestFirst(): readonly DeadLetterSum[] {
    return [...this.#sums.values()].toSorted((a, b) => b.count - a.count);
  }
}

const unmarked = { reason: undefined, source: undefined };
