import type { Message } from "../../core/codec/message.ts";
import type { Settlement } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";

/** An operation on a message, e.g. sending or handling it. */
export interface TracedOperation {
  readonly entityPath: string;
  /** Name of the engine, e.g. `memory`. */
  readonly engine: string;
  /** The number of messages in the operation. */
  readonly messageCount: number;
  /** The network address of the broker. */
  readonly server?: { readonly address: string; readonly port: number } | undefined;
}

/** The end of a traced operation. */
export interface TracedSpan {
  /** Ends it, with an error if it failed. */
  end(error?: unknown): void;
}

/** Traces messages from sender to handler; created by `openTelemetry()`. */
export interface Tracing {
  /** Returns the message with the sender's trace context in its application properties. */
  inject(message: Message, operation: TracedOperation): Message;
  /** Starts the span of a send, linked to the contexts that the messages carry. */
  startSend(operation: TracedOperation, envelopes?: readonly Envelope[]): TracedSpan;
  /** Starts the span of a settlement. When omitted, settlements are not traced. */
  startSettle?(operation: TracedOperation, envelope: Envelope, settlement: Settlement["kind"]): TracedSpan;
  /** Runs the handling of a message, including its refusal, in the context that the message carries. */
  process<T>(operation: TracedOperation, envelope: Envelope, run: () => Promise<T>): Promise<T>;
}

/** An operation on one message of an entity. */
export function operationOn({ name, server }: Engine, entityPath: string): TracedOperation {
  return { entityPath, engine: name, messageCount: 1, server };
}
