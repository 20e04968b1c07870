import type { Clock } from "../time/clock.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import type { JobFact, RedriveInit } from "./api.ts";
import type { Caller } from "./caller.ts";
import { createMessageFilter } from "./message-filter.ts";
import { JobShelf } from "./job-shelf.ts";
import type { Reading } from "./reading.ts";
import { RedriveJob } from "./redrive-job.ts";
import type { Redaction } from "./redaction.ts";

/** The re-drives of an inspector. */
export class RedriveJobs extends JobShelf<RedriveJob> {
  readonly #parts: {
    readonly serializer: Serializer;
    readonly stages: readonly PayloadStage[];
    readonly clock: Clock;
    readonly reading: Reading;
    readonly redaction: Redaction;
  };

  constructor(parts: {
    readonly serializer: Serializer;
    readonly stages: readonly PayloadStage[];
    readonly clock: Clock;
    readonly reading: Reading;
    readonly redaction: Redaction;
  }) {
    super();
    this.#parts = parts;
  }

  /** @throws SobreError `InvalidArgument` naming the option, `QuotaExceeded` when too many run. */
  start(init: RedriveInit, caller: Caller, ended: (job: JobFact) => void): JobFact {
    const { serializer, stages, clock } = this.#parts;
    const filter = createMessageFilter(init.selection ?? {}, this.#parts);
    const job = new RedriveJob(init, { caller, serializer, stages, filter, clock, ended });
    this.keep(job, caller);
    void job.run();
    return job.fact();
  }
}
