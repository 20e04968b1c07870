import { messageProperties } from "../../../core/message/message-properties.ts";
import type { Delivery, LockToken } from "../../../core/engine/delivery.ts";
import type { EngineSender, TransactionOption } from "../../../core/engine/engine.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { ClientParts } from "../client-parts.ts";
import { ClientLink } from "../link.ts";
import {
  countMarked,
  type RedriveCandidate,
  type DeadLetters,
  lastSequenceNumber,
  peekedDeadLetters,
  receivedDeadLetters,
} from "./dead-letters.ts";
import { entryLine, headLine, readHistory, type RedriveHistory } from "./log.ts";
import { checkRedrive, type RedriveOptions } from "./options.ts";
import { RedrivePace } from "./pace.ts";
import { prepare } from "./preparation.ts";
import { type OutcomeOfRedrive, outcomeOf, type RedriveEntry, type RedriveReport } from "./report.ts";

/**
 * Re-drives the messages of a dead-letter queue: original bytes and properties, without the dead-letter properties,
 * with a count.
 *
 * Each message is sent before it is completed, so none is lost in between. Skipped messages are held until the end and
 * released without counting a delivery. Lost links are reopened. Messages that are dead-lettered after it began are left,
 * so that it ends even if a consumer returns all of them.
 *
 * @throws SobreError `InvalidArgument` naming the option, `UnsupportedCapability` for `firstBatch` on an engine that
 * cannot peek, and what opening and receiving throw; `onProgress` has been called for all messages handled by then.
 */
export async function redrive(from: string, parts: ClientParts, options: RedriveOptions = {}): Promise<RedriveReport> {
  checkRedrive(from, options);
  // A separate connection: closing it releases what it holds without counting a delivery.
  const engine = await parts.engine.connect();
  const opened = [engine];
  try {
    const toEngine = await options.toEngine?.connect();
    if (toEngine !== undefined) opened.push(toEngine);
    return await new Redrive(from, { ...parts, engine }, { ...options, toEngine }).run();
  } finally {
    for (const one of opened) await one.close();
  }
}

class Redrive {
  readonly #from: string;
  readonly #parts: ClientParts;
  readonly #options: RedriveOptions;
  readonly #dryRun: boolean;
  readonly #pace: RedrivePace;
  readonly #senders = new Map<string, ClientLink<EngineSender>>();
  readonly #sessions = new Sessions();
  readonly #entries: RedriveEntry[] = [];
  readonly #counts: Record<RedriveEntry["outcome"], number> = {
    sent: 0,
    skipped: 0,
    unreadable: 0,
    failed: 0,
    blocked: 0,
    doubled: 0,
  };
  #history: RedriveHistory = { id: crypto.randomUUID(), end: undefined, doubled: new Set() };
  /** The last dead letter when this run began: what has come back is after it. */
  #last: bigint | undefined;
  #returned = 0;
  #state: RedriveReport["state"] = "running";
  #why: string | undefined;

  constructor(from: string, parts: ClientParts, options: RedriveOptions) {
    this.#from = from;
    this.#parts = parts;
    this.#options = options;
    this.#dryRun = options.dryRun === true;
    const batches = this.#dryRun ? { abortSignal: options.abortSignal } : options;
    this.#pace = new RedrivePace(batches, { clock: parts.clock, returned: () => this.#countReturned() });
  }

  async run(): Promise<RedriveReport> {
    const { engine } = this.#parts;
    if (this.#dryRun) return this.#handleAll(peekedDeadLetters(engine, this.#from));
    this.#last = await lastSequenceNumber(engine, this.#from);
    if (this.#last === undefined && this.#options.firstBatch !== undefined) throw cannotPeek(engine.name);
    await this.#openLog();
    const letters = await receivedDeadLetters(this.#parts, this.#from);
    try {
      return await this.#handleAll(letters);
    } finally {
      letters.stop();
    }
  }

  /** Continues the re-drive of the log, or begins it. */
  async #openLog(): Promise<void> {
    const { log } = this.#options;
    const before = log && (await readHistory(log, this.#from));
    this.#history = before ?? { ...this.#history, end: this.#last };
    if (before === undefined) await log?.append(headLine(this.#from, this.#history, this.#parts.clock.now()));
  }

  async #handleAll(letters: DeadLetters): Promise<RedriveReport> {
    const { maxMessages = Infinity, onProgress, log, abortSignal } = this.#options;
    while (this.#state === "running" && this.#entries.length < maxMessages) {
      const letter = abortSignal?.aborted === true ? undefined : await letters.next();
      if (letter === undefined || this.#isLater(letter.delivery)) break;
      const outcome = await this.#handle(letter);
      if (outcome === undefined) break;
      const { sequenceNumber, deadLetterReason, envelope } = letter.delivery;
      const { messageId } = envelope.brokerProperties;
      const entry = { sequenceNumber, messageId, deadLetterReason, ...outcome };
      this.#note(entry, envelope.brokerProperties.sessionId);
      await log?.append(entryLine(entry, this.#parts.clock.now()));
      onProgress?.(entry, this.#report());
    }
    if (this.#state === "running" && abortSignal?.aborted !== true) this.#stopFor(await this.#pace.settle());
    if (this.#state === "running") this.#state = abortSignal?.aborted === true ? "aborted" : "done";
    return this.#report();
  }

  /** Whether it was dead-lettered after the re-drive began; messages come in order. */
  #isLater({ sequenceNumber }: Delivery): boolean {
    return this.#history.end !== undefined && sequenceNumber > this.#history.end;
  }

  #note(entry: RedriveEntry, sessionId: string | undefined): void {
    const { outcome, error } = entry;
    this.#entries.push(entry);
    this.#counts[outcome]++;
    this.#sessions.note(sessionId, entry);
    if (this.#options.stopOnFailure !== true || (outcome !== "failed" && outcome !== "doubled")) return;
    this.#state = "stopped";
    this.#why = error?.message;
  }

  #stopFor(returned: number): void {
    if (returned === 0) return;
    this.#returned = returned;
    this.#state = "stopped";
    this.#why = `${returned} of the messages sent ${returned === 1 ? "has" : "have"} come back as dead letters.`;
  }

  /** `undefined` when it ends before this message. */
  async #handle({ delivery, release }: RedriveCandidate): Promise<OutcomeOfRedrive | undefined> {
    const { lockToken } = delivery;
    try {
      if (this.#wasSentByThis(delivery)) return outcomeOf("skipped");
      if (lockToken !== undefined && this.#history.doubled.has(delivery.sequenceNumber)) {
        release();
        return await this.#complete(lockToken);
      }
      const mark = this.#options.firstBatch === undefined && this.#last !== undefined ? undefined : this.#history.id;
      const prepared = await prepare(delivery, this.#parts, { ...this.#options, from: this.#from, mark });
      if (prepared === "exhausted") {
        // Nobody chose to send the session on without it.
        this.#sessions.leave(delivery.envelope.brokerProperties.sessionId);
        return outcomeOf("skipped");
      }
      if (typeof prepared === "string") return outcomeOf(prepared);
      if (this.#sessions.blocks(delivery)) return outcomeOf("blocked");
      if (this.#dryRun || lockToken === undefined) return outcomeOf("sent");
      this.#stopFor(await this.#pace.turn());
      if (this.#state !== "running" || this.#options.abortSignal?.aborted === true) return undefined;
      const outcome = await this.#move(prepared, lockToken, release);
      this.#pace.sent();
      return outcome;
    } catch (error) {
      return outcomeOf("failed", error);
    }
  }

  /** Where the last dead letter is unknown, those that came back are met. */
  #wasSentByThis({ envelope }: Delivery): boolean {
    return envelope.applicationProperties[messageProperties.redriveId] === this.#history.id;
  }

  async #move(
    { envelope, target }: { readonly envelope: Envelope; readonly target: string },
    lock: LockToken,
    release: () => void,
  ): Promise<OutcomeOfRedrive> {
    if (this.#options.atomic === true) return this.#moveAtOnce(envelope, target, { lock, release });
    await this.#send(envelope, target);
    release();
    return this.#complete(lock);
  }

  async #complete(lock: LockToken): Promise<OutcomeOfRedrive> {
    try {
      await this.#parts.engine.settle(this.#from, lock, { kind: "complete" });
      return outcomeOf("sent");
    } catch (error) {
      return outcomeOf("doubled", error);
    }
  }

  async #moveAtOnce(
    envelope: Envelope,
    target: string,
    { lock, release }: { readonly lock: LockToken; readonly release: () => void },
  ): Promise<OutcomeOfRedrive> {
    const { engine } = this.#parts;
    const transaction = await engine.begin();
    try {
      await this.#send(envelope, target, { transaction });
      await engine.settle(this.#from, lock, { kind: "complete" }, { transaction });
      release();
      await transaction.commit();
    } catch (error) {
      // The transaction may have ended with the link, and its time limit ends it anyway.
      await transaction.rollback().catch(() => undefined);
      throw error;
    }
    return outcomeOf("sent");
  }

  async #send(envelope: Envelope, target: string, options?: TransactionOption): Promise<void> {
    const sender = this.#sender(target);
    await this.#parts.retry.run(() => sender.use((link) => link.send([envelope], options)), {
      timedOut: () => sender.abandon(),
    });
  }

  #sender(target: string): ClientLink<EngineSender> {
    const known = this.#senders.get(target) ?? new ClientLink("sender", () => this.#openSender(target));
    this.#senders.set(target, known);
    return known;
  }

  #openSender(target: string): Promise<EngineSender> {
    return (this.#options.toEngine ?? this.#parts.engine).openSender(target);
  }

  #countReturned(): Promise<number> {
    const range = { after: this.#last ?? 0n, property: messageProperties.redriveId, value: this.#history.id };
    return countMarked(this.#parts.engine, this.#from, range);
  }

  #report(): RedriveReport {
    const own = { id: this.#history.id, from: this.#from, dryRun: this.#dryRun, state: this.#state, why: this.#why };
    const counts = { seen: this.#entries.length, ...this.#counts, returned: this.#returned };
    return { ...own, ...counts, entries: this.#entries };
  }
}

/** Keeps the order of sessions: no message is sent before an earlier one of its session that is left in the queue. */
class Sessions {
  readonly #left = new Set<string>();
  readonly #latest = new Map<string, bigint>();

  /** Whether an earlier message of the session is left, or a later one was sent. */
  blocks({ envelope, sequenceNumber }: Delivery): boolean {
    const { sessionId } = envelope.brokerProperties;
    return (
      sessionId !== undefined && (this.#left.has(sessionId) || (this.#latest.get(sessionId) ?? -1n) > sequenceNumber)
    );
  }

  /** Blocks the later messages of a session. */
  leave(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.#left.add(sessionId);
  }

  note(sessionId: string | undefined, { outcome, sequenceNumber }: RedriveEntry): void {
    if (sessionId === undefined) return;
    if (outcome === "failed" || outcome === "unreadable") this.leave(sessionId);
    else if (outcome === "sent" || outcome === "doubled") this.#latest.set(sessionId, sequenceNumber);
  }
}

const cannotPeek = (engine: string): SobreError =>
  new SobreError(
    "UnsupportedCapability",
    `firstBatch requires an engine that can peek, to see what comes back, and the engine "${engine}" cannot. Use rate and stopOnFailure.`,
  );
