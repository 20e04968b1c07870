import type { Message } from "../codec/message.ts";
import type { Settlement } from "../engine/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import type { Envelope } from "../envelope/envelope.ts";

/** The operation on a message: sent, or handled. */
export interface TracedOperation {
  readonly entityPath: string;
  /** Name of the engine, e.g. `memory`. */
  readonly engine: string;
  /** Whether the messages went as one batch. */
  readonly messageCount: number;
  /** Where the broker is on a network. */
  readonly server?: { readonly address: string; readonly port: number } | undefined;
}

/** The end of a traced operation. */
export interface TracedSpan {
  /** Ends it well, or with what went wrong. */
  end(error?: unknown): void;
}

/** Follows messages from sender to handler; `openTelemetry()` makes one. */
export interface Tracing {
  /** The message with the context of the sender written into its application properties. */
  inject(message: Message, operation: TracedOperation): Message;
  /** Begins the sending of messages, and links it to the contexts that they carry. */
  startSend(operation: TracedOperation, envelopes?: readonly Envelope[]): TracedSpan;
  /** Begins the settlement of a message. Left out, settlements are not traced. */
  startSettle?(operation: TracedOperation, envelope: Envelope, settlement: Settlement["kind"]): TracedSpan;
  /** Runs what is done for a message, a refusal too, as a continuation of the context that the message carries. */
  process<T>(operation: TracedOperation, envelope: Envelope, run: () => Promise<T>): Promise<T>;
}

/** An operation on one message of an entity. */
export function operationOn({ name, server }: Engine, entityPath: string): TracedOperation {
  return { entityPath, engine: name, messageCount: 1, server };
}
