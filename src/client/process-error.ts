import type { UnreadableResult } from "../codec/result.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** Where in a processor something went wrong. */
export type ErrorSource = "receive" | "acceptSession" | "deserialize" | "handler" | "settle" | "renewLock";

/** An error in a processor. */
export interface ProcessErrorArgs {
  readonly entityPath: string;
  /**
   * `receive` and `acceptSession`: the engine; `deserialize`: nothing could read the payload, or it is not valid;
   * `handler`: `processMessage` rejected; `settle` and `renewLock`: the engine again.
   */
  readonly errorSource: ErrorSource;
  readonly error: unknown;
  /** The code of `error`, or `GeneralError` when it is foreign. */
  readonly code: ErrorCode;
  /** The message concerned, if there is one. */
  readonly envelope: Envelope | undefined;
  /** The attempts at an unreadable message. */
  readonly attempts: UnreadableResult["attempts"];
}

/** Reports an error; never rejects. */
export type ReportError = (
  errorSource: ErrorSource,
  error: unknown,
  envelope?: Envelope,
  attempts?: UnreadableResult["attempts"],
) => Promise<void>;

/** The code of an error, or `GeneralError` when it is foreign; handlers may throw anything, also what cannot be looked at. */
export function codeOf(error: unknown): ErrorCode {
  try {
    return error instanceof SobreError ? error.code : "GeneralError";
  } catch {
    return "GeneralError";
  }
}

/** Makes the reporter of a processor. */
export function errorReporter(
  entityPath: string,
  processError: (args: ProcessErrorArgs) => Promise<void> | void,
): ReportError {
  return async (errorSource, error, envelope, attempts = []) => {
    try {
      await processError({ entityPath, errorSource, error, code: codeOf(error), envelope, attempts });
    } catch {
      // There is nowhere left to report it.
    }
  };
}

/** Reports an error to a listener; an error it throws is ignored. */
export function report(listener: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    listener?.(error);
  } catch {
    // There is nowhere left to report it.
  }
}
