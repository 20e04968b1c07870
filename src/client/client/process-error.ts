import type { UnreadableResult } from "../../core/codec/result.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** Where in a processor an error occurred. */
export type ErrorSource = "receive" | "acceptSession" | "deserialize" | "handler" | "settle" | "renewLock";

/** An error in a processor. */
export interface ProcessErrorArgs {
  readonly entityPath: string;
  /**
   * `receive`, `acceptSession`, `settle` and `renewLock`: the engine; `deserialize`: the payload is unreadable or
   * invalid; `handler`: `processMessage` rejected.
   */
  readonly errorSource: ErrorSource;
  readonly error: unknown;
  /** The code of `error`, or `GeneralError` if it is not a SobreError. */
  readonly code: ErrorCode;
  /** The message concerned, if there is one. */
  readonly envelope: Envelope | undefined;
  /** The attempts to read an unreadable message. */
  readonly attempts: UnreadableResult["attempts"];
}

/** Reports an error; never rejects. */
export type ReportError = (
  errorSource: ErrorSource,
  error: unknown,
  envelope?: Envelope,
  attempts?: UnreadableResult["attempts"],
) => Promise<void>;

/**
 * The code of an error, or `GeneralError` if it is not a SobreError; handlers may throw anything, even objects that
 * throw when inspected.
 */
export function codeOf(error: unknown): ErrorCode {
  try {
    return error instanceof SobreError ? error.code : "GeneralError";
  } catch {
    return "GeneralError";
  }
}

/** Codes of calls whose lock is gone. */
const lockLostCodes: ReadonlySet<string> = new Set(["MessageLockLost", "SessionLockLost"]);

/** Creates the error reporter of a processor, which also reports lost locks. */
export function errorReporter(
  entityPath: string,
  processError: (args: ProcessErrorArgs) => Promise<void> | void,
  lockLost: (error: unknown, envelope: Envelope) => void,
): ReportError {
  return async (errorSource, error, envelope, attempts = []) => {
    const isLost = errorSource === "renewLock" || (errorSource === "settle" && lockLostCodes.has(codeOf(error)));
    // The lock of a session is lost once for all its messages.
    if (isLost && envelope !== undefined) lockLost(error, envelope);
    try {
      await processError({ entityPath, errorSource, error, code: codeOf(error), envelope, attempts });
    } catch {
      // There is nowhere to report it.
    }
  };
}

/** Calls a listener; errors that it throws, or that its promise rejects with, are ignored. */
export function notify<Args extends readonly unknown[]>(
  listener: ((...args: Args) => unknown) | undefined,
  ...args: Args
): void {
  try {
    void Promise.resolve(listener?.(...args)).catch(ignored);
  } catch {
    ignored();
  }
}

/** There is nowhere to report it. */
const ignored = (): void => undefined;
