import type { MessageId } from "../../core/envelope/broker-properties.ts";

/** The kind of a link: a sender's, a receiver's or processor's, or one that accepts sessions. */
export type LinkKind = "sender" | "receiver" | "session";

interface OnEntity<Type extends string> {
  readonly type: Type;
  readonly entityPath: string;
}

/** Something that happened to a client, for `createClient({ onEvent })`; it never contains a body. */
export type ClientEvent =
  | ConnectedEvent
  | DisconnectedEvent
  | RetryingEvent
  | LockLostEvent
  | PausedEvent
  | ResumedEvent
  | ProcessorEndedEvent;

/** A link was opened, for the first time or again. */
export interface ConnectedEvent extends OnEntity<"connected"> {
  readonly link: LinkKind;
}

/** A link was lost or could not be opened. It is reported once, until the link is open again. */
export interface DisconnectedEvent extends OnEntity<"disconnected"> {
  readonly link: LinkKind;
  readonly error: unknown;
}

/** A call, or the loop of a processor, failed and is tried again after a wait. */
export interface RetryingEvent extends OnEntity<"retrying"> {
  readonly error: unknown;
  /** The number of failures in a row. */
  readonly attempt: number;
  readonly delayInMs: number;
}

/** The lock of a message, or of a session and all its messages, was lost: others may have received them. */
export interface LockLostEvent extends OnEntity<"lockLost"> {
  readonly messageId: MessageId | undefined;
  readonly sessionId: string | undefined;
  readonly error: unknown;
}

/** A processor pauses: by `pauseWhen`, or because a store or key service is unavailable. Each failed trial pauses again. */
export interface PausedEvent extends OnEntity<"paused"> {
  readonly pauseInMs: number;
  /** The number of pauses in a row. */
  readonly failures: number;
}

/** A paused processor has handled a message and goes on. */
export type ResumedEvent = OnEntity<"resumed">;

/** A processor ended by itself, e.g. because its entity is missing: it receives nothing until it is started again. */
export interface ProcessorEndedEvent extends OnEntity<"processorEnded"> {
  readonly error: unknown;
}
