import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import { checkEnvelopes, checkReceiveOptions } from "../../core/engine/arguments.ts";
import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { EngineReceiver, EngineSender, ReceiveOptions, SendOptions } from "../../core/engine/engine.ts";
import { closed, entityDisabled, entityNotFound, messageTooLarge } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Closable, LinkOwner } from "../policy/broker-verbs.ts";
import { deliveryOf } from "../policy/delivery.ts";
import { limitsOf, type SendableEntity } from "../policy/entities.ts";
import type { BrokerQueue, EntityAge } from "./entities.ts";
import type { ReceivedMessage } from "./read-message.ts";
import { MessageSource, type TakenMessage } from "./message-source.ts";
import { expiryOf, type RabbitmqHome } from "./rabbitmq-home.ts";
import { ReceiveWait } from "./receive-wait.ts";

/** A connection as its links see it. */
export type LinkParent = Pick<LinkOwner<never>, "closed">;

/** The sending end of a link to a queue or topic. */
export class RabbitmqSender implements EngineSender, Closable {
  readonly #home: RabbitmqHome;
  readonly #parent: LinkParent;
  readonly #target: SendableEntity<EntityAge>;
  #isClosed = false;

  constructor(home: RabbitmqHome, parent: LinkParent, target: SendableEntity<EntityAge>) {
    this.#home = home;
    this.#parent = parent;
    this.#target = target;
  }

  get maxMessageSize(): number {
    return limitsOf(this.#target).maxMessageSizeInBytes;
  }

  async send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void> {
    if (this.#isClosed) throw closed("sender");
    checkEnvelopes(envelopes);
    try {
      this.#check(envelopes);
      if (envelopes.length > 0) await this.#home.send(this.#target, envelopes);
    } catch (error) {
      if (options?.settled !== true || !(error instanceof SobreError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#parent.closed(this);
  }

  abort(): Promise<void> {
    return this.close();
  }

  #check(envelopes: readonly Envelope[]): void {
    const { address, settings } = this.#target;
    if (this.#home.log.find(address) !== this.#target) throw entityNotFound(address);
    const { status } = settings;
    if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(address, status);
    for (const envelope of envelopes) {
      const size = sizeOfEnvelope(envelope);
      if (size > this.maxMessageSize) throw messageTooLarge(size, this.maxMessageSize, address);
    }
  }
}

/** The receiving end of a link to a queue, subscription or sub-queue. */
export class RabbitmqReceiver implements EngineReceiver, Closable {
  readonly #home: RabbitmqHome;
  readonly #parent: LinkParent;
  readonly #owner: object;
  readonly #queue: BrokerQueue;
  readonly #receiveMode: ReceiveMode;
  readonly #source: MessageSource;
  readonly #waits = new Set<ReceiveWait>();
  /** The receive before: they take turns on the channel. */
  #before: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(
    home: RabbitmqHome,
    { parent, owner }: { readonly parent: LinkParent; readonly owner: object },
    { queue, receiveMode }: { readonly queue: BrokerQueue; readonly receiveMode: ReceiveMode },
  ) {
    this.#home = home;
    this.#parent = parent;
    this.#owner = owner;
    this.#queue = queue;
    this.#receiveMode = receiveMode;
    this.#source = new MessageSource(home.consuming, queue.name, queue.address);
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    checkReceiveOptions(options);
    this.#check();
    if (options.abortSignal?.aborted === true) return [];
    const wait = new ReceiveWait(this.#home.clock, options);
    this.#waits.add(wait);
    const before = this.#before;
    const receiving = before.then(() => this.#receive(options.maxMessages, wait));
    this.#before = receiving.catch(() => undefined);
    try {
      return await receiving;
    } finally {
      this.#waits.delete(wait);
      wait.dispose();
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parent.closed(this);
    for (const wait of this.#waits) wait.end();
    await this.#before;
    const { channel } = this.#source;
    // Its locks stay, and with them the channel.
    if (channel !== undefined && this.#home.locks.filter((held) => held.channel === channel).length === 0)
      await channel.close();
  }

  abort(): Promise<void> {
    return this.close();
  }

  #check(): void {
    if (this.#isClosed) throw closed("receiver");
    const { entity, address, receiveRefusal } = this.#queue;
    if (this.#home.log.find(entity.address) !== entity) throw entityNotFound(address);
    if (receiveRefusal !== undefined) throw receiveRefusal;
  }

  async #receive(most: number, wait: ReceiveWait): Promise<readonly Delivery[]> {
    await this.#home.settled();
    if (this.#isClosed) return [];
    this.#check();
    for (;;) {
      const taken = await this.#take(most, wait);
      const deliveries: Delivery[] = [];
      for (const message of taken) {
        const delivery = await this.#deliver(message);
        if (delivery !== undefined) deliveries.push(delivery);
      }
      if (this.#receiveMode === "receiveAndDelete" && taken.length > 0) await taken[0]?.channel.flush();
      if (deliveries.length > 0 || taken.length === 0) return deliveries;
    }
  }

  async #take(most: number, wait: ReceiveWait): Promise<readonly TakenMessage[]> {
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

  #delivery(read: ReceivedMessage, lock: Parameters<typeof deliveryOf>[3]): Delivery {
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
