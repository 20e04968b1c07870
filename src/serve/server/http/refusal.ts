import { SobreError } from "../../../core/errors/sobre-error.ts";
import { errorTraits } from "../../../core/errors/traits.ts";
import { escaped } from "../../../wire/http/xml.ts";
import type { HttpResponse } from "./http-message.ts";

/**
 * An error in the form of the service, with a tracking id.
 *
 * @param failed Called with an error that the client must not see.
 */
export function refusalOf(error: unknown, failed?: (error: unknown, trackingId: string) => void): HttpResponse {
  if (error instanceof SobreError) return refusalResponse(statusOf(error), error.message, error.trackingId);
  const trackingId = crypto.randomUUID();
  failed?.(error, trackingId);
  return refusalResponse(500, `The server failed; its log has the details. TrackingId: ${trackingId}`, trackingId);
}

/** Over HTTP, a lost lock is reported as a message that does not exist. */
function statusOf({ code }: SobreError): number {
  return code === "MessageLockLost" || code === "SessionLockLost" ? 404 : errorTraits(code).httpStatus;
}

/** A response that refuses a request; `trackingId` is one that the text already contains. */
export function refusalResponse(status: number, text: string, trackingId?: string): HttpResponse {
  const detail = trackingId === undefined ? `${text} TrackingId: ${crypto.randomUUID()}` : text;
  return {
    status,
    headers: { "content-type": "application/xml; charset=utf-8" },
    body: `<Error><Code>${status}</Code><Detail>${escaped(detail)}</Detail></Error>`,
  };
}

/** The refusal of a method that the path does not support. */
export function notAllowed(allow: string): HttpResponse {
  const refused = refusalResponse(405, `This path supports only ${allow}.`);
  return { ...refused, headers: { ...refused.headers, allow } };
}
