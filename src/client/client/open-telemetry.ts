import { messageProperties } from "../../core/message/message-properties.ts";
import { readTraceContext, traceProperties } from "../../core/message/trace-context.ts";
import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { MessageId } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { TracedOperation, Tracing } from "./tracing.ts";

/** The part of `@opentelemetry/api` that is used; only applications that trace need that package. */
export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan, SpanContext = unknown> {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: OpenTelemetrySpanOptions<SpanContext>, context: Context): Span;
    };
    setSpan(context: Context, span: Span): Context;
    getSpanContext(context: Context): SpanContext | undefined;
  };
  readonly context: {
    active(): Context;
    with<T>(context: Context, run: () => T): T;
  };
  readonly propagation: {
    inject(context: Context, carrier: Record<string, string>): void;
    extract(context: Context, carrier: Record<string, string>): Context;
  };
  readonly SpanKind: { readonly CLIENT: number; readonly PRODUCER: number; readonly CONSUMER: number };
  readonly SpanStatusCode: { readonly ERROR: number };
}

/** The part of a span that is used. */
export interface OpenTelemetrySpan {
  setAttribute(name: string, value: string): unknown;
  setStatus(status: { code: number }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** The attributes and links of a new span. */
export interface OpenTelemetrySpanOptions<SpanContext = unknown> {
  readonly kind: number;
  readonly attributes: Record<string, string | number>;
  readonly links?: { readonly context: SpanContext }[];
}

/**
 * Traces with OpenTelemetry and its messaging conventions: `createClient({ tracing: openTelemetry(api), … })` with
 * `import * as api from "@opentelemetry/api"`.
 *
 * Every message carries the context of a `create` span, to which the `send` span of its batch is linked. Every handler
 * runs in a `process` span that continues the context, including baggage; so does `processError`, even for an
 * unreadable message. Each settlement has its own span.
 *
 * @throws SobreError `InvalidArgument` when `api` is not that package.
 */
export function openTelemetry<Context, Span extends OpenTelemetrySpan, SpanContext>(
  api: OpenTelemetryApi<Context, Span, SpanContext>,
): Tracing {
  for (const part of ["trace", "context", "propagation", "SpanKind", "SpanStatusCode"]) {
    checkOption("api", api, (value) =>
      hasPart(value, part)
        ? undefined
        : `must be the whole of @opentelemetry/api (import * as api); ${part} is missing`,
    );
  }
  const { trace, context, propagation, SpanKind } = api;
  const tracer = trace.getTracer("sobre");
  const start = (
    kind: Kind,
    operation: TracedOperation,
    parent: Context,
    more: Partial<Started<SpanContext>> = {},
  ): Span =>
    tracer.startSpan(
      `${more.name ?? kind} ${operation.entityPath}`,
      {
        kind: SpanKind[spanKinds[kind]],
        attributes: { ...attributesOf(kind, operation, more.name), ...more.attributes },
        ...(more.links !== undefined && more.links.length > 0 && { links: more.links }),
      },
      parent,
    );
  const carriedBy = ({ applicationProperties }: Envelope): Context => {
    const carried = readTraceContext(applicationProperties);
    return propagation.extract(context.active(), carried === undefined ? {} : { ...traceProperties(carried) });
  };
  const linksTo = (envelopes: readonly Envelope[]): { context: SpanContext }[] =>
    envelopes.slice(0, maxLinks).flatMap((envelope) => {
      if (readTraceContext(envelope.applicationProperties) === undefined) return [];
      const linked = trace.getSpanContext(carriedBy(envelope));
      return linked === undefined ? [] : [{ context: linked }];
    });
  const end = (span: Span, error?: unknown): void => {
    if (error !== undefined) {
      span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.setAttribute("error.type", typeOf(error));
      if (error instanceof Error) span.recordException(error);
    }
    span.end();
  };
  return {
    inject(message, operation) {
      checkOption("message", message, is.object);
      checkOption("operation", operation, anOperation);
      const carried = message.applicationProperties ?? {};
      // A context that the message already carries is kept: with two contexts, readers would see different traces.
      if (carried["traceparent"] !== undefined || carried[messageProperties.diagnosticId] !== undefined) return message;
      const span = start("create", operation, context.active());
      const carrier: Record<string, string> = {};
      propagation.inject(trace.setSpan(context.active(), span), carrier);
      span.end();
      const { traceparent, tracestate, baggage } = carrier;
      if (traceparent === undefined) return message;
      const own = traceProperties({ traceparent, tracestate, baggage });
      return { ...message, applicationProperties: { ...own, ...message.applicationProperties } };
    },
    startSend(operation, envelopes = []) {
      checkOption("operation", operation, anOperation);
      checkOption("envelopes", envelopes, is.listOf("envelopes", is.envelope));
      const links = linksTo(envelopes);
      const [only] = envelopes;
      const attributes = only !== undefined && envelopes.length === 1 ? messageAttributes(only) : {};
      const span = start("send", operation, context.active(), { links, attributes });
      return { end: (error) => end(span, error) };
    },
    startSettle(operation, envelope, settlement) {
      checkOption("operation", operation, anOperation);
      checkOption("envelope", envelope, is.envelope);
      checkOption("settlement", settlement, is.text);
      const links = linksTo([envelope]);
      const attributes = messageAttributes(envelope);
      const span = start("settle", operation, context.active(), { name: settleName(settlement), links, attributes });
      return { end: (error) => end(span, error) };
    },
    async process(operation, envelope, run) {
      checkOption("operation", operation, anOperation);
      checkOption("envelope", envelope, is.envelope);
      checkOption("run", run, is.aFunction);
      const parent = carriedBy(envelope);
      const span = start("process", operation, parent, { attributes: messageAttributes(envelope) });
      try {
        // In the carried context, so that its baggage is available.
        const result = await context.with(trace.setSpan(parent, span), run);
        end(span);
        return result;
      } catch (error) {
        // A handler that throws undefined has failed too.
        end(span, error ?? new TypeError(`${String(error)} was thrown`));
        throw error;
      }
    },
  };
}

type Kind = "create" | "send" | "process" | "settle";

const spanKinds = { create: "PRODUCER", send: "PRODUCER", process: "CONSUMER", settle: "CLIENT" } as const;

/** The name of a settlement in the style of the conventions, e.g. `dead_letter`. */
export const settleName = (settlement: string): string =>
  settlement.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The attributes and links of one span. */
interface Started<SpanContext> {
  /** The name of the operation. Default: its kind. */
  readonly name: string;
  readonly attributes: Record<string, string | number>;
  readonly links: { readonly context: SpanContext }[];
}

/** OpenTelemetry's default limit of links per span. */
const maxLinks = 128;

/** The attributes of one message. */
function messageAttributes({ brokerProperties, applicationProperties }: Envelope): Record<string, string> {
  const { messageId, correlationId } = brokerProperties;
  const type = applicationProperties[messageProperties.type];
  return {
    ...(messageId !== undefined && { "messaging.message.id": idText(messageId) }),
    ...(correlationId !== undefined && { "messaging.message.conversation_id": idText(correlationId) }),
    ...(typeof type === "string" && { "sobre.message.type": type }),
  };
}

const idText = (id: MessageId): string =>
  id instanceof Uint8Array
    ? Array.from(id, (byte) => byte.toString(16).padStart(2, "0")).join("")
    : String(id.valueOf());

const anOperation = is.having("an operation", { entityPath: is.text, engine: is.text, messageCount: is.number });

function hasPart(api: unknown, part: string): boolean {
  if (typeof api !== "object" || api === null) return false;
  const value: unknown = Reflect.get(api, part);
  return typeof value === "object" && value !== null;
}

/** The value of `messaging.system` for an engine. */
export const systemOf = (engine: string): string => (engine === "azure" ? "servicebus" : engine);

/** Semantic conventions for messaging spans. */
function attributesOf(
  kind: Kind,
  { engine, entityPath, messageCount, server }: TracedOperation,
  name: string = kind,
): Record<string, string | number> {
  return {
    "messaging.system": systemOf(engine),
    "messaging.destination.name": entityPath,
    "messaging.operation.type": kind,
    "messaging.operation.name": name,
    ...(server !== undefined && { "server.address": server.address, "server.port": server.port }),
    ...(messageCount > 1 && { "messaging.batch.message_count": messageCount }),
  };
}

/** The value of `error.type`. */
export function typeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : typeof error;
}
