import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { InspectorOptions } from "./inspector-options.ts";
import type { JobShelf } from "./job-shelf.ts";
import type { PurgeJob } from "./purge-job.ts";
import type { InspectorReading } from "./reading.ts";
import type { Redaction } from "./redaction.ts";
import type { RedriveJobs } from "./redrive-jobs.ts";

/** The parts of an inspector that its routes use. */
export interface InspectorParts {
  readonly options: InspectorOptions;
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly reading: InspectorReading;
  readonly redaction: Redaction;
  readonly jobs: RedriveJobs;
  readonly purges: JobShelf<PurgeJob>;
}
