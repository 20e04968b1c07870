/**
 * Every code a {@link SobreError} can carry: the closed list.
 *
 * The first group are the codes of `@azure/service-bus` (`ServiceBusError.code`), with its spelling; the rest are ours.
 */
export type ErrorCode = AzureErrorCode | OwnErrorCode;

type AzureErrorCode =
  | "GeneralError"
  | "MessageLockLost"
  | "MessageNotFound"
  | "MessageSizeExceeded"
  | "MessagingEntityAlreadyExists"
  | "MessagingEntityDisabled"
  | "MessagingEntityNotFound"
  | "QuotaExceeded"
  | "ServiceBusy"
  | "ServiceCommunicationProblem"
  | "ServiceTimeout"
  | "SessionCannotBeLocked"
  | "SessionLockLost"
  | "UnauthorizedAccess";

type OwnErrorCode =
  /** A parameter, option or property has a value that its contract forbids. */
  | "InvalidArgument"
  /** The call is legal, but not now or not on this object. */
  | "InvalidOperation"
  /** The content type does not follow RFC 2045 section 5.1. */
  | "InvalidContentType"
  /** No codec is registered for the content type, or there is none. */
  | "UnknownContentType"
  /** The content type is known, but not on the `accept` list. */
  | "ContentTypeNotAccepted"
  /** The charset parameter names no charset that the codec reads. */
  | "UnknownCharset"
  /** The content encoding names no compression that a stage removes. */
  | "UnknownContentEncoding"
  /** The bytes break the rules of their format. */
  | "DecodeFailed"
  /** The bytes end before the value does. */
  | "TruncatedPayload"
  /** A whole value was read and bytes are left over. */
  | "TrailingBytes"
  /** A size, depth, item or ratio budget was used up. */
  | "LimitExceeded"
  /** The payload needs a message type that nobody named or that is not in the schema. */
  | "UnknownMessageType"
  /** A value to encode has no faithful form in the format. */
  | "UnsupportedValue"
  /** Every decoder that was allowed to try has failed; the attempts say why. */
  | "Unreadable"
  /** The value was read, and its schema refuses it. */
  | "ValidationFailed"
  /** The engine declares the capability as refused. */
  | "UnsupportedCapability"
  /** The caller's `AbortSignal` ended the operation. */
  | "Aborted"
  /** The client, link or engine was closed before. */
  | "Closed";

/** What a code means to the borders: whether a client may try again, and its AMQP and HTTP forms. */
export interface ErrorTraits {
  readonly retryable: boolean;
  readonly amqpCondition: string;
  readonly httpStatus: number;
}

const traits = (amqpCondition: string, httpStatus: number, retryable = false): ErrorTraits => ({
  retryable,
  amqpCondition,
  httpStatus,
});
const unreadable = traits("amqp:decode-error", 422);
const misuse = traits("amqp:not-allowed", 400);

/**
 * The one table from code to traits.
 *
 * Conditions and retryability are those the official clients map back to the same code
 * (`ServiceBusError` of `@azure/service-bus` 7.9).
 */
export const errorTraits: Readonly<Record<ErrorCode, ErrorTraits>> = {
  GeneralError: traits("amqp:internal-error", 500, true),
  MessageLockLost: traits("com.microsoft:message-lock-lost", 410),
  MessageNotFound: traits("com.microsoft:message-not-found", 404),
  MessageSizeExceeded: traits("amqp:link:message-size-exceeded", 413),
  MessagingEntityAlreadyExists: traits("com.microsoft:entity-already-exists", 409),
  MessagingEntityDisabled: traits("com.microsoft:entity-disabled", 403),
  MessagingEntityNotFound: traits("amqp:not-found", 404),
  QuotaExceeded: traits("amqp:resource-limit-exceeded", 403),
  ServiceBusy: traits("com.microsoft:server-busy", 503, true),
  ServiceCommunicationProblem: traits("amqp:connection:forced", 502, true),
  ServiceTimeout: traits("com.microsoft:timeout", 504, true),
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
  UnsupportedValue: misuse,
  Unreadable: unreadable,
  ValidationFailed: unreadable,
  UnsupportedCapability: traits("amqp:not-implemented", 501),
  Aborted: traits("com.microsoft:operation-cancelled", 499),
  Closed: traits("amqp:illegal-state", 409),
};
