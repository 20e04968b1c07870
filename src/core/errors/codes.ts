/**
 * The closed list of codes of {@link SobreError}.
 *
 * The first group are the codes of `@azure/service-bus` (`ServiceBusError.code`), with its spelling; the rest are ours.
 */
export type ErrorCode =
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
  | "UnauthorizedAccess"
  /** A parameter, option or property has an invalid value. */
  | "InvalidArgument"
  /** The call is valid, but not now or not on this object. */
  | "InvalidOperation"
  /** The content type does not follow RFC 2045 section 5.1. */
  | "InvalidContentType"
  /** No codec is registered for the content type, or there is none. */
  | "UnknownContentType"
  /** The content type is known but not on the `accept` list. */
  | "ContentTypeNotAccepted"
  /** The codec does not support the charset in the content type. */
  | "UnknownCharset"
  /** No stage removes the compression that the content encoding names. */
  | "UnknownContentEncoding"
  /** The bytes violate the rules of their format. */
  | "DecodeFailed"
  /** The bytes end before the value does. */
  | "TruncatedPayload"
  /** A complete value was read but bytes are left over. */
  | "TrailingBytes"
  /** A size, depth, item or ratio limit was exceeded. */
  | "LimitExceeded"
  /** The payload needs a message type that is not named or not in the schema. */
  | "UnknownMessageType"
  /** The message has a version that its type does not have here. */
  | "UnknownMessageVersion"
  /** A step between two versions of a message type failed or is missing. */
  | "UpcastFailed"
  /** The ciphertext was changed or truncated, or belongs to other metadata. */
  | "DecryptionFailed"
  /** The payload is encrypted with an unknown key. */
  | "UnknownKey"
  /** The payload is unencrypted where encryption is required. */
  | "PlaintextRefused"
  /** The claim-check payload is no longer in its store. */
  | "PayloadNotFound"
  /** A value to encode cannot be represented in the format. */
  | "UnsupportedValue"
  /** All decoders that were allowed to try have failed; see the attempts. */
  | "Unreadable"
  /** The value was read but does not match its schema. */
  | "ValidationFailed"
  /** The engine does not support the capability. */
  | "UnsupportedCapability"
  /** A responder failed on the request; its code is the error's `reason`. */
  | "RequestFailed"
  /** The operation was aborted by the caller's `AbortSignal`. */
  | "Aborted"
  /** The client, link or engine is closed. */
  | "Closed";

// All codes that begin with "Service" are retryable; listing them would cost bytes in every browser bundle.
const retryable = /^(?:GeneralError$|Service|UnauthorizedAccess$)/;

/** Whether the same call may succeed when retried after an error with this code, as in the official clients. */
export function isRetryable(code: ErrorCode): boolean {
  return retryable.test(code);
}
