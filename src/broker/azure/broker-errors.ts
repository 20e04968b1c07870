import type { WireError } from "../../wire/amqp/connection/wire-fault.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { codeOfCondition, codeOfStatus } from "../../core/errors/traits.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The SobreError for a broker's error: code, text and tracking id. */
export function brokerError({ condition, description = "" }: WireError): SobreError {
  return errorWithTrackingId(
    codeOf(condition, description),
    description === "" ? `The broker reported ${condition}.` : description,
  );
}

function codeOf(condition: string, description: string): ErrorCode {
  // The text is part of the protocol.
  if (condition === "amqp:not-found")
    return /messaging entity .* could not be found/i.test(description)
      ? "MessagingEntityNotFound"
      : "ServiceCommunicationProblem";
  return codeOfCondition(condition);
}

/** The error of an answer with a status but no condition. */
export function statusError(status: number, description: string): SobreError {
  return errorWithTrackingId(
    codeOfStatus(status),
    description === "" ? `The broker answered with status ${status}.` : description,
  );
}

function errorWithTrackingId(code: ErrorCode, text: string): SobreError {
  const [, trackingId] = /TrackingId:\s*([\w-]+)/.exec(text) ?? [];
  return new SobreError(code, text, { trackingId });
}

/** The rejection of calls that wait on a lost connection. */
export const connectionLost = (reason: string): SobreError =>
  new SobreError("ServiceCommunicationProblem", `The connection to the broker was lost: ${reason} Retry.`);
