import type { Serializer } from "../../../core/codec/serializer.ts";
import { parseAddress } from "../../../core/engine/address.ts";
import type { Delivery } from "../../../core/engine/delivery.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../../core/options/option-checks.ts";
import * as is from "../../../core/options/is.ts";
import { finiteDuration } from "../../../core/options/duration-option.ts";
import type { DurationLike } from "../../../core/time/duration.ts";
import type { RedriveLog } from "./log.ts";
import type { RedriveEntry, RedriveReport } from "./report.ts";

/** Options of `redrive`. */
export interface RedriveOptions {
  /** The target entity. Default: the entity that dead-lettered the messages; required for a subscription. */
  readonly to?: string | undefined;
  /** The broker to send to, which stays open; never with `atomic`. Default: that of the dead letters. */
  readonly toEngine?: Engine | undefined;
  /** Selects the messages to send. Default: all. */
  readonly where?: ((message: Delivery) => boolean) | undefined;
  /**
   * Returns the envelope to send, given one without dead-letter properties; its payload is as the stages made it:
   * compressed, encrypted or replaced by a claim check. `undefined` skips the message. Default: unchanged.
   */
  readonly repair?:
    | ((envelope: Envelope, message: Delivery) => Envelope | undefined | Promise<Envelope | undefined>)
    | undefined;
  /** A serializer that must be able to read the messages; those that it cannot read stay in the queue. */
  readonly readableBy?: Serializer | undefined;
  /** The content type to re-encode the messages as, with the serializer in `readableBy`. Default: the bytes stay. */
  readonly rewriteAs?: string | undefined;
  /** Skip messages already re-driven this many times; the later ones of their sessions are `blocked`. Default: no limit. */
  readonly maxRedrives?: number | undefined;
  /** The maximum number of messages. Default: all that are in the queue when it begins. */
  readonly maxMessages?: number | undefined;
  /** Whether to only report what would be done. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** The maximum number of messages sent per second. Default: no limit. */
  readonly rate?: number | undefined;
  /**
   * The size of the first batch; each further one is `batchGrowth` times as large. After each batch it waits for
   * `settleTime`, and stops if any message of the batch has come back as a dead letter. Default: one batch, no wait.
   */
  readonly firstBatch?: number | undefined;
  /** How many times larger each batch is than the one before. Default: 10. */
  readonly batchGrowth?: number | undefined;
  /**
   * How long after each batch its messages may come back: milliseconds, or text such as `"30s"`. Set it longer than a
   * consumer takes to dead-letter a message, with its retries. Default: 2 seconds.
   */
  readonly settleTime?: DurationLike | undefined;
  /** Whether to stop after the first message that is not sent or not completed. Default: false. */
  readonly stopOnFailure?: boolean | undefined;
  /**
   * Records each outcome. A re-drive with the log of an earlier one resumes it: it continues with the messages that are
   * left of those that were there when the first one began. Default: none.
   */
  readonly log?: RedriveLog | undefined;
  /**
   * Treatment of message ids when the target detects duplicates and may drop a message whose id it has seen: `keep`
   * takes that risk; `renew` removes the id, which breaks ciphertext that is bound to it. Default: reject.
   */
  readonly messageIds?: "keep" | "renew" | undefined;
  /**
   * Whether a message is sent and completed in one transaction, so that it is never in both entities. Default: false; a
   * broker may refuse transactions over two entities.
   */
  readonly atomic?: boolean | undefined;
  /** Called after each message; an error that it throws ends the re-drive. */
  readonly onProgress?: ((entry: RedriveEntry, report: RedriveReport) => void) | undefined;
  /** Ends the re-drive after the current message. */
  readonly abortSignal?: AbortSignal | undefined;
}

const aboveZero = (value: unknown): string | undefined =>
  typeof value === "number" && value > 0 && value < Infinity ? undefined : "must be a finite number above 0";

const redriveChecks: OptionChecks<RedriveOptions> = {
  to: is.entityName,
  toEngine: is.engine,
  where: is.aFunction,
  repair: is.aFunction,
  readableBy: is.serializer,
  rewriteAs: is.name,
  maxRedrives: is.countFrom(0),
  maxMessages: is.countFrom(1),
  dryRun: is.flag,
  rate: aboveZero,
  firstBatch: is.countFrom(1),
  batchGrowth: is.numberFrom(1),
  settleTime: finiteDuration,
  stopOnFailure: is.flag,
  log: is.methods("a log with the functions read and append", "read", "append"),
  atomic: is.flag,
  messageIds: is.oneOf("keep", "renew"),
  onProgress: is.aFunction,
  abortSignal: is.abortSignal,
};

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkRedrive(from: string, options: RedriveOptions): void {
  if (typeof from !== "string" || parseAddress(from).subQueue === undefined) {
    throw invalidOption("from", 'must be a dead-letter queue, e.g. "orders/$DeadLetterQueue"');
  }
  checkOptions(options, redriveChecks);
  if (options.rewriteAs !== undefined && options.readableBy === undefined) {
    throw invalidOption("rewriteAs", "requires readableBy, the serializer that reads and writes the messages");
  }
  if (options.toEngine !== undefined && options.atomic === true)
    throw invalidOption("atomic", "is for one broker: no transaction spans two of them");
  if (options.dryRun === true && options.log !== undefined) {
    throw invalidOption("log", "is not for a dry run, which has no outcomes to record");
  }
}
