import type { Envelope } from "../../../core/envelope/envelope.ts";
import type { ErrorCode } from "../../../core/errors/codes.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";

/** The outcome for one message. */
export interface RedriveEntry {
  readonly sequenceNumber: bigint;
  readonly messageId: Envelope["brokerProperties"]["messageId"];
  readonly deadLetterReason: string | undefined;
  /**
   * `sent`, or would be in a dry run; `skipped` by `where`, `repair` or `maxRedrives`; `unreadable` by `readableBy`;
   * `failed` with the error, and left in the queue; `blocked`: left in the queue, since an earlier message of its
   * session is still there; `doubled`: sent, but not completed, so now in both entities.
   */
  readonly outcome: "sent" | "skipped" | "unreadable" | "failed" | "blocked" | "doubled";
  readonly error: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** The result of a re-drive. */
export interface RedriveReport {
  /** Identifies the re-drive, also when it is resumed. */
  readonly id: string;
  readonly from: string;
  readonly dryRun: boolean;
  /**
   * `done` with all messages, or `maxMessages` of them; `stopped` by a failure or by messages that came back, for the
   * reason in `why`; `aborted` by the signal.
   */
  readonly state: "running" | "done" | "stopped" | "aborted";
  readonly why: string | undefined;
  readonly seen: number;
  readonly sent: number;
  readonly skipped: number;
  readonly unreadable: number;
  readonly failed: number;
  readonly blocked: number;
  readonly doubled: number;
  /** Messages of this run that came back as dead letters; only counted with `firstBatch`. */
  readonly returned: number;
  readonly entries: readonly RedriveEntry[];
}

/** The outcome for a message, without its ids. */
export type OutcomeOfRedrive = Pick<RedriveEntry, "outcome" | "error">;

/** The outcome of a message whose error is known. */
export function outcomeOf(outcome: RedriveEntry["outcome"], error?: unknown): OutcomeOfRedrive {
  return { outcome, error: error === undefined ? undefined : reasonOf(error) };
}

/** A foreign error's message may hold content. */
function reasonOf(error: unknown): RedriveEntry["error"] {
  if (error instanceof SobreError) return { code: error.code, message: error.message };
  return { code: "GeneralError", message: `A ${error instanceof Error ? error.name : typeof error} was thrown.` };
}
