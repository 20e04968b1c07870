import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import { entityNotFound } from "../../core/engine/refusals.ts";
import type { ReceiverLink } from "../policy/broker-verbs.ts";
import { deliveryOf } from "../policy/delivery.ts";
import type { BrokerQueue } from "./entities.ts";
import { MessageSource, type TakenMessage } from "./message-source.ts";
import { expiryOf, type RabbitmqHome } from "./rabbitmq-home.ts";
import type { RabbitmqMessage } from "./read-message.ts";
import { ArrivalWait } from "./arrival-wait.ts";

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class RabbitmqLink implements ReceiverLink {
  /** RabbitMQ has no sessions. */
  readonly sessionLock: undefined;
  readonly #home: RabbitmqHome;
  readonly #owner: object;
  readonly #queue: BrokerQueue;
  readonly #receiveMode: ReceiveMode;
  readonly #source: MessageSource;
  readonly #waits = new Set<ArrivalWait>();
  /** The receive before: they take turns on the channel. */
  #before: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  /** @param owner The connection that holds what the link receives. */
  constructor(home: RabbitmqHome, owner: object, queue: BrokerQueue, receiveMode: ReceiveMode) {
    this.#home = home;
    this.#owner = owner;
    this.#queue = queue;
    this.#receiveMode = receiveMode;
    this.#source = new MessageSource(home.consuming, queue.name, queue.address);
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    this.#check();
    if (options.abortSignal?.aborted === true) return [];
    const wait = new ArrivalWait(this.#home.clock, options);
    this.#waits.add(wait);
    const receiving = this.#before.then(() => this.#receive(options.maxMessages, wait));
    this.#before = receiving.catch(() => undefined);
    try {
      return await receiving;
    } finally {
      this.#waits.delete(wait);
      wait.dispose();
    }
  }

  /** Ends the receives that wait, with nothing. */
  endReceives(): void {
    this.#isEnded = true;
    for (const wait of this.#waits) wait.end();
  }

  /** Gives up the channel, once its messages are settled. */
  async release(): Promise<void> {
    await this.#before;
    await this.#source.release();
  }

  #check(): void {
    const { entity, address, receiveRefusal } = this.#queue;
    if (this.#home.log.find(entity.address) !== entity) throw entityNotFound(address);
    if (receiveRefusal !== undefined) throw receiveRefusal;
  }

  async #receive(most: number, wait: ArrivalWait): Promise<readonly Delivery[]> {
    await this.#home.settled();
    if (this.#isEnded) return [];
    this.#check();
    for (;;) {
      const taken = await this.#take(most, wait);
      const deliveries: Delivery[] = [];
      for (const message of taken) {
        const delivery = await this.#deliver(message);
        if (delivery !== undefined) deliveries.push(delivery);
      }
      if (this.#receiveMode === "receiveAndDelete") await taken[0]?.channel.flush();
      if (deliveries.length > 0 || taken.length === 0) return deliveries;
    }
  }

  async #take(most: number, wait: ArrivalWait): Promise<readonly TakenMessage[]> {
    try {
      return await this.#source.take(most, wait);
    } catch (error) {
      // RabbitMQ may end the whole connection of whoever consumes from a queue while it is deleted.
      this.#check();
      throw error;
    }
  }

  async #deliver({ channel, message }: TakenMessage): Promise<Delivery | undefined> {
    const queue = this.#queue;
    const { clock, locks } = this.#home;
    const read = this.#home.read(queue, message);
    if (!(await this.#home.admit({ queue, channel, message, received: read }))) return undefined;
    if (this.#receiveMode === "receiveAndDelete") {
      channel.acknowledge(message);
      return this.#delivery(read, undefined);
    }
    const until = clock.now() + queue.lockDuration;
    const { deliveryCount } = read;
    const held = locks.add({ queue, channel, message, deliveryCount, owner: this.#owner, until });
    return this.#delivery(read, { token: held.token, until });
  }

  #delivery(read: RabbitmqMessage, lock: Parameters<typeof deliveryOf>[3]): Delivery {
    const { enqueuedAt, deliveryCount, deadLetter } = read;
    const queued = {
      enqueuedAt,
      deliveryCount,
      deadLetter,
      expiresAt: expiryOf(this.#queue, read),
      enqueuedSequenceNumber: 0n,
      state: "active",
    } as const;
    return deliveryOf(queued, read.envelope, 0n, lock);
  }
}
