import { messageProperties } from "./message-properties.ts";
import { checkOption, invalidOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { ApplicationProperties } from "../envelope/application-properties.ts";

/** The position of a message in a distributed trace (W3C Trace Context, Baggage). */
export interface TraceContext {
  /** E.g. `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/**
 * Version, trace id, parent id, flags; versions above 00 may continue after another hyphen (W3C Trace Context, 3.2).
 */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** Whether a string is a traceparent. */
export function isTraceparent(text: unknown): text is string {
  if (typeof text !== "string" || text.length > 512) return false;
  const [, version, more] = form.exec(text) ?? [];
  return version !== undefined && (version !== "00" || more === undefined);
}

/**
 * The trace context of a message: its `traceparent`, or else its `Diagnostic-Id`; `undefined` if there is no valid one.
 */
export function readTraceContext(properties: ApplicationProperties): TraceContext | undefined {
  checkOption("properties", properties, is.object);
  const { traceparent: own, tracestate, baggage } = properties;
  const traceparent = [own, properties[messageProperties.diagnosticId]].find(isTraceparent);
  if (traceparent === undefined) return undefined;
  return {
    traceparent,
    // A tracestate belongs to the traceparent next to it.
    tracestate: traceparent === own && typeof tracestate === "string" ? tracestate : undefined,
    baggage: typeof baggage === "string" ? baggage : undefined,
  };
}

/** The application properties for a trace context: those of W3C, and `Diagnostic-Id` for older readers. */
export function traceProperties(context: TraceContext): Readonly<Record<string, string>> {
  if (typeof context !== "object" || context === null) throw invalidOption("context", "must be an object");
  const { traceparent, tracestate, baggage } = context;
  return {
    traceparent,
    [messageProperties.diagnosticId]: traceparent,
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  };
}
