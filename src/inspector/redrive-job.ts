import { createClient } from "../client/client.ts";
import type { RedriveLog } from "../client/redrive/log.ts";
import type { RedriveEntry, RedriveReport } from "../client/redrive/report.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import { parseAddress } from "../engine/address.ts";
import type { Delivery } from "../engine/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Clock } from "../time/clock.ts";
import type { Guarantee, JobAnswer, JobFact, JobState, RedriveInit, RedriveOutcome } from "./api.ts";
import { type Caller, requireRight } from "./caller.ts";
import { idText } from "./message-facts.ts";
import type { MessageFilter } from "./message-filter.ts";
import { repaired } from "./repair.ts";
import { Slices } from "./slices.ts";

/** The surroundings of a re-drive. */
export interface JobParts {
  readonly caller: Caller;
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly filter: MessageFilter;
  readonly clock: Clock;
  /** Called when it has ended. */
  readonly ended: (job: JobFact) => void;
}

/** Outcomes of one answer, and those of a dry run that are kept. */
const pageSize = 1000;

/**
 * A re-drive that goes on when nobody looks. What was sent has left the dead-letter queue, or is remembered in the log, so
 * it is never sent again when the re-drive is resumed.
 */
export class RedriveJob {
  readonly id: string = crypto.randomUUID();
  readonly from: string;
  readonly #init: RedriveInit;
  #parts: JobParts;
  readonly #startedAt: string;
  readonly #outcomes: RedriveOutcome[] = [];
  readonly #counts = { seen: 0, sent: 0, failed: 0, doubled: 0 };
  /** Sent, but not completed. */
  readonly #doubled = new Set<bigint>();
  readonly #log: RedriveLog = memoryLog();
  #guarantee: Guarantee = "sendThenComplete";
  #state: JobState = "running";
  #why = "";
  /** How it ends, once that is decided. */
  #ending: { readonly state: JobState; readonly why: string } | undefined;
  #stop = new AbortController();
  /** Selected messages that have no outcome in this run yet. */
  #left = Infinity;

  constructor(init: RedriveInit, parts: JobParts) {
    this.#init = init;
    this.#parts = parts;
    this.from = init.from;
    this.#startedAt = new Date(parts.clock.now()).toISOString();
  }

  /** Where most of its messages go. */
  get target(): string {
    return this.#init.to ?? parseAddress(this.from).name;
  }

  fact(): JobFact {
    const { id, from } = this;
    const { to = null, dryRun = true } = this.#init;
    const state = { state: this.#state, startedAt: this.#startedAt, guarantee: this.#guarantee, why: this.#why };
    return { id, from, to, dryRun, ...state, ...this.#counts };
  }

  /** With the outcomes from an index on. */
  answer(from: number): JobAnswer {
    const outcomes = this.#outcomes.slice(from, from + pageSize);
    const next = from + outcomes.length;
    return { ...this.fact(), outcomes, next: next < this.#outcomes.length ? next : null };
  }

  cancel(): void {
    this.#finish("cancelled", "");
  }

  /** Goes on with the messages that are left, with the caller's rights. @throws SobreError `InvalidOperation` while it runs. */
  resume(caller: Caller): void {
    if (this.#state === "running") throw new SobreError("InvalidOperation", "The re-drive is still running.");
    this.#parts = { ...this.#parts, caller };
    this.#state = "running";
    this.#why = "";
    this.#ending = undefined;
    this.#stop = new AbortController();
    void this.run();
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { engine } = this.#parts.caller;
    const { from, to, selection, dryRun = true, messageIds, rate, firstBatch, settleTime } = this.#init;
    const { stopOnFailure = true } = this.#init;
    const { serializer, stages, clock } = this.#parts;
    const wanted = selection?.sequenceNumbers === undefined ? Infinity : new Set(selection.sequenceNumbers).size;
    this.#left = wanted - this.#counts.sent;
    try {
      this.#guarantee = await guaranteeOf(engine, this.target);
      const slices = new Slices();
      const client = createClient({ engine, serializer, stages, clock });
      const report = await client.redrive(from, {
        to,
        dryRun,
        messageIds,
        atomic: this.#guarantee === "transaction",
        repair: async (bare, delivery) => {
          await slices.turn();
          return this.#chosen(bare, delivery);
        },
        onProgress: (entry) => this.#note(entry),
        rate,
        firstBatch,
        settleTime,
        stopOnFailure,
        log: dryRun ? undefined : this.#log,
        abortSignal: this.#stop.signal,
      });
      this.#finish(...endOf(report));
    } catch (error) {
      this.#finish("failed", SobreError.from(error, "GeneralError", "The re-drive failed").message);
    }
    const { state, why } = this.#ending ?? { state: "done", why: "" };
    this.#state = state;
    this.#why = why;
    try {
      this.#parts.ended(this.fact());
    } catch {
      // Nobody waits for the re-drive; its outcome can be read here.
    }
  }

  /** The envelope to send, or `undefined` for a message that is not meant. */
  async #chosen(bare: Envelope, delivery: Delivery): Promise<Envelope | undefined> {
    const { caller, filter } = this.#parts;
    const { to, from, repair } = this.#init;
    if (this.#stop.signal.aborted) return undefined;
    if ((await filter.selected(delivery)) === undefined) return undefined;
    requireRight(caller, to ?? delivery.deadLetterSource ?? parseAddress(from).name, "Send");
    return repair === undefined ? bare : await repaired(bare, repair, this.#parts);
  }

  #note({ sequenceNumber, messageId, outcome, error }: RedriveEntry): void {
    this.#counts.seen++;
    if (outcome === "skipped" || outcome === "unreadable") return;
    const { code = null, message = outcome === "blocked" ? behind : null } = error ?? {};
    const { dryRun = true, stopOnFailure = true } = this.#init;
    if (!dryRun || this.#outcomes.length < pageSize) {
      const own = { sequenceNumber: String(sequenceNumber), messageId: idText(messageId) };
      this.#outcomes.push({ ...own, outcome, code, message });
    }
    // Sent in an earlier run, and completed only now.
    if (outcome === "sent" && this.#doubled.delete(sequenceNumber)) this.#counts.doubled--;
    if (outcome === "doubled") this.#doubled.add(sequenceNumber);
    this.#counts[outcome === "blocked" ? "failed" : outcome]++;
    const stops = outcome !== "sent" && stopOnFailure;
    if (!dryRun && --this.#left <= 0 && !stops) this.#finish("done", "");
  }

  /** It is running until the current message has its outcome: another run would meet the locks of this one. */
  #finish(state: JobState, why: string): void {
    this.#ending ??= { state, why };
    this.#stop.abort();
  }
}

/** A broker in this process has transactions over all its entities; others refuse them over two. */
async function guaranteeOf(engine: Engine, target: string): Promise<Guarantee> {
  if (engine.server === undefined && engine.capabilities.transactions.level === "native") return "transaction";
  if (engine.capabilities.administration.level === "refused") return "sendThenComplete";
  try {
    const { admin } = engine;
    const entity = (await admin.queueExists(target)) ? await admin.getQueue(target) : await admin.getTopic(target);
    return entity.requiresDuplicateDetection === true ? "duplicateDetection" : "sendThenComplete";
  } catch {
    return "sendThenComplete";
  }
}

const behind = "An earlier message of its session is still in the queue.";

const endOf = ({ state, why = "" }: RedriveReport): [JobState, string] =>
  state === "stopped" ? ["stopped", why] : ["done", ""];

/** Keeps what a resumed re-drive needs; messages that were not selected may be many. */
function memoryLog(): RedriveLog {
  const lines: string[] = [];
  return {
    read: async () => lines,
    async append(line) {
      if (!line.includes('"outcome":"skipped"')) lines.push(line);
    },
  };
}
