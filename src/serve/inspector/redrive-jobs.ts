import type { JobFact, RedriveInit } from "./api.ts";
import type { Caller } from "./caller.ts";
import { createMessageFilter } from "./message-filter.ts";
import { JobJournal, memoryRecord } from "./job-journal.ts";
import type { JobRecord, RecordHead } from "./job-record.ts";
import { JobShelf } from "./job-shelf.ts";
import { RedriveJob, type RedriveParts } from "./redrive-job.ts";

/** Called when a re-drive has ended. */
type Ended = (job: JobFact) => void;

/** The re-drives of an inspector. */
export class RedriveJobs {
  readonly #parts: RedriveParts;
  readonly #journal: JobJournal | undefined;
  #loaded: Promise<JobShelf<RedriveJob>> | undefined;

  constructor(parts: RedriveParts) {
    this.#parts = parts;
    this.#journal = parts.journal && new JobJournal(parts.journal.directory);
  }

  /** All of them, those of earlier processes included. */
  shelf(): Promise<JobShelf<RedriveJob>> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      // The next one who asks tries again.
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  /** @throws SobreError `InvalidArgument` naming the option, `QuotaExceeded` when too many run. */
  async start(init: RedriveInit, caller: Caller, ended: Ended): Promise<JobFact> {
    const shelf = await this.shelf();
    const { clock } = this.#parts;
    const head = { id: crypto.randomUUID(), init, startedAt: new Date(clock.now()).toISOString() };
    // Records are taken up for the journal's engine: those of another namespace would be shown and resumed there.
    const isKept = init.dryRun === false && caller.engine === this.#parts.journal?.engine;
    const job = this.#job(head, isKept ? this.#record(head.id) : memoryRecord());
    shelf.keep(job, caller);
    await job.begin(caller, ended);
    return job.fact();
  }

  /** Ends all of them after their current step; they can be resumed. */
  async close(): Promise<void> {
    const shelf = await this.#loaded?.catch(() => undefined);
    await shelf?.close();
  }

  async #load(): Promise<JobShelf<RedriveJob>> {
    const shelf = new JobShelf<RedriveJob>();
    const { journal } = this.#parts;
    if (journal === undefined) return shelf;
    for (const past of (await this.#journal?.load()) ?? []) {
      try {
        const job = this.#job(past.head, this.#record(past.head.id));
        job.recall(past);
        shelf.add(job, journal.engine);
      } catch {
        // A damaged record is not to hide the others.
      }
    }
    return shelf;
  }

  #job(head: RecordHead, record: JobRecord): RedriveJob {
    const filter = createMessageFilter(head.init.selection ?? {}, this.#parts);
    return new RedriveJob(head, { ...this.#parts, filter, record });
  }

  #record(id: string): JobRecord {
    return this.#journal?.record(id) ?? memoryRecord();
  }
}
