import type { EngineSender, SendOptions } from "../../core/engine/engine.ts";
import { checkEnvelopes } from "../../core/engine/arguments.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { done } from "../policy/answer.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { Incoming } from "../policy/incoming.ts";
import { checkBatchKeys } from "../policy/partitions.ts";
import { checkSessionIds, type SendRoute } from "../policy/router.ts";
import { type HoldingConnection, takenFrom } from "./bytes/handed-envelope.ts";
import type { EntityContents } from "./entity.ts";
import type { MemoryRouter } from "./memory-router.ts";
import { type MemoryEngineTransaction, sendOperation } from "./transaction.ts";

/** A message as sent. */
export const sent = (holder: HoldingConnection, given: Envelope): Incoming<bigint> => ({
  envelope: takenFrom(holder, given),
  size: sizeOfEnvelope(given),
  hops: 0,
  enqueuedSequenceNumber: undefined,
  deadLetter: undefined,
});

/** The sending end of a link to a queue or topic. */
export class MemorySender implements EngineSender {
  readonly #router: MemoryRouter;
  readonly #route: SendRoute<EntityContents>;
  readonly #holder: HoldingConnection;
  readonly #owner: LinkOwner<MemoryEngineTransaction>;
  #closed = false;

  constructor(
    router: MemoryRouter,
    route: SendRoute<EntityContents>,
    holder: HoldingConnection,
    owner: LinkOwner<MemoryEngineTransaction>,
  ) {
    this.#router = router;
    this.#route = route;
    this.#holder = holder;
    this.#owner = owner;
  }

  get maxMessageSize(): number {
    return this.#first.settings.maxMessageSizeInBytes;
  }

  send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    try {
      this.#send(envelopes, options);
      return done;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #send(envelopes: readonly Envelope[], options?: SendOptions): void {
    if (this.#closed) throw closed("sender");
    checkEnvelopes(envelopes);
    const now = this.#first.timeline.now();
    const messages = envelopes.map((envelope) => sent(this.#holder, envelope));
    let cost: number;
    try {
      checkBatchKeys(this.#first, messages, this.#route.through !== undefined);
      cost = this.#check(messages, 0);
    } catch (error) {
      if (options?.settled === true) return;
      throw error;
    }
    if (options?.transaction === undefined) {
      this.#router.send(this.#route, messages, now);
      return;
    }
    const operation = sendOperation(this.#first.meter.memory, cost, {
      check: (reservations) => reservations.reserve(this.#first, (reserved) => this.#check(messages, reserved)),
      apply: (later) => this.#router.send(this.#route, messages, later),
    });
    this.#owner.enlisted(options.transaction).add(operation);
  }

  async close(): Promise<void> {
    await this.abort();
  }

  async abort(): Promise<void> {
    this.#closed = true;
    this.#owner.closed(this);
  }

  /** The entity that accepts the messages first. */
  get #first(): SendableEntity<EntityContents> {
    return this.#route.through ?? this.#route.target;
  }

  #check(messages: readonly Incoming<bigint>[], reserved: number): number {
    const first = this.#first;
    first.queue("messages").checkAlive();
    checkSessionIds(this.#route, messages);
    return this.#router.check(first, messages, reserved);
  }
}
