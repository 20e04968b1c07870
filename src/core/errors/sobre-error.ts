import { type ErrorCode, isRetryable } from "./codes.ts";

/** Details of a {@link SobreError}; all members are optional. */
export interface SobreErrorOptions {
  /** The byte offset in the payload at which reading failed. */
  readonly offset?: number | undefined;
  /** The path to the value concerned, e.g. `$.order.lines[2]`. */
  readonly path?: string | undefined;
  /** The tracking id that the broker assigned to the error. */
  readonly trackingId?: string | undefined;
  /** `unknown` if the call may have succeeded all the same. */
  readonly outcome?: "unknown" | undefined;
  /** The code with which a responder failed. */
  readonly reason?: string | undefined;
  /** The underlying error. */
  readonly cause?: unknown;
}

const brand = Symbol.for("sobre.SobreError");

/**
 * The one error class of sobre; distinguish errors by {@link SobreError.code}.
 *
 * Messages say what happened, where, and what to do next, and never contain payload content.
 * `instanceof` also recognises errors made by another installed copy of sobre.
 *
 * @example
 * ```ts
 * try {
 *   await client.acceptSession("carts", "cart-9", { maxWaitTimeInMs: 0 });
 * } catch (error) {
 *   const { code, retryable } = SobreError.from(error);
 *   console.log(code, retryable);
 * }
 * ```
 */
export class SobreError extends Error {
  readonly code: ErrorCode;
  /** Whether the same call may succeed when retried. */
  readonly retryable: boolean;
  /** The byte offset in the payload at which reading failed, if known. */
  readonly offset: number | undefined;
  /** The path to the value concerned, e.g. `$.order.lines[2]`, if there is one. */
  readonly path: string | undefined;
  /** The tracking id that the broker assigned to the error; also part of the message. */
  readonly trackingId: string | undefined;
  /** `unknown` if the answer to an earlier try was lost, so the call may have succeeded all the same. */
  readonly outcome: "unknown" | undefined;

  /** With the code `RequestFailed`: the code with which the responder failed, ours or that of its own errors. */
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: SobreErrorOptions = {}) {
    if (typeof code !== "string" || typeof message !== "string" || options === null)
      throw new SobreError("InvalidArgument", "A SobreError needs a code and a message, both strings.");
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = isRetryable(code);
    this.offset = options.offset;
    this.path = options.path;
    this.trackingId = options.trackingId;
    this.outcome = options.outcome;
    this.reason = options.reason;
  }

  static {
    Object.defineProperty(this.prototype, "name", { value: "SobreError", configurable: true, writable: true });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /**
   * Returns a SobreError unchanged and wraps anything else as its `cause`. The message names only the kind of error,
   * since messages of other errors may quote the payload.
   *
   * @param code The code of the wrapper. Default: `Aborted` for an `AbortError`, otherwise `GeneralError`.
   * @param what The beginning of the message, naming the failure. Default: `The operation failed`.
   * @example
   * ```ts
   * const error = SobreError.from(new TypeError("x is not a function"));
   * console.log(error.code, error.message); // GeneralError The operation failed (TypeError).
   * ```
   */
  static from(
    error: unknown,
    code?: ErrorCode,
    what: string = "The operation failed",
    options: SobreErrorOptions = {},
  ): SobreError {
    if (error instanceof SobreError) return error;
    const kind = error instanceof Error ? error.name : typeof error;
    const fallback = kind === "AbortError" ? "Aborted" : "GeneralError";
    return new SobreError(code ?? fallback, `${typeof what === "string" ? what : "The operation failed"} (${kind}).`, {
      ...options,
      cause: error,
    });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/**
 * Whether a value is a {@link SobreError}, with this code if one is given.
 *
 * @example
 * ```ts
 * try {
 *   createEnvelope({ payload: new Uint8Array(), brokerProperties: { timeToLive: -1 } });
 * } catch (error) {
 *   if (isSobreError(error, "InvalidArgument")) console.log(error.path); // $.brokerProperties.timeToLive
 * }
 * ```
 */
export function isSobreError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is SobreError & { readonly code: Code } {
  return error instanceof SobreError && (code === undefined || error.code === code);
}
