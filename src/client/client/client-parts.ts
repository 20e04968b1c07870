import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { Message } from "../../core/codec/message.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Retry } from "./retry.ts";
import type { EntitySignals } from "./signals.ts";
import type { Tracing } from "./tracing.ts";

/** State that the senders and receivers of a client share. */
export interface ClientParts {
  readonly engine: Engine;
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly clock: Clock;
  readonly retry: Retry;
  readonly tracing: Tracing | undefined;
  /** Events and counts; those of one entity, see {@link partsAt}. */
  readonly signals: EntitySignals;
  readonly replies: RepliesPort;
  /**
   * Sends a requester the failure of its request; never rejects. Resolves to whether it was sent. Only in responders.
   */
  readonly fault?: ((request: Envelope, error: unknown) => Promise<boolean>) | undefined;
  /** Called when a sender or receiver has closed, so that the client forgets it. */
  readonly closed: () => void | Promise<void>;
}

/** The properties of a message that its replies need. */
export type Answerable = Pick<BrokerProperties, "replyTo" | "replyToSessionId" | "messageId" | "correlationId">;

/** Sends the replies to messages. */
export interface RepliesPort {
  send(request: Answerable, reply: Message): Promise<void>;
  /** Sends a fault. */
  fail(request: Answerable, error: unknown): Promise<void>;
}

/** The parts of a client whose events and counts are those of an entity. */
export function partsAt<Parts extends Pick<ClientParts, "retry" | "signals">>(parts: Parts, entityPath: string): Parts {
  const signals = parts.signals.at(entityPath);
  return { ...parts, signals, retry: parts.retry.reporting(signals.retrying) };
}
