import type { EngineSender, SendOptions } from "../../core/engine/engine.ts";
import { checkEnvelopes } from "../../core/engine/arguments.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { done } from "../policy/answer.ts";
import type { LinkOwner } from "../policy/broker-verbs.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { Incoming } from "../policy/incoming.ts";
import type { SendRoute } from "../policy/router.ts";
import { type Holder, takenFrom } from "./bytes/handed-envelope.ts";
import type { EntityContents } from "./entity.ts";
import type { NamespaceHome } from "./namespace.ts";
import { type MemoryTransaction, sendOperation } from "./transaction.ts";

/** A message as sent. */
export const sent = (holder: Holder, given: Envelope): Incoming<bigint> => ({
  envelope: takenFrom(holder, given),
  size: sizeOfEnvelope(given),
  hops: 0,
  enqueuedSequenceNumber: undefined,
  deadLetter: undefined,
});

/** The sending end of a link to a queue or topic. */
export class MemorySender implements EngineSender {
  protected route: SendRoute<EntityContents>;
  readonly #home: NamespaceHome;
  readonly #holder: Holder;
  readonly #owner: LinkOwner<MemoryTransaction>;
  #closed = false;

  constructor(
    home: NamespaceHome,
    route: SendRoute<EntityContents>,
    holder: Holder,
    owner: LinkOwner<MemoryTransaction>,
  ) {
    this.#home = home;
    this.route = route;
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
      cost = this.#check(messages, 0);
    } catch (error) {
      if (options?.settled === true) return;
      throw error;
    }
    if (options?.transaction === undefined) {
      this.#home.namespace.router.send(this.route, messages, now);
      return;
    }
    const operation = sendOperation(this.#first.meter.memory, cost, {
      check: (reservations) => reservations.reserve(this.#first, (reserved) => this.#check(messages, reserved)),
      apply: (later) => this.#home.namespace.router.send(this.route, messages, later),
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
    return this.route.through ?? this.route.target;
  }

  #check(messages: readonly Incoming<bigint>[], reserved: number): number {
    this.#first.queue("messages").checkAlive();
    return this.#home.namespace.router.check(this.route, messages, reserved);
  }
}
