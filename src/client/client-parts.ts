import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import type { Engine } from "../engine/engine.ts";
import type { Message } from "../codec/message.ts";
import type { BrokerProperties } from "../envelope/broker-properties.ts";
import type { Clock } from "../time/clock.ts";
import type { Retry } from "./retry.ts";
import type { Tracing } from "./tracing.ts";

/** State that the senders and receivers of a client share. */
export interface ClientParts {
  readonly engine: Engine;
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
  readonly clock: Clock;
  readonly retry: Retry;
  readonly tracing: Tracing | undefined;
  readonly replies: RepliesPort;
  /** Called when a sender or receiver has closed, so that the client forgets it. */
  readonly closed: () => void | Promise<void>;
}

/** The properties of a message that its replies need. */
export type Answerable = Pick<BrokerProperties, "replyTo" | "replyToSessionId" | "messageId" | "correlationId">;

/** Sends the replies to messages. */
export interface RepliesPort {
  send(request: Answerable, reply: Message): Promise<void>;
}
