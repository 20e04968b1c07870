import { LockRenewal } from "../../client/client/lock-renewal.ts";
import { parseAddress } from "../../core/engine/address.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine, EngineReceiver } from "../../core/engine/engine.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { systemClock } from "../../core/time/clock.ts";
import { openWholeMessage } from "./captured-message.ts";
import { sourceHash } from "../migrate-message.ts";

/** Why a message was left in the source. */
export type ReasonLeft =
  /** The journal does not list it: it arrived after the migration. */
  | "new"
  /** Its message id or its bytes differ from those that were migrated. */
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

/** A message of the journal: the id and the hash under which it may be completed, or why it is left. */
export interface KnownMessage {
  /** `undefined` when the message had none. */
  readonly messageId: string | undefined;
  readonly sha256: string;
  readonly keep: ReasonLeft | undefined;
}

/** Options of {@link SourceCompletion}. */
export interface CompletionOptions {
  readonly entity: string;
  readonly journal: ReadonlyMap<bigint, KnownMessage>;
  readonly dryRun?: boolean | undefined;
  readonly onCompleted?: ((sequenceNumber: bigint) => void) | undefined;
}

/** The outcome of {@link SourceCompletion.run}. */
export interface CompletionOutcome {
  readonly completed: number;
  readonly gone: number;
  readonly left: readonly MessageLeft[];
}

/** The facts of a message that is to be completed: payloads would fill the memory. */
interface WantedMessage {
  readonly messageId: string | undefined;
  readonly sessionId: string | undefined;
  readonly state: Delivery["state"];
}

/** Messages per receive. */
const batchSize = 100;

/** Stop after this many receives that returned none of our messages: others hold the rest. */
const maxIdleBatches = 5;

/** One run over a source: looks at all messages first, then receives until those to complete are done. */
export class SourceCompletion {
  readonly #engine: Engine;
  readonly #entity: string;
  readonly #journal: ReadonlyMap<bigint, KnownMessage>;
  readonly #options: CompletionOptions;
  readonly #left = new Map<bigint, MessageLeft>();
  /** The messages to complete. */
  readonly #wanted = new Map<bigint, WantedMessage>();
  readonly #renewal = new LockRenewal(systemClock, Infinity);
  #completed = 0;

  constructor(engine: Engine, options: CompletionOptions) {
    this.#engine = engine;
    this.#entity = options.entity;
    this.#journal = options.journal;
    this.#options = options;
  }

  async run(): Promise<CompletionOutcome> {
    const seen = await this.#look();
    if (this.#options.dryRun === true) {
      for (const sequenceNumber of this.#wanted.keys()) this.#note(sequenceNumber);
    } else {
      try {
        await this.#completeAll();
      } finally {
        this.#renewal.stop();
      }
      for (const [sequenceNumber, { messageId }] of this.#wanted)
        this.#left.set(sequenceNumber, { sequenceNumber, messageId, reason: "locked" });
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
        const { sessionId } = delivery.envelope.brokerProperties;
        const messageId = messageIdOf(delivery);
        if (reason === undefined) this.#wanted.set(sequenceNumber, { messageId, sessionId, state: delivery.state });
        else this.#left.set(sequenceNumber, { sequenceNumber, messageId, reason });
      }
    }
    return seen;
  }

  #reasonToLeave(delivery: Delivery): ReasonLeft | undefined {
    const { sequenceNumber, envelope } = delivery;
    const known = this.#journal.get(sequenceNumber);
    if (known === undefined) return "new";
    // All messages without a body have one hash.
    if (known.messageId !== undefined && known.messageId !== messageIdOf(delivery)) return "changed";
    const sha256 = sourceHash({ content: { ok: true, envelope: openWholeMessage(envelope) } });
    return sha256 === known.sha256 ? known.keep : "changed";
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
    const sessions = new Set(Array.from(this.#wanted.values(), ({ sessionId }) => sessionId));
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
        maxWaitTimeInMs: 0,
      });
      const renew = (): Promise<Date> => link.renewSessionLock();
      const lock = this.#renewal.keep(link.sessionLockedUntilUtc(), { renew, lost: () => undefined });
      await this.#completeDeferred(sessionId);
      await this.#drain(link, this.#inState("active", sessionId));
      lock?.release();
      await link.close();
    } catch (error) {
      // Another receiver holds the session: its messages are left.
      if (!(error instanceof SobreError) || !/^Session(?:CannotBeLocked|LockLost)$/.test(error.code)) throw error;
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
    for (let idle = 0; idle < maxIdleBatches && wanted.some((number) => this.#wanted.has(number));) {
      const batch = await link.receive({ maxMessages: batchSize, maxWaitTimeInMs: 0 });
      if (batch.length === 0) break;
      idle = batch.every(isBeyond) ? idle + 1 : 0;
      await Promise.all(batch.map((delivery) => this.#complete(delivery)));
    }
  }

  /** Completes a message that is still the same, and holds any other, so that the messages after it are delivered. */
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
    return [...this.#wanted]
      .filter(([, wanted]) => wanted.state === state && (session === undefined || wanted.sessionId === session))
      .map(([sequenceNumber]) => sequenceNumber);
  }
}

function messageIdOf({ envelope }: Delivery): string | undefined {
  const { messageId } = envelope.brokerProperties;
  return messageId === undefined ? undefined : String(messageId);
}

function noneIfGone(error: unknown): readonly Delivery[] {
  if (error instanceof SobreError && error.code === "MessageNotFound") return [];
  throw error;
}

/** Sequence numbers increase within a partition, whose number is in their upper 16 bits. */
const partitionOf = (sequenceNumber: bigint): bigint => sequenceNumber >> 48n;

const larger = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other > one ? other : one);
