import type { EngineSender, SendOptions, Transaction } from "../../core/engine/engine.ts";
import { checkEnvelopes } from "../../core/engine/arguments.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { Holder } from "./bytes/handed-envelope.ts";
import { type Incoming, sent } from "./incoming.ts";
import type { Namespace } from "./namespace.ts";
import type { QueueEntity } from "./queue-entity.ts";
import { closed } from "../../core/engine/refusals.ts";
import type { TopicEntity } from "./topic-entity.ts";
import { type MemoryTransaction, sendOperation } from "./transaction.ts";

/** The destination of a sender, and the queue that it sends via. */
export interface Route {
  readonly target: QueueEntity | TopicEntity;
  readonly through: QueueEntity | undefined;
}

/** The connection of a sender. */
export interface SenderConnection extends Holder {
  closed(sender: MemorySender): void;
  transactionOf(transaction: Transaction): MemoryTransaction;
}

/** Shared by all operations that finish synchronously: a promise from an async function would cost a twentieth of a send. */
export const done: Promise<void> = Promise.resolve();

/** The sending end of a link to a queue or topic of the namespace. */
export class MemorySender implements EngineSender {
  readonly #namespace: Namespace;
  readonly #route: Route;
  readonly #connection: SenderConnection;
  #closed = false;

  constructor(namespace: Namespace, route: Route, connection: SenderConnection) {
    this.#namespace = namespace;
    this.#route = route;
    this.#connection = connection;
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
    const now = this.#namespace.timeline.now();
    const messages = envelopes.map((envelope) => sent(this.#connection, envelope));
    let cost: number;
    try {
      cost = this.#check(messages, 0);
    } catch (error) {
      if (options?.settled === true) return;
      throw error;
    }
    if (options?.transaction === undefined) {
      this.#accept(messages, now);
      return;
    }
    const { memory } = this.#first.meter;
    const operation = sendOperation(
      { memory, cost },
      {
        check: (reservations) => reservations.reserve(this.#first, (reserved) => this.#check(messages, reserved)),
        apply: (later) => this.#accept(messages, later),
      },
    );
    this.#connection.transactionOf(options.transaction).add(operation);
  }

  async close(): Promise<void> {
    await this.abort();
  }

  async abort(): Promise<void> {
    this.#closed = true;
    this.#connection.closed(this);
  }

  /** The entity that accepts the messages first. */
  get #first(): QueueEntity | TopicEntity {
    return this.#route.through ?? this.#route.target;
  }

  #check(messages: readonly Incoming[], reserved: number): number {
    const { target, through } = this.#route;
    this.#first.messages.checkAlive();
    return through === undefined
      ? target.intake.checkSend(messages, reserved)
      : through.intake.check(messages, reserved);
  }

  #accept(messages: readonly Incoming[], now: number): void {
    const { target, through } = this.#route;
    for (const message of messages) {
      if (through === undefined) target.intake.accept(message, now);
      else {
        through.touch(now);
        const enqueuedSequenceNumber = through.messages.store.skipNumber(
          message.envelope,
          message.envelope.brokerProperties.viaPartitionKey,
        );
        this.#namespace.forward(through, { ...message, enqueuedSequenceNumber }, target.address, now);
      }
    }
  }
}
