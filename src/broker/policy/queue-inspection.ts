import {
  checkInspection,
  type DeadLetterSums,
  type EngineInspection,
  type SessionInspection,
  type StateCounts,
  type SumDeadLettersOptions,
} from "../../core/engine/inspection.ts";
import type { Answer } from "./answer.ts";
import type { EntityQueue } from "./entities.ts";
import { noSessions } from "./refusals.ts";

/** The queues of a store as an inspection sees them. */
export interface InspectedQueues<Queue> {
  counts(queue: Queue): Answer<StateCounts>;
  /** Some sessions of a queue, by id. */
  sessions(queue: Queue, skip: number, maxSessions: number): Answer<readonly SessionInspection[]>;
  deadLetters(queue: Queue, options: SumDeadLettersOptions): Answer<DeadLetterSums>;
}

/** Describes the queues of a store; `at` goes on with the queue at an address, and throws once the connection is closed. */
export const queueInspection = <Queue extends EntityQueue<unknown>>(
  queues: InspectedQueues<Queue>,
  at: <T>(address: string, goOn: (queue: Queue) => Answer<T>) => Promise<T>,
): EngineInspection => ({
  counts: (entity) => at(entity, (queue) => queues.counts(queue)),
  sessions: (entity, options = {}) =>
    at(entity, (queue) => {
      checkInspection.sessions(options);
      if (!queue.requiresSession) throw noSessions(entity);
      return queues.sessions(queue, options.skip ?? 0, options.maxSessions ?? 100);
    }),
  deadLetters: (entity, options) =>
    at(entity, (queue) => {
      checkInspection.deadLetters(options);
      return queues.deadLetters(queue, options);
    }),
});
