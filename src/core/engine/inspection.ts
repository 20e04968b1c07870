import { SobreError } from "../errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { type Capabilities, requireCapability } from "./capabilities.ts";

/** The messages of an entity by state. */
export interface StateCounts {
  /** Messages that can be received, locked ones included. */
  readonly active: number;
  readonly deferred: number;
  readonly scheduled: number;
  /** How many of the active and deferred ones are locked. */
  readonly locked: number;
  /** When the first message that is not scheduled was enqueued; `undefined` without one. */
  readonly oldestEnqueuedTimeUtc: Date | undefined;
}

/** A session that has messages, a state or a holder. */
export interface SessionInspection {
  readonly sessionId: string;
  /** The name of the connection that holds it, empty if it has none; `undefined` when it is free. */
  readonly holder: string | undefined;
  readonly lockedUntilUtc: Date | undefined;
  readonly state: Uint8Array | undefined;
  readonly stateSetAtUtc: Date | undefined;
  /** Its active and deferred messages. */
  readonly messageCount: number;
  /** Its first message; `undefined` without one. */
  readonly firstSequenceNumber: bigint | undefined;
}

/** Options of {@link EngineInspection.sessions}. */
export interface InspectSessionsOptions {
  /** How many sessions to skip. Default: 0. */
  readonly skip?: number | undefined;
  /** Default: 100. */
  readonly maxSessions?: number | undefined;
}

/** Options of {@link EngineInspection.deadLetters}. */
export interface SumDeadLettersOptions {
  /** How many messages to look at: an engine in the process does nothing else meanwhile. */
  readonly maxMessages: number;
  /** The first sequence number to look at. Default: the oldest. */
  readonly fromSequenceNumber?: bigint | undefined;
}

/** Messages with the same reason and source. */
export interface DeadLetterSum {
  readonly reason: string | undefined;
  /** The entity that dead-lettered them, where they were forwarded since. */
  readonly source: string | undefined;
  readonly count: number;
  readonly firstSequenceNumber: bigint;
}

/** The sums of a part of a queue. */
export interface DeadLetterSums {
  /** The largest first. */
  readonly sums: readonly DeadLetterSum[];
  /** The sequence number from which to go on; `undefined` at the end. */
  readonly next: bigint | undefined;
}

/**
 * Describes entities in more detail than their counts and messages do; changes nothing. The capability `inspect`.
 *
 * Entities are named by address, sub-queues included; a missing one throws `MessagingEntityNotFound`.
 */
export interface EngineInspection {
  counts(entity: string): Promise<StateCounts>;
  /** Sessions by id. @throws SobreError `InvalidOperation` when the entity has no sessions. */
  sessions(entity: string, options?: InspectSessionsOptions): Promise<readonly SessionInspection[]>;
  /** Counts messages by dead-letter reason and source. */
  deadLetters(entity: string, options: SumDeadLettersOptions): Promise<DeadLetterSums>;
}

const sessionsChecks: OptionChecks<InspectSessionsOptions> = { skip: is.countFrom(0), maxSessions: is.countFrom(1) };
const sumChecks: OptionChecks<SumDeadLettersOptions> = {
  maxMessages: is.countFrom(1),
  fromSequenceNumber: is.sequenceNumber,
};

/** Checks of the options of an inspection. @throws SobreError `InvalidArgument` naming the option. */
export const checkInspection = {
  sessions: (options: unknown): void => checkOptions(options, sessionsChecks),
  deadLetters: (options: unknown): void => checkOptions(options, sumChecks, { needed: ["maxMessages"] }),
} as const;

/** The inspection of an engine that is reached by a promise. */
export function inspectionOf(engine: () => Promise<{ readonly inspection: EngineInspection }>): EngineInspection {
  return {
    counts: async (entity) => (await engine()).inspection.counts(entity),
    sessions: async (entity, options) => (await engine()).inspection.sessions(entity, options),
    deadLetters: async (entity, options) => (await engine()).inspection.deadLetters(entity, options),
  };
}

/** The inspection of an engine that refuses the capability: every method throws `UnsupportedCapability`. */
export function refusedInspection(engine: {
  readonly name: string;
  readonly capabilities: Capabilities;
}): EngineInspection {
  const refuse = async (): Promise<never> => {
    requireCapability(engine, "inspect");
    throw new SobreError("UnsupportedCapability", `The engine "${engine.name}" cannot be inspected.`);
  };
  return { counts: refuse, sessions: refuse, deadLetters: refuse };
}
