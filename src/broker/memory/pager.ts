import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { MemoryStore } from "./store.ts";

/** Maximum number of parked messages that are read at a time, since all of them are in memory together. */
const parkedAtOnce = 256;

/** Bytes that an envelope takes in memory besides its sections once read: objects, and its own buffer. */
const besides = 1024;

const costOf = ({ size }: QueuedMessage): number => size + besides;

/** The placeholder envelope of a delivery until {@link Pager.fill} replaces it by the message's own. */
const onDisk: Envelope = createEnvelope({ payload: new Uint8Array() });

/** A message that cannot be processed without its envelope. */
interface Parked {
  readonly message: QueuedMessage;
  readonly goOn: () => void;
}

/**
 * Keeps the envelopes in memory within a budget: when it is exhausted, those of new messages are dropped once durable
 * and read again when delivered, moved or peeked.
 */
export class Pager {
  readonly #store: MemoryStore;
  readonly #budget: number;
  /** Bytes of the envelopes in memory. */
  #loaded = 0;
  /** Messages over the budget whose envelopes are in the batch being collected. */
  #leaving: QueuedMessage[] = [];
  readonly #reads = new WeakMap<Delivery, Promise<Envelope>>();
  #parked: Parked[] = [];
  #unparking: Promise<void> | undefined;

  constructor(store: MemoryStore, budget: number) {
    this.#store = store;
    this.#budget = budget;
  }

  /** A message has arrived with its envelope, which is part of the next batch. */
  came(message: QueuedMessage): void {
    this.#loaded += costOf(message);
    if (this.#loaded <= this.#budget) return;
    message.pass();
    this.#leaving.push(message);
  }

  /** The envelope of a message was replaced, which is part of the next batch; `before` is the size of the old one. */
  amended(message: QueuedMessage, before: number): void {
    this.#loaded += message.size - before;
    if (this.#loaded > this.#budget) this.#leaving.push(message);
  }

  /** A message was removed for good. */
  left(message: QueuedMessage): void {
    if (message.isLoaded) this.#loaded -= costOf(message);
  }

  /** A delivered message has returned, which is part of the next batch. */
  cameBack(message: QueuedMessage): void {
    if (this.#loaded > this.#budget && message.isLoaded) this.#leaving.push(message);
  }

  /** Removes and returns the messages whose envelopes leave memory once the current batch is durable. */
  takeLeaving(): readonly QueuedMessage[] {
    const leaving = this.#leaving;
    this.#leaving = [];
    return leaving;
  }

  unload(messages: readonly QueuedMessage[]): void {
    for (const message of messages) {
      if (message.lock === undefined) this.#unload(message);
      else message.stay();
    }
  }

  #unload(message: QueuedMessage): void {
    if (!message.isLoaded || message.isGone) return;
    this.#loaded -= costOf(message);
    message.unload();
  }

  /** The delivery of a message whose envelope is still being read; `hand` makes the receiver's own envelope. */
  describe(
    message: QueuedMessage,
    describe: (envelope: Envelope) => Delivery,
    hand: (envelope: Envelope) => Envelope,
  ): Delivery {
    const delivery = describe(onDisk);
    const reading = this.#read(message).then(hand);
    // The caller that fills the delivery gets the error.
    reading.catch(() => {});
    this.#reads.set(delivery, reading);
    return delivery;
  }

  /** The deliveries with their own envelopes. */
  async fill(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    if (!deliveries.some((delivery) => this.#reads.has(delivery))) return deliveries;
    return Promise.all(
      deliveries.map(async (delivery) => {
        const envelope = await this.#reads.get(delivery);
        return envelope === undefined ? delivery : { ...delivery, envelope };
      }),
    );
  }

  /** Continues with a message once its envelope is in memory; messages continue in the order in which they were parked. */
  park(message: QueuedMessage, goOn: () => void): void {
    this.#parked.push({ message, goOn });
    this.#unparking ??= this.#unpark();
  }

  /** Resolves when no message is parked any more; `undefined` when none is parked. */
  get settled(): Promise<void> | undefined {
    return this.#unparking;
  }

  async #unpark(): Promise<void> {
    while (this.#parked.length > 0) {
      const parked = this.#parked.splice(0, parkedAtOnce);
      const reads = await Promise.allSettled(parked.map(({ message }) => this.#read(message)));
      parked.forEach(({ message, goOn }, index) => {
        const read = reads[index];
        // A message that cannot be read stays where it is; peeking at it reports why.
        if (read?.status !== "fulfilled") return;
        if (!message.isGone) this.#load(message, read.value);
        goOn();
      });
    }
    this.#unparking = undefined;
  }

  async #read(message: QueuedMessage): Promise<Envelope> {
    if (message.isLoaded) return message.envelope;
    const envelope = await this.#store.read(message.position);
    // Settling a locked message needs its envelope in memory.
    if (message.lock !== undefined) this.#load(message, envelope);
    return envelope;
  }

  #load(message: QueuedMessage, envelope: Envelope): void {
    if (message.isLoaded) return;
    this.#loaded += costOf(message);
    message.envelope = envelope;
  }
}
