/**
 * Every code a {@link SobreError} can carry: the closed list.
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
  /** The message is of a version that its type does not have here. */
  | "UnknownMessageVersion"
  /** A step between two versions of a message type broke or is missing. */
  | "UpcastFailed"
  /** The ciphertext was changed, cut, or belongs to other metadata. */
  | "DecryptionFailed"
  /** The payload is encrypted with a key that is not at hand. */
  | "UnknownKey"
  /** The payload is plain where only encrypted ones are taken. */
  | "PlaintextRefused"
  /** The payload was stored apart from the message and is not there any more. */
  | "PayloadNotFound"
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

// Every code that begins with "Service" is such a one; a list of them would weigh on every browser bundle.
const retryable = /^(?:GeneralError$|Service|UnauthorizedAccess$)/;

/** Whether the same call may succeed when tried again after an error of this code, as the official clients judge it. */
export function isRetryable(code: ErrorCode): boolean {
  return retryable.test(code);
}
