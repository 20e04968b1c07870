import type { WireError } from "../../amqp/connection/wire-fault.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { SobreError } from "../../errors/sobre-error.ts";

/** The codes of a broker's error conditions, as the official clients interpret them. */
const codes: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["com.microsoft:message-lock-lost", "MessageLockLost"],
  ["com.microsoft:session-lock-lost", "SessionLockLost"],
  ["com.microsoft:session-cannot-be-locked", "SessionCannotBeLocked"],
  ["com.microsoft:message-not-found", "MessageNotFound"],
  ["com.microsoft:entity-already-exists", "MessagingEntityAlreadyExists"],
  ["com.microsoft:entity-disabled", "MessagingEntityDisabled"],
  ["com.microsoft:server-busy", "ServiceBusy"],
  ["com.microsoft:timeout", "ServiceTimeout"],
  ["com.microsoft:auth-failed", "UnauthorizedAccess"],
  ["com.microsoft:argument-error", "InvalidArgument"],
  ["com.microsoft:argument-out-of-range", "InvalidArgument"],
  ["com.microsoft:operation-cancelled", "GeneralError"],
  ["amqp:unauthorized-access", "UnauthorizedAccess"],
  ["amqp:not-allowed", "InvalidOperation"],
  ["amqp:transaction:unknown-id", "InvalidOperation"],
  ["amqp:precondition-failed", "InvalidOperation"],
  ["amqp:invalid-field", "InvalidArgument"],
  ["amqp:not-implemented", "UnsupportedCapability"],
  ["amqp:resource-limit-exceeded", "QuotaExceeded"],
  ["amqp:link:message-size-exceeded", "MessageSizeExceeded"],
  ["amqp:decode-error", "DecodeFailed"],
  ["amqp:connection:forced", "ServiceCommunicationProblem"],
  ["amqp:connection:framing-error", "ServiceCommunicationProblem"],
]);

/** The error of a broker as a caller gets it: code, text and the id it is tracked by. */
export function brokerError({ condition, description = "" }: WireError): SobreError {
  return told(codeOf(condition, description), description === "" ? `The broker says ${condition}.` : description);
}

function codeOf(condition: string, description: string): ErrorCode {
  // The text is part of the protocol.
  if (condition === "amqp:not-found")
    return /messaging entity .* could not be found/i.test(description)
      ? "MessagingEntityNotFound"
      : "ServiceCommunicationProblem";
  return codes.get(condition) ?? "GeneralError";
}

const byStatus: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [400, "InvalidArgument"],
  [401, "UnauthorizedAccess"],
  [403, "UnauthorizedAccess"],
  [404, "MessagingEntityNotFound"],
  [408, "ServiceTimeout"],
  [409, "MessagingEntityAlreadyExists"],
  [410, "MessageLockLost"],
  [413, "MessageSizeExceeded"],
  [429, "ServiceBusy"],
  [503, "ServiceBusy"],
]);

/** The error of an answer that has a status and no condition. */
export function statusError(status: number, description: string): SobreError {
  const code = byStatus.get(status) ?? "GeneralError";
  return told(code, description === "" ? `The broker has answered with the status ${status}.` : description);
}

function told(code: ErrorCode, text: string): SobreError {
  const [, trackingId] = /TrackingId:\s*([\w-]+)/.exec(text) ?? [];
  return new SobreError(code, text, { trackingId });
}

/** The rejection of everything that waits for a lost connection. */
export const connectionLost = (reason: string): SobreError =>
  new SobreError("ServiceCommunicationProblem", `The connection to the broker was lost: ${reason} Try again.`);

export const closedError = (what: string): SobreError =>
  new SobreError("Closed", `The ${what} was closed before. Open a new one.`);
