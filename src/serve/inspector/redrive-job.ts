import { createClient } from "../../client/client/client.ts";
import type { RedriveEntry, RedriveReport } from "../../client/client/redrive/report.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { parseAddress } from "../../core/engine/address.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Guarantee, JobAnswer, JobFact, JobState, MessageSelection, RedriveOutcome } from "./api.ts";
import { type Caller, requireRight } from "./caller.ts";
import { messageCountOf } from "./entities.ts";
import { type JobPast, type JobRecord, pastOf, type RecordHead } from "./job-record.ts";
import type { Job } from "./job-shelf.ts";
import { idText } from "./message-facts.ts";
import type { MessageFilter } from "./message-filter.ts";
import type { InspectorReading } from "./reading.ts";
import type { Redaction } from "./redaction.ts";
import { repaired } from "./repair.ts";
import { Slices } from "./slices.ts";

/** Parts that all re-drives of an inspector share. */
export interface RedriveParts {
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly clock: Clock;
  readonly reading: InspectorReading;
  readonly redaction: Redaction;
  readonly brokers: ReadonlyMap<string, Engine>;
  /** Where they are recorded, and whose they are. Default: they end with the process. */
  readonly journal: { readonly directory: string; readonly engine: Engine } | undefined;
}

/** The surroundings of a re-drive. */
export interface JobParts extends RedriveParts {
  readonly filter: MessageFilter;
  readonly record: JobRecord;
}

/** Outcomes of one answer, and those of a dry run that are kept. */
const pageSize = 1000;

/**
 * A re-drive that goes on when nobody looks. What was sent has left the dead-letter queue, or is in the record, so it is
 * never sent again when the re-drive is resumed.
 */
export class RedriveJob implements Job {
  readonly id: string;
  readonly from: string;
  readonly #head: RecordHead;
  readonly #parts: JobParts;
  readonly #outcomes: RedriveOutcome[] = [];
  readonly #counts = { seen: 0, sent: 0, failed: 0, doubled: 0 };
  /** Sent, but not completed. */
  readonly #doubled = new Set<bigint>();
  #inDoubt: ReadonlySet<bigint> = new Set();
  #guarantee: Guarantee = "sendThenComplete";
  #total: number | null = null;
  #state: JobState = "running";
  #why = "";
  /** How it ends, once that is decided. */
  #ending: { readonly state: JobState; readonly why: string } | undefined;
  #stop = new AbortController();
  #run: Promise<void> = Promise.resolve();
  /** Selected messages that have no outcome in this run yet. */
  #left = Infinity;

  constructor(head: RecordHead, parts: JobParts) {
    this.id = head.id;
    this.from = head.init.from;
    this.#head = head;
    this.#parts = parts;
  }

  /** Where most of its messages go. */
  get target(): string {
    return this.#head.init.to ?? parseAddress(this.from).name;
  }

  /** The dead letters that it is for. */
  get selection(): MessageSelection {
    return this.#head.init.selection ?? {};
  }

  /** Whether it sends to another broker. */
  get leaves(): boolean {
    return this.#head.init.broker !== undefined;
  }

  fact(): JobFact {
    const { id, from } = this;
    const { to = null, broker = null, dryRun = true } = this.#head.init;
    const state = { state: this.#state, startedAt: this.#head.startedAt, guarantee: this.#guarantee, why: this.#why };
    const counts = { total: this.#total, ...this.#counts, inDoubt: this.#inDoubt.size };
    return { id, from, to, broker, dryRun, ...state, ...counts };
  }

  /** With the outcomes from an index on. */
  answer(from: number): JobAnswer {
    const outcomes = this.#outcomes.slice(from, from + pageSize);
    const next = from + outcomes.length;
    return { ...this.fact(), outcomes, next: next < this.#outcomes.length ? next : null };
  }

  /** Takes up the re-drive of an earlier process. */
  recall(past: JobPast): void {
    this.#adopt(past);
    this.#state = past.end?.state ?? "stopped";
    this.#why = past.end?.why ?? "The server ended while it ran.";
  }

  /** Records that it begins, and begins. @throws SobreError when that cannot be recorded. */
  async begin(caller: Caller, ended: (job: JobFact) => void): Promise<void> {
    try {
      await this.#parts.record.note({ note: "begun", head: this.#head });
    } catch (error) {
      this.#state = "failed";
      throw error;
    }
    this.#run = this.#goOn(caller, ended);
  }

  /**
   * Goes on with the messages that are left, with the caller's rights.
   *
   * @throws SobreError `InvalidOperation` while it runs, `GeneralError` when its record cannot be read.
   */
  async resume(caller: Caller, ended: (job: JobFact) => void): Promise<void> {
    if (this.#state === "running") throw new SobreError("InvalidOperation", "The re-drive is still running.");
    const caughtUp = this.#catchUp();
    this.#run = caughtUp.then(
      () => this.#goOn(caller, ended),
      () => undefined,
    );
    await caughtUp;
  }

  /** It is running until the current message has its outcome: another run would meet the locks of this one. */
  end(state: JobState, why: string): void {
    this.#ending ??= { state, why };
    this.#stop.abort();
  }

  idle(): Promise<void> {
    return this.#run;
  }

  /** Another process may have gone on with it, and a run that failed does not know what it sent: the record does. */
  async #catchUp(): Promise<void> {
    const before = { state: this.#state, why: this.#why };
    this.#state = "running";
    this.#why = "";
    this.#ending = undefined;
    this.#stop = new AbortController();
    try {
      const past = pastOf(await this.#parts.record.read());
      if (past === undefined) return;
      const { end, pid } = past;
      if (end === undefined && isAnotherProcess(pid))
        throw new SobreError("InvalidOperation", `The re-drive is still running, in process ${pid}.`);
      this.#adopt(past);
    } catch (error) {
      this.#state = before.state;
      this.#why = before.why;
      throw error;
    }
  }

  #adopt({ guarantee, total, seen, entries, inDoubt }: JobPast): void {
    this.#outcomes.length = 0;
    this.#doubled.clear();
    Object.assign(this.#counts, { sent: 0, failed: 0, doubled: 0 });
    this.#left = Infinity;
    for (const entry of entries) this.#note(entry);
    this.#counts.seen = seen;
    this.#guarantee = guarantee;
    this.#total = total;
    this.#inDoubt = new Set(inDoubt);
    for (const one of inDoubt) {
      const own = { sequenceNumber: String(one), messageId: null };
      this.#outcomes.push({ ...own, outcome: "inDoubt", code: null, message: doubt });
    }
  }

  /** Never rejects. */
  async #goOn(caller: Caller, ended: (job: JobFact) => void): Promise<void> {
    const { record } = this.#parts;
    try {
      await this.#redrive(caller);
    } catch (error) {
      this.end("failed", SobreError.from(error, "GeneralError", "The re-drive failed").message);
    }
    const { state, why } = this.#ending ?? { state: "done", why: "" };
    try {
      await record.note({ note: "ended", state, why, seen: this.#counts.seen });
    } catch {
      // It is then taken for one whose process has ended, and can be resumed all the same.
    }
    this.#state = state;
    this.#why = why;
    try {
      ended(this.fact());
    } catch {
      // Nobody waits for the re-drive; its outcome can be read here.
    }
  }

  async #redrive(caller: Caller): Promise<void> {
    const { init } = this.#head;
    const { to, selection, dryRun = true, messageIds, rate, firstBatch, settleTime, stopOnFailure = true } = init;
    const { serializer, stages, clock, record } = this.#parts;
    const { engine } = caller;
    const toEngine = this.#toEngine();
    const wanted = selection?.sequenceNumbers === undefined ? Infinity : new Set(selection.sequenceNumbers).size;
    this.#left = wanted - this.#counts.sent;
    this.#guarantee = await guaranteeOf(engine, toEngine, this.target);
    this.#total ??= await messageCountOf(engine, this.from);
    await record.note({ note: "running", pid: process.pid, guarantee: this.#guarantee, total: this.#total });
    const slices = new Slices();
    const client = createClient({ engine, serializer, stages, clock });
    const report = await client.redrive(this.from, {
      to,
      toEngine,
      dryRun,
      // New ids are given here: each is the same whenever the message is sent, so a target notices a second time.
      messageIds: messageIds && "keep",
      atomic: this.#guarantee === "transaction",
      repair: async (bare, delivery) => {
        await slices.turn();
        return this.#chosen(bare, delivery, caller);
      },
      onProgress: (entry) => this.#note(entry),
      rate,
      firstBatch,
      settleTime,
      stopOnFailure,
      log: dryRun ? undefined : record,
      abortSignal: this.#stop.signal,
    });
    this.end(...endOf(report));
  }

  /** @throws SobreError `InvalidArgument` for an unknown broker. */
  #toEngine(): Engine | undefined {
    const { broker } = this.#head.init;
    const engine = broker === undefined ? undefined : this.#parts.brokers.get(broker);
    if (broker === undefined || engine !== undefined) return engine;
    throw new SobreError("InvalidArgument", `This inspector knows no broker "${broker}".`);
  }

  /** The envelope to send, or `undefined` for a message that is not meant. */
  async #chosen(bare: Envelope, delivery: Delivery, caller: Caller): Promise<Envelope | undefined> {
    const { filter, record } = this.#parts;
    const { to, from, repair, messageIds, dryRun = true } = this.#head.init;
    const { sequenceNumber } = delivery;
    if (this.#stop.signal.aborted || this.#inDoubt.has(sequenceNumber)) return undefined;
    if ((await filter.selected(delivery)) === undefined) return undefined;
    if (!this.leaves) requireRight(caller, to ?? delivery.deadLetterSource ?? parseAddress(from).name, "Send");
    const changed = repair === undefined ? bare : await repaired(bare, repair, this.#parts);
    const isFirst = !dryRun && this.#guarantee !== "transaction" && !this.#doubled.has(sequenceNumber);
    if (isFirst) await record.note({ note: "sending", sequenceNumber: String(sequenceNumber) });
    if (messageIds !== "renew") return changed;
    return amend(changed, { brokerProperties: { messageId: `${this.id}-${sequenceNumber}` } });
  }

  #note({ sequenceNumber, messageId, outcome, error }: RedriveEntry): void {
    this.#counts.seen++;
    if (outcome === "skipped" || outcome === "unreadable") return;
    const { code = null, message = outcome === "blocked" ? behind : null } = error ?? {};
    const { dryRun = true, stopOnFailure = true } = this.#head.init;
    if (!dryRun || this.#outcomes.length < pageSize) {
      const own = { sequenceNumber: String(sequenceNumber), messageId: idText(messageId) };
      this.#outcomes.push({ ...own, outcome, code, message });
    }
    // Sent in an earlier run, and completed only now.
    if (outcome === "sent" && this.#doubled.delete(sequenceNumber)) this.#counts.doubled--;
    if (outcome === "doubled") this.#doubled.add(sequenceNumber);
    this.#counts[outcome === "blocked" ? "failed" : outcome]++;
    const stops = outcome !== "sent" && stopOnFailure;
    if (!dryRun && --this.#left <= 0 && !stops) this.end("done", "");
  }
}

/** A broker in this process has transactions over all its entities; others refuse them over two. */
async function guaranteeOf(engine: Engine, toEngine: Engine | undefined, target: string): Promise<Guarantee> {
  const isInProcess = engine.server === undefined && engine.capabilities.transactions.level === "native";
  if (toEngine === undefined && isInProcess) return "transaction";
  const { admin, capabilities } = toEngine ?? engine;
  if (capabilities.administration.level === "refused") return "sendThenComplete";
  try {
    const entity = (await admin.queueExists(target)) ? await admin.getQueue(target) : await admin.getTopic(target);
    return entity.requiresDuplicateDetection === true ? "duplicateDetection" : "sendThenComplete";
  } catch {
    return "sendThenComplete";
  }
}

/** Whether another process of this number is there. */
function isAnotherProcess(pid: number): boolean {
  if (pid === 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

const behind = "An earlier message of its session is still in the queue.";

const doubt =
  "The server ended, or the record failed, while it was being sent. Compare the target, then send it by itself or delete it here: this re-drive leaves it.";

const endOf = ({ state, why = "" }: RedriveReport): [JobState, string] =>
  state === "stopped" ? ["stopped", why] : ["done", ""];
