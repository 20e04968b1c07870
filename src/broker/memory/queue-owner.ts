import type { Router } from "../policy/router.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { ContentMeter } from "./meter.ts";
import type { Timeline } from "./timeline.ts";

/** The entity of a message queue, as the queue sees it. */
export interface QueueOwner {
  readonly timeline: Timeline;
  /** Counts every byte that is added or removed. */
  readonly meter: ContentMeter;
  /** Records events; `undefined` without a store. */
  readonly facts: EntityFacts | undefined;
  /** The first sequence number of every queue and partition; 1, as on Azure. */
  readonly firstSequenceNumber: bigint;
  /** Takes over messages that have left a queue. */
  readonly router: Pick<Router<QueueOwner, bigint>, "arrive" | "bury" | "deadLetter" | "expire">;
  /** Records that the entity was used. */
  touch(now: number): void;
}
