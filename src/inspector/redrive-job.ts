import { createClient } from "../client/client.ts";
import type { RedriveEntry } from "../client/redrive.ts";
import { redriveCountProperty } from "../client/redrive.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import { parseAddress } from "../engine/address.ts";
import type { Delivery } from "../engine/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import { peekPages } from "../engine/peek-pages.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { Clock } from "../time/clock.ts";
import { pause } from "../time/pause.ts";
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

/** How much larger each batch is than the one before. */
const growth = 10;

/** Outcomes of one answer, and those of a dry run that are kept. */
const pageSize = 1000;

const peekSize = 500;

/**
 * A re-drive that goes on when nobody looks. What was sent has left the dead-letter queue, or is remembered here, so it is
 * never sent again when the re-drive is resumed.
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
  /** Ids of messages that were sent. */
  readonly #sentIds = new Set<string>();
  #guarantee: Guarantee = "sendThenComplete";
  #state: JobState = "running";
  #why = "";
  /** How it ends, once that is decided. */
  #ending: { readonly state: JobState; readonly why: string } | undefined;
  #stop = new AbortController();
  #batch = { size: Infinity, done: 0 };
  /** Selected messages that have no outcome in this run yet. */
  #left = Infinity;
  /** The last dead letter when it began: those behind it have come since, and may be some that it has sent. */
  #end: bigint | undefined;
  /** The last dead letter when this run began. */
  #last = 0n;

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
    const { from, to, selection, firstBatch, dryRun = true, messageIds } = this.#init;
    const { serializer, stages, clock } = this.#parts;
    this.#batch = { size: dryRun ? Infinity : (firstBatch ?? Infinity), done: 0 };
    const wanted = selection?.sequenceNumbers === undefined ? Infinity : new Set(selection.sequenceNumbers).size;
    this.#left = wanted - this.#counts.sent - this.#counts.doubled;
    try {
      this.#guarantee = await guaranteeOf(engine, this.target);
      if (!dryRun && (wanted === Infinity || firstBatch !== undefined)) {
        this.#last = await lastOf(engine, from);
        this.#end ??= this.#last;
      }
      const slices = new Slices();
      const client = createClient({ engine, serializer, stages, clock });
      await client.redrive(from, {
        to,
        dryRun,
        messageIds,
        atomic: this.#guarantee === "transaction",
        repair: async (bare, delivery) => {
          await slices.turn();
          return this.#chosen(bare, delivery);
        },
        onProgress: (entry) => this.#note(entry),
        abortSignal: this.#stop.signal,
      });
      this.#finish("done", "");
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
    const { to, from, repair, dryRun = true } = this.#init;
    const { sequenceNumber } = delivery;
    if (this.#stop.signal.aborted || this.#doubled.has(sequenceNumber)) return undefined;
    if (this.#end !== undefined && sequenceNumber > this.#end) return undefined;
    if ((await filter.selected(delivery)) === undefined) return undefined;
    requireRight(caller, to ?? delivery.deadLetterSource ?? parseAddress(from).name, "Send");
    const envelope = repair === undefined ? bare : await repaired(bare, repair, this.#parts);
    if (!dryRun) await this.#wait();
    return this.#stop.signal.aborted ? undefined : envelope;
  }

  /** Waits for the rate, and behind each batch to see whether its messages come back. */
  async #wait(): Promise<void> {
    const { clock } = this.#parts;
    const { rate, settleTime = 2000 } = this.#init;
    const { signal } = this.#stop;
    if (rate !== undefined) await pause(clock, 1000 / rate, signal);
    if (this.#batch.done < this.#batch.size) return;
    this.#batch = { size: this.#batch.size * growth, done: 0 };
    await pause(clock, settleTime, signal);
    const back = await this.#cameBack();
    if (back > 0) this.#finish("stopped", `${back} of the messages sent have come back as dead letters.`);
  }

  async #cameBack(): Promise<number> {
    let count = 0;
    for await (const page of peekPages(this.#parts.caller.engine, this.from, {
      from: this.#last + 1n,
      size: peekSize,
    })) {
      for (const { envelope } of page) {
        const id = idText(envelope.brokerProperties.messageId);
        const wasSent = envelope.applicationProperties[redriveCountProperty] !== undefined;
        // Nothing else identifies a message whose id was removed.
        const isOwn = this.#init.messageIds === "renew" || id === null || this.#sentIds.has(id);
        if (wasSent && isOwn) count++;
      }
    }
    return count;
  }

  #note({ sequenceNumber, messageId, outcome, error }: RedriveEntry): void {
    this.#counts.seen++;
    if (outcome === "skipped" || outcome === "unreadable") return;
    const { code = null, message = null } = error ?? {};
    const id = idText(messageId);
    const { stopOnFailure = true, dryRun = true } = this.#init;
    if (!dryRun || this.#outcomes.length < pageSize)
      this.#outcomes.push({ sequenceNumber: String(sequenceNumber), messageId: id, outcome, code, message });
    this.#counts[outcome]++;
    this.#left--;
    if (dryRun) return;
    this.#batch.done++;
    if (id !== null) this.#sentIds.add(id);
    if (outcome === "doubled") this.#doubled.add(sequenceNumber);
    if (outcome !== "sent" && stopOnFailure) this.#finish("stopped", message ?? "");
    else if (this.#left <= 0) this.#finish("done", "");
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

async function lastOf(engine: Engine, entity: string): Promise<bigint> {
  const slices = new Slices();
  let last = 0n;
  for await (const page of peekPages(engine, entity, { size: peekSize })) {
    last = page.at(-1)?.sequenceNumber ?? last;
    await slices.turn();
  }
  return last;
}
