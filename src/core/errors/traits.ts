import { SobreError } from "./sobre-error.ts";
import { type ErrorCode, isRetryable } from "./codes.ts";

/** The traits of an error code: whether to retry, its AMQP condition and its HTTP status. */
export interface ErrorTraits {
  readonly retryable: boolean;
  readonly amqpCondition: string;
  readonly httpStatus: number;
}

interface BorderTraits {
  readonly amqpCondition: string;
  readonly httpStatus: number;
}

const traits = (amqpCondition: string, httpStatus: number): BorderTraits => ({ amqpCondition, httpStatus });
const unreadable = traits("amqp:decode-error", 422);
const misuse = traits("amqp:not-allowed", 400);

/** AMQP condition and HTTP status of every code. */
const borders: Readonly<Record<ErrorCode, BorderTraits>> = {
  GeneralError: traits("amqp:internal-error", 500),
  MessageLockLost: traits("com.microsoft:message-lock-lost", 410),
  MessageNotFound: traits("com.microsoft:message-not-found", 404),
  MessageSizeExceeded: traits("amqp:link:message-size-exceeded", 413),
  MessagingEntityAlreadyExists: traits("com.microsoft:entity-already-exists", 409),
  MessagingEntityDisabled: traits("com.microsoft:entity-disabled", 403),
  MessagingEntityNotFound: traits("amqp:not-found", 404),
  QuotaExceeded: traits("amqp:resource-limit-exceeded", 403),
  ServiceBusy: traits("com.microsoft:server-busy", 503),
  ServiceCommunicationProblem: traits("amqp:connection:forced", 502),
  ServiceTimeout: traits("com.microsoft:timeout", 504),
  SessionCannotBeLocked: traits("com.microsoft:session-cannot-be-locked", 409),
  SessionLockLost: traits("com.microsoft:session-lock-lost", 410),
  UnauthorizedAccess: traits("amqp:unauthorized-access", 401),
  InvalidArgument: traits("com.microsoft:argument-error", 400),
  InvalidOperation: misuse,
  InvalidContentType: unreadable,
  UnknownContentType: unreadable,
  ContentTypeNotAccepted: unreadable,
  UnknownCharset: unreadable,
  UnknownContentEncoding: unreadable,
  DecodeFailed: unreadable,
  TruncatedPayload: unreadable,
  TrailingBytes: unreadable,
  LimitExceeded: unreadable,
  UnknownMessageType: unreadable,
  UnknownMessageVersion: unreadable,
  UpcastFailed: unreadable,
  DecryptionFailed: unreadable,
  UnknownKey: unreadable,
  PlaintextRefused: unreadable,
  PayloadNotFound: unreadable,
  UnsupportedValue: misuse,
  Unreadable: unreadable,
  ValidationFailed: unreadable,
  UnsupportedCapability: traits("amqp:not-implemented", 501),
  RequestFailed: traits("amqp:internal-error", 500),
  Aborted: traits("com.microsoft:operation-cancelled", 499),
  Closed: traits("amqp:illegal-state", 409),
};

/**
 * The traits of a code.
 *
 * Conditions and retryability are those that the official clients map back to the same code (`ServiceBusError` of
 * `@azure/service-bus` 7.9).
 */
export function errorTraits(code: ErrorCode): ErrorTraits {
  if (!isErrorCode(code)) throw new SobreError("InvalidArgument", "code must be an ErrorCode.", { path: "$.code" });
  return { ...borders[code], retryable: isRetryable(code) };
}

/** Maps the values of a column back to codes: to the first code with the value, or to the one named here. */
function reverse<T>(valueOf: (row: BorderTraits) => T, named: readonly (readonly [T, ErrorCode])[]): Map<T, ErrorCode> {
  const meant = new Map<T, ErrorCode>();
  for (const code in borders) {
    if (!isErrorCode(code)) continue;
    const value = valueOf(borders[code]);
    if (!meant.has(value)) meant.set(value, code);
  }
  for (const [value, code] of named) meant.set(value, code);
  return meant;
}

const byCondition: ReadonlyMap<string, ErrorCode> = reverse(
  ({ amqpCondition }) => amqpCondition,
  [
    ["amqp:decode-error", "DecodeFailed"],
    ["amqp:resource-deleted", "MessagingEntityNotFound"],
    ["com.microsoft:operation-cancelled", "GeneralError"],
    ["com.microsoft:auth-failed", "UnauthorizedAccess"],
    ["com.microsoft:argument-out-of-range", "InvalidArgument"],
    ["amqp:illegal-state", "GeneralError"],
    ["amqp:transaction:unknown-id", "InvalidOperation"],
    ["amqp:transaction:rollback", "InvalidOperation"],
    ["amqp:precondition-failed", "InvalidOperation"],
    ["amqp:invalid-field", "InvalidArgument"],
    ["amqp:connection:framing-error", "ServiceCommunicationProblem"],
  ],
);

/** The code of a broker's error condition, as the official clients interpret it. */
export const codeOfCondition = (condition: string): ErrorCode => byCondition.get(condition) ?? "GeneralError";

const byStatus: ReadonlyMap<number, ErrorCode> = reverse(
  ({ httpStatus }) => httpStatus,
  [
    [403, "UnauthorizedAccess"],
    [404, "MessagingEntityNotFound"],
    [408, "ServiceTimeout"],
    [422, "DecodeFailed"],
    [429, "ServiceBusy"],
  ],
);

/** The code of an HTTP status. */
export const codeOfStatus = (status: number): ErrorCode => byStatus.get(status) ?? "GeneralError";

/** Whether a string is one of the codes. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === "string" && Object.hasOwn(borders, text);
}
