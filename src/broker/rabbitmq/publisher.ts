import { entityNotFound } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { RabbitmqConnection, ConfirmChannel, Message } from "./driver.ts";
import { brokerFailure } from "./failures.ts";
import { publishHeader } from "./message-headers.ts";
import type { PublishableMessage } from "./write-message.ts";

/** Where a message is published. */
export interface Destination {
  readonly exchange: string;
  readonly routingKey: string;
  /** Whether it is refused when no queue takes it. */
  readonly mandatory: boolean;
  /** The entity, for errors. */
  readonly address: string;
}

/** How long a confirmation may take, in milliseconds: a channel may wait for a leader that never comes. */
const confirmTimeout = 30_000;

/** Publishes with confirms: a message is accepted once a majority of its queue's nodes has it on disk. */
export class Publisher {
  readonly #connection: RabbitmqConnection;
  #channel: Promise<ConfirmChannel> | undefined;
  #number = 0;
  /** The numbers of messages that the broker has returned and not yet confirmed. */
  readonly #returned = new Set<number>();

  constructor(connection: RabbitmqConnection) {
    this.#connection = connection;
  }

  /**
   * Publishes messages in order; resolves when all are confirmed.
   *
   * @throws SobreError `MessagingEntityNotFound` when no queue takes a mandatory one, `ServiceBusy` when the queue is full or
   * has no leader, and while an alarm of the broker blocks publishers, `MessageSizeExceeded` for headers beyond 64 KiB.
   */
  async publish(destination: Destination, messages: readonly PublishableMessage[]): Promise<void> {
    const channel = await this.#open();
    const { blocked } = this.#connection;
    if (blocked !== undefined)
      throw new SobreError(
        "ServiceBusy",
        `RabbitMQ takes no messages now: an alarm (${blocked}) blocks publishers. Free memory or disk there, and retry later.`,
      );
    const sends = messages.map((message) => this.#send(channel, destination, message));
    const outcomes = await Promise.allSettled(sends);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async close(): Promise<void> {
    const channel = this.#channel;
    this.#channel = undefined;
    await channel?.then((open) => open.close()).catch(() => undefined);
  }

  #send(channel: ConfirmChannel, destination: Destination, { content, properties }: PublishableMessage): Promise<void> {
    const { exchange, routingKey, mandatory, address } = destination;
    const number = ++this.#number;
    const options = mandatory
      ? { ...properties, mandatory, headers: Object.assign(properties.headers ?? {}, { [publishHeader]: number }) }
      : properties;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        if (this.#connection.blocked !== undefined) return;
        reject(notConfirmed(address));
        this.#discard(channel);
      }, confirmTimeout);
      limit.unref();
      const confirmed = (error: unknown): void => {
        clearTimeout(limit);
        // A returned message is confirmed all the same.
        const isReturned = this.#returned.delete(number);
        if (error !== null && error !== undefined) reject(this.#refusal(error, destination));
        else if (isReturned) reject(entityNotFound(address));
        else resolve();
      };
      try {
        channel.publish(exchange, routingKey, content, options, confirmed);
      } catch (error) {
        clearTimeout(limit);
        reject(
          error instanceof RangeError
            ? headersTooLarge(address, error)
            : brokerFailure(error, `Sending to '${address}'`, address),
        );
      }
    });
  }

  #refusal(error: unknown, { address }: Destination): SobreError {
    if (error instanceof Error && error.message === "message nacked") return notTaken(address);
    const failure = brokerFailure(this.#connection.reasonFor(error), `Sending to '${address}'`, address);
    if (failure.code !== "ServiceCommunicationProblem") return failure;
    return new SobreError(failure.code, failure.message, { outcome: "unknown", cause: error });
  }

  /** Gives up a channel that does not answer any more; the next message opens another. */
  #discard(channel: ConfirmChannel): void {
    this.#channel = undefined;
    channel.close().catch(() => undefined);
  }

  #open(): Promise<ConfirmChannel> {
    this.#channel ??= this.#start();
    return this.#channel;
  }

  async #start(): Promise<ConfirmChannel> {
    try {
      const channel = await this.#connection.confirmChannel();
      channel.on("return", ({ properties }: Message) => {
        const number: unknown = properties.headers?.[publishHeader];
        if (typeof number === "number") this.#returned.add(number);
      });
      channel.on("close", () => {
        this.#channel = undefined;
        this.#returned.clear();
      });
      return channel;
    } catch (error) {
      this.#channel = undefined;
      throw error;
    }
  }
}

const notConfirmed = (address: string): SobreError =>
  new SobreError(
    "ServiceTimeout",
    `RabbitMQ has not confirmed a message to '${address}' within ${confirmTimeout / 1000} seconds: its queue may have no leader. Retry later.`,
    { outcome: "unknown" },
  );

/** RabbitMQ does not say why. */
const notTaken = (address: string): SobreError =>
  new SobreError(
    "ServiceBusy",
    `RabbitMQ has not taken a message to '${address}': its queue is full (maxSizeInMegabytes), or has no leader now. Receive messages, or retry later.`,
  );

const headersTooLarge = (address: string, cause: RangeError): SobreError =>
  new SobreError(
    "MessageSizeExceeded",
    `The properties of a message to '${address}' exceed the 64 KiB of headers that RabbitMQ takes. Put them into the payload.`,
    { cause },
  );
