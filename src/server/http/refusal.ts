import { SobreError } from "../../errors/sobre-error.ts";
import { errorTraits } from "../../errors/traits.ts";
import { escaped } from "../../http/xml.ts";
import type { HttpResponse } from "./http-message.ts";

/**
 * An error in the form of the service, with a tracking id.
 *
 * @param failed Called with an error that is not one for the client.
 */
export function refusalOf(error: unknown, failed?: (error: unknown, trackingId: string) => void): HttpResponse {
  if (error instanceof SobreError) return refusalResponse(statusOf(error), error.message, error.trackingId);
  const trackingId = crypto.randomUUID();
  failed?.(error, trackingId);
  return refusalResponse(500, `The server failed. See its log for more. TrackingId: ${trackingId}`, trackingId);
}

/** Over HTTP a lost lock is a message that is not there. */
function statusOf({ code }: SobreError): number {
  return code === "MessageLockLost" || code === "SessionLockLost" ? 404 : errorTraits(code).httpStatus;
}

/** A refusal in words; `trackingId` is an id that they have already. */
export function refusalResponse(status: number, text: string, trackingId?: string): HttpResponse {
  const detail = trackingId === undefined ? `${text} TrackingId: ${crypto.randomUUID()}` : text;
  return {
    status,
    headers: { "content-type": "application/xml; charset=utf-8" },
    body: `<Error><Code>${status}</Code><Detail>${escaped(detail)}</Detail></Error>`,
  };
}

/** The refusal of a method at a path that has others. */
export function notAllowed(allow: string): HttpResponse {
  const refused = refusalResponse(405, `This path takes ${allow} alone.`);
  return { ...refused, headers: { ...refused.headers, allow } };
}
