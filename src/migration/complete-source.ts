import { LockRenewal } from "../client/lock-renewal.ts";
import { parseAddress } from "../engine/address.ts";
import type { Delivery } from "../engine/delivery.ts";
import type { Engine, EngineReceiver } from "../engine/engine.ts";
import { peekPages } from "../engine/peek-pages.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  aFunction,
  checkOptions,
  entityName,
  flag,
  methods,
  name as isName,
  type OptionChecks,
} from "../options/option-checks.ts";
import { systemClock } from "../time/clock.ts";
import { openWholeMessage } from "./captured-message.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { readJournal } from "./journal.ts";
import { sourceHash } from "./migrate-message.ts";

/** Options of {@link completeSource}. */
export interface CompleteSourceOptions {
  readonly engine: Engine;
  /** The queue, subscription or dead-letter queue from which the messages were migrated. */
  readonly entity: string;
  /** The output of the migration; its journal is next to it. */
  readonly output: string;
  /** Whether a line of the output, from 1 up, has been sent. Default: all have. */
  readonly isSent?: ((line: number) => boolean) | undefined;
  /** Whether a message that failed may be completed as well, e.g. because it has been archived. Default: none may. */
  readonly isArchived?: ((entry: JournalEntry) => boolean) | undefined;
  /** Whether messages that lost information are left. Default: false. */
  readonly leaveLossy?: boolean | undefined;
  /** Whether to only report what would be done. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Called for each message that was completed, or would be. */
  readonly onCompleted?: ((sequenceNumber: bigint) => void) | undefined;
}

/** Why a message was left in the source. */
export type ReasonLeft =
  /** The journal does not list it: it arrived after the migration. */
  | "new"
  /** Its bytes differ from those that were migrated. */
  | "changed"
  /** It was not migrated. */
  | "failed"
  /** It lost information, and `leaveLossy` was set. */
  | "lossy"
  /** Its migrated form has not been sent. */
  | "unsent"
  /** Another receiver holds it, or it could not be completed. */
  | "locked";

/** A message that was left in the source. */
export interface MessageLeft {
  readonly sequenceNumber: bigint;
  readonly messageId: string | undefined;
  readonly reason: ReasonLeft;
}

/** The result of {@link completeSource}. */
export interface CompletedSource {
  /** The source that the journal names. */
  readonly source: string;
  readonly dryRun: boolean;
  /** Messages that were completed, or would be. */
  readonly completed: number;
  /** Messages of the journal that were no longer in the source. */
  readonly gone: number;
  /** Every message that is still in the source. */
  readonly left: readonly MessageLeft[];
}

/**
 * Removes the messages of a migration from their source: exactly those whose sequence number and SHA-256 of the payload are in
 * the journal. Everything else stays, and its delivery count with it. After an interruption, the same call continues.
 *
 * @throws SobreError `InvalidArgument` when there is no journal, or it has no sequence numbers; and what the engine throws.
 */
export async function completeSource(options: CompleteSourceOptions): Promise<CompletedSource> {
  checkOptions(options, checks, { needed: ["engine", "entity", "output"] });
  const { engine, entity, output, dryRun = false } = options;
  const { source, entries } = await readJournal(output);
  const journal = await sequenced(entries(), options);
  // A separate connection: closing it releases what it holds without counting a delivery.
  const own = await engine.connect();
  try {
    return { source, dryRun, ...(await new Completion(own, entity, journal, options).run()) };
  } finally {
    await own.close();
  }
}

const checks: OptionChecks<CompleteSourceOptions> = {
  engine: methods("an engine", "peek", "settle"),
  entity: entityName,
  output: isName,
  isSent: aFunction,
  isArchived: aFunction,
  leaveLossy: flag,
  dryRun: flag,
  onCompleted: aFunction,
};

/** A message of the journal: the hash under which it may be completed, or why it is left. */
interface Known {
  readonly sha256: string;
  readonly keep: ReasonLeft | undefined;
}

async function sequenced(
  entries: AsyncIterable<JournalEntry>,
  options: CompleteSourceOptions,
): Promise<ReadonlyMap<bigint, Known>> {
  const { isSent = always, isArchived = never, leaveLossy = false } = options;
  const known = new Map<bigint, Known>();
  let [line, all] = [0, 0];
  for await (const entry of entries) {
    const { sequenceNumber, sha256, outcome, losses } = entry;
    all++;
    if (outcome !== "failed") line++;
    if (sequenceNumber === undefined) continue;
    const keep =
      outcome === "failed"
        ? isArchived(entry)
          ? undefined
          : "failed"
        : leaveLossy && losses.length > 0
          ? "lossy"
          : isSent(line)
            ? undefined
            : "unsent";
    known.set(sequenceNumber, { sha256, keep });
  }
  if (known.size > 0 || all === 0) return known;
  throw new SobreError(
    "InvalidArgument",
    "The journal has no sequence numbers, so its messages cannot be found in a queue. Migrate from a capture, or from the queue itself.",
  );
}

const always = (): boolean => true;
const never = (): boolean => false;

/** Messages per receive. */
const batchSize = 100;

/** Receives without a message of the journal after which the rest is taken to be held by others. */
const mostIdleBatches = 5;

/** One run over a source: looks at all messages first, then receives until those to complete are done. */
class Completion {
  readonly #engine: Engine;
  readonly #entity: string;
  readonly #journal: ReadonlyMap<bigint, Known>;
  readonly #options: CompleteSourceOptions;
  readonly #left = new Map<bigint, MessageLeft>();
  /** The messages to complete. */
  readonly #wanted = new Map<bigint, Delivery>();
  readonly #renewal = new LockRenewal(systemClock, Infinity);
  #completed = 0;

  constructor(engine: Engine, entity: string, journal: ReadonlyMap<bigint, Known>, options: CompleteSourceOptions) {
    this.#engine = engine;
    this.#entity = entity;
    this.#journal = journal;
    this.#options = options;
  }

  async run(): Promise<Omit<CompletedSource, "source" | "dryRun">> {
    const seen = await this.#look();
    if (this.#options.dryRun === true) {
      for (const sequenceNumber of this.#wanted.keys()) this.#note(sequenceNumber);
    } else {
      try {
        await this.#completeAll();
      } finally {
        this.#renewal.stop();
      }
      for (const [sequenceNumber, delivery] of this.#wanted) this.#leave(sequenceNumber, delivery, "locked");
    }
    const left = [...this.#left.values()].toSorted((a, b) => (a.sequenceNumber < b.sequenceNumber ? -1 : 1));
    return { completed: this.#completed, gone: this.#journal.size - seen, left };
  }

  /** Peeks at all messages; resolves to the number of those in the journal. */
  async #look(): Promise<number> {
    let seen = 0;
    for await (const page of peekPages(this.#engine, this.#entity, {})) {
      for (const delivery of page) {
        const { sequenceNumber } = delivery;
        if (this.#journal.has(sequenceNumber)) seen++;
        const reason = this.#reasonToLeave(delivery);
        if (reason === undefined) this.#wanted.set(sequenceNumber, delivery);
        else this.#leave(sequenceNumber, delivery, reason);
      }
    }
    return seen;
  }

  #reasonToLeave({ sequenceNumber, envelope }: Delivery): ReasonLeft | undefined {
    const known = this.#journal.get(sequenceNumber);
    if (known === undefined) return "new";
    const sha256 = sourceHash({ content: { ok: true, envelope: openWholeMessage(envelope) } });
    return sha256 === known.sha256 ? known.keep : "changed";
  }

  #leave(sequenceNumber: bigint, { envelope }: Delivery, reason: ReasonLeft): void {
    const { messageId } = envelope.brokerProperties;
    const id = messageId === undefined ? undefined : String(messageId);
    this.#left.set(sequenceNumber, { sequenceNumber, messageId: id, reason });
  }

  #note(sequenceNumber: bigint): void {
    this.#completed++;
    this.#options.onCompleted?.(sequenceNumber);
  }

  async #completeAll(): Promise<void> {
    const waiting = this.#inState("scheduled");
    for (const sequenceNumber of waiting) {
      await this.#engine.cancel(this.#entity, [sequenceNumber]);
      this.#done(sequenceNumber);
    }
    const sessions = new Set(Array.from(this.#wanted.values(), sessionOf));
    if (!(await this.#needsSessions(sessions))) {
      await this.#completeDeferred(undefined);
      if (this.#inState("active").length > 0) {
        const link = await this.#engine.openReceiver(this.#entity, { receiveMode: "peekLock" });
        await this.#drain(link, this.#inState("active"));
      }
      return;
    }
    for (const sessionId of sessions) await this.#completeSession(sessionId);
  }

  /** Sub-queues need no sessions, whatever their entity needs. */
  async #needsSessions(sessions: ReadonlySet<string | undefined>): Promise<boolean> {
    if (parseAddress(this.#entity).subQueue !== undefined || sessions.size === 0 || sessions.has(undefined))
      return false;
    try {
      await (await this.#engine.openReceiver(this.#entity, { receiveMode: "peekLock" })).close();
      return false;
    } catch (error) {
      if (error instanceof SobreError && error.code === "InvalidOperation") return true;
      throw error;
    }
  }

  async #completeSession(sessionId: string | undefined): Promise<void> {
    try {
      const link = await this.#engine.acceptSession(this.#entity, {
        sessionId,
        receiveMode: "peekLock",
        maxWaitTime: 0,
      });
      await this.#completeDeferred(sessionId);
      await this.#drain(link, this.#inState("active", sessionId));
      await link.close();
    } catch (error) {
      // Another receiver holds the session: its messages are left.
      if (!(error instanceof SobreError) || error.code !== "SessionCannotBeLocked") throw error;
    }
  }

  async #completeDeferred(sessionId: string | undefined): Promise<void> {
    for (const sequenceNumber of this.#inState("deferred", sessionId)) {
      const options = { receiveMode: "peekLock", sessionId } as const;
      const found = await this.#engine.receiveDeferred(this.#entity, [sequenceNumber], options).catch(noneIfGone);
      for (const delivery of found) await this.#complete(delivery);
    }
  }

  /** Receives until the wanted messages are completed, or only others come. */
  async #drain(link: EngineReceiver, wanted: readonly bigint[]): Promise<void> {
    const ends = new Map<bigint, bigint>();
    for (const number of wanted) ends.set(partitionOf(number), larger(ends.get(partitionOf(number)), number));
    const isBeyond = ({ sequenceNumber }: Delivery): boolean =>
      sequenceNumber > (ends.get(partitionOf(sequenceNumber)) ?? -1n);
    for (let idle = 0; idle < mostIdleBatches && wanted.some((number) => this.#wanted.has(number));) {
      const batch = await link.receive({ maxMessages: batchSize, maxWaitTime: 0 });
      if (batch.length === 0) break;
      idle = batch.every(isBeyond) ? idle + 1 : 0;
      await Promise.all(batch.map((delivery) => this.#complete(delivery)));
    }
  }

  /** Completes a message that is still the same, and holds any other, so that those behind it are delivered. */
  async #complete(delivery: Delivery): Promise<void> {
    const { sequenceNumber, lockToken, lockedUntilUtc } = delivery;
    if (lockToken === undefined) return;
    if (this.#reasonToLeave(delivery) !== undefined) {
      const renew = (): Promise<Date> => this.#engine.renew(this.#entity, lockToken);
      this.#renewal.keep(lockedUntilUtc, { renew, lost: () => undefined });
      return;
    }
    try {
      await this.#engine.settle(this.#entity, lockToken, { kind: "complete" });
      this.#done(sequenceNumber);
    } catch (error) {
      // After a lost lock the message is delivered again.
      if (!(error instanceof SobreError) || error.code !== "MessageLockLost") throw error;
    }
  }

  #done(sequenceNumber: bigint): void {
    if (this.#wanted.delete(sequenceNumber)) this.#note(sequenceNumber);
  }

  #inState(state: Delivery["state"], session?: string): readonly bigint[] {
    return [...this.#wanted.values()]
      .filter((delivery) => delivery.state === state && (session === undefined || sessionOf(delivery) === session))
      .map(({ sequenceNumber }) => sequenceNumber);
  }
}

const sessionOf = ({ envelope }: Delivery): string | undefined => envelope.brokerProperties.sessionId;

function noneIfGone(error: unknown): readonly Delivery[] {
  if (error instanceof SobreError && error.code === "MessageNotFound") return [];
  throw error;
}

/** Sequence numbers increase within a partition, whose number is in their upper 16 bits. */
const partitionOf = (sequenceNumber: bigint): bigint => sequenceNumber >> 48n;

const larger = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other > one ? other : one);
