import { SobreError } from "../errors/sobre-error.ts";
import type { Clock } from "../time/clock.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import type { JobFact, RedriveInit } from "./api.ts";
import type { Caller } from "./caller.ts";
import { createMessageFilter } from "./message-filter.ts";
import type { Reading } from "./reading.ts";
import { RedriveJob } from "./redrive-job.ts";
import type { Redaction } from "./redaction.ts";

/** Re-drives that are remembered; the oldest ended one makes room. */
const most = 50;

interface Owned {
  readonly job: RedriveJob;
  readonly engine: Caller["engine"];
}

/** The re-drives of an inspector. They go on when the page is closed. */
export class RedriveJobs {
  readonly #parts: {
    readonly serializer: Serializer;
    readonly stages: readonly PayloadStage[];
    readonly clock: Clock;
    readonly reading: Reading;
    readonly redaction: Redaction;
  };
  #jobs: readonly Owned[] = [];

  constructor(parts: {
    readonly serializer: Serializer;
    readonly stages: readonly PayloadStage[];
    readonly clock: Clock;
    readonly reading: Reading;
    readonly redaction: Redaction;
  }) {
    this.#parts = parts;
  }

  /** @throws SobreError `InvalidArgument` naming the option, `QuotaExceeded` when too many run. */
  start(init: RedriveInit, caller: Caller, ended: (job: JobFact) => void): JobFact {
    const { serializer, stages, clock } = this.#parts;
    const filter = createMessageFilter(init.selection ?? {}, this.#parts);
    const running = this.#jobs.filter(({ job }) => job.fact().state === "running");
    if (running.length >= most)
      throw new SobreError("QuotaExceeded", `At most ${most} re-drives run at a time. Wait, or cancel one.`);
    const job = new RedriveJob(init, { caller, serializer, stages, filter, clock, ended });
    const old = this.#jobs.filter((owned) => !running.includes(owned)).slice(0, most - running.length - 1);
    const kept = new Set([...running, ...old]);
    this.#jobs = [{ job, engine: caller.engine }, ...this.#jobs.filter((owned) => kept.has(owned))];
    void job.run();
    return job.fact();
  }

  /** Those of the caller's broker from entities that it may see, the latest first. */
  list(engine: Caller["engine"], isShown: (from: string) => boolean): readonly RedriveJob[] {
    return this.#jobs.filter((owned) => owned.engine === engine && isShown(owned.job.from)).map(({ job }) => job);
  }

  /** @throws SobreError `MessageNotFound` when the caller has none of that id. */
  find(id: string, caller: Caller): RedriveJob {
    const found = this.list(caller.engine, (from) => caller.can(from, "Listen")).find((job) => job.id === id);
    if (found !== undefined) return found;
    throw new SobreError("MessageNotFound", "There is no re-drive of that id.");
  }

  /** Ends all of them after the current message. */
  close(): void {
    for (const { job } of this.#jobs) job.cancel();
  }
}
