import type { AmqpMap } from "../../../core/values/typed.ts";
import { cut } from "../../../core/errors/cut.ts";
import { errorTraits } from "../../../core/errors/traits.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";

/** The error of a detach, end, close or rejected delivery (AMQP 1.0 part 2.8.14). */
export interface WireError {
  /** A symbol, e.g. `amqp:not-found`. */
  readonly condition: string;
  readonly description?: string | undefined;
  readonly info?: AmqpMap | undefined;
}

/** A protocol violation by the peer, which ends a connection or a session. */
export class WireFault extends Error {
  readonly condition: string;
  /** Whether only the session ends; otherwise the connection does. */
  readonly scope: "connection" | "session";

  constructor(condition: string, message: string, scope: "connection" | "session" = "connection") {
    super(message);
    this.condition = condition;
    this.scope = scope;
  }
}

/** The longest description that is sent: it fits into a frame of the minimum size. */
const maxDescriptionLength = 400;

/**
 * {@link wireErrorOf} with a tracking id at the end of its text: the one given, the error's own, or a new one.
 *
 * @param failed Called with an error that is not one for the peer.
 */
export function trackedErrorOf(
  error: unknown,
  failed?: (error: unknown, trackingId: string) => void,
  trackingId?: string,
): WireError {
  const own = error instanceof SobreError ? error.trackingId : undefined;
  const id = trackingId ?? own ?? crypto.randomUUID();
  const mark = ` TrackingId: ${id}`;
  const { condition, description = "" } = wireErrorOf(error, maxDescriptionLength - mark.length, own);
  if (!(error instanceof SobreError || error instanceof WireFault)) failed?.(error, id);
  return { condition, description: `${description}${mark}` };
}

/** The form of an error that is sent to a peer. */
export function wireErrorOf(error: unknown, longest: number = maxDescriptionLength, trackingId?: string): WireError {
  if (error instanceof WireFault) return { condition: error.condition, description: cut(error.message, longest) };
  if (error instanceof SobreError) {
    const text = trackingId === undefined ? error.message : error.message.replace(` TrackingId: ${trackingId}`, "");
    return { condition: errorTraits(error.code).amqpCondition, description: cut(text, longest) };
  }
  return { condition: "amqp:internal-error", description: "The server failed; its log has the details." };
}
