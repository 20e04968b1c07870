import { DeliveryChannel } from "./delivery-channel.ts";
import type { RabbitmqConnection, Message } from "./driver.ts";
import type { ArrivalWait } from "./arrival-wait.ts";

/** How long the rest of a batch may let itself be waited for, in milliseconds: other receivers may have taken it. */
const maxGap = 100;

/** A message and the channel that it is settled on. */
export interface TakenMessage {
  readonly channel: DeliveryChannel;
  readonly message: Message;
}

/**
 * Takes messages from a queue, and never more than were asked for: before RabbitMQ 4.3, each return counts a delivery.
 *
 * Cancelling a consumer returns what is on its way to it. So a consumer is given just as many messages as there are, and is
 * cancelled once it has them all. A single one is waited for in the same way.
 */
export class MessageSource {
  readonly #connection: RabbitmqConnection;
  readonly #queue: string;
  readonly #address: string;
  #channel: DeliveryChannel | undefined;

  constructor(connection: RabbitmqConnection, queue: string, address: string) {
    this.#connection = connection;
    this.#queue = queue;
    this.#address = address;
  }

  /** Takes up to `most` messages, as soon as there is one. */
  async take(most: number, wait: ArrivalWait): Promise<readonly TakenMessage[]> {
    const channel = await this.#open();
    for (;;) {
      const taken = await this.#takeReady(channel, most);
      if (taken.length > 0 || wait.isOver) return taken;
      const waited = await this.#waitForOne(channel, wait);
      if (waited === undefined) return [];
      const first = { channel, message: waited };
      return most === 1 ? [first] : [first, ...(await this.#takeReady(channel, most - 1))];
    }
  }

  /** Gives up the channel, which lives on while messages are held on it. */
  async release(): Promise<void> {
    await this.#channel?.release();
  }

  async #open(): Promise<DeliveryChannel> {
    if (this.#channel?.isOpen === true) return this.#channel;
    this.#channel = await DeliveryChannel.open(this.#connection, this.#queue);
    return this.#channel;
  }

  async #takeReady(channel: DeliveryChannel, most: number): Promise<readonly TakenMessage[]> {
    const first = await channel.get(this.#address);
    if (first === undefined) return [];
    const more = Math.min(most - 1, first.fields.messageCount);
    const messages = more === 0 ? [first] : [first, ...(await this.#collect(channel, more))];
    return messages.map((message) => ({ channel, message }));
  }

  /** Collects messages that are in the queue; fewer when other receivers take them first. */
  async #collect(channel: DeliveryChannel, count: number): Promise<readonly Message[]> {
    const messages: Message[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    let gap = setTimeout(resolve, maxGap);
    const consumer = await channel.consume(count, this.#address, {
      message: (message) => {
        messages.push(message);
        clearTimeout(gap);
        if (messages.length === count) resolve();
        else gap = setTimeout(resolve, maxGap);
      },
      ended: () => resolve(),
    });
    await promise;
    clearTimeout(gap);
    await consumer.cancel();
    return messages;
  }

  async #waitForOne(channel: DeliveryChannel, wait: ArrivalWait): Promise<Message | undefined> {
    let message: Message | undefined;
    const arrived = Promise.withResolvers<void>();
    // The channel may end before anybody waits.
    arrived.promise.catch(() => undefined);
    const consumer = await channel.consume(1, this.#address, {
      message: (arriving) => {
        message = arriving;
        arrived.resolve();
      },
      ended: (error) => arrived.reject(error),
    });
    try {
      await Promise.race([arrived.promise, wait.over]);
    } finally {
      const cancelled = consumer.cancel();
      // A consumer that has its one message gets no other.
      if (message === undefined) await cancelled;
    }
    return message;
  }
}
