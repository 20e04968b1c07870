import { createEnvelope, type Envelope } from "../../envelope/envelope.ts";
import type { Delivery } from "../../engine/delivery.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { Store } from "./store.ts";

/** Messages that are read at a time to go on with: they are in memory together. */
const parkedAtOnce = 256;

/** Bytes that an envelope takes in memory besides its sections, once it was read: objects, and a buffer of its own. */
const besides = 1024;

const costOf = ({ size }: QueuedMessage): number => size + besides;

/** The envelope of a delivery until {@link Pager.fill} has put the message's own there. */
const onDisk: Envelope = createEnvelope({ payload: new Uint8Array() });

/** A message that cannot go on without its envelope. */
interface Parked {
  readonly message: QueuedMessage;
  readonly goOn: () => void;
}

/**
 * Keeps the envelopes in memory within a budget: when it is used up, those of new messages are dropped once durable,
 * and read again when delivered, moved or peeked.
 */
export class Pager {
  readonly #store: Store;
  readonly #budget: number;
  /** Bytes of the envelopes in memory. */
  #loaded = 0;
  /** Messages over the budget whose envelopes are in the batch that gathers. */
  #leaving: QueuedMessage[] = [];
  readonly #reads = new WeakMap<Delivery, Promise<Envelope>>();
  #parked: Parked[] = [];
  #unparking: Promise<void> | undefined;

  constructor(store: Store, budget: number) {
    this.#store = store;
    this.#budget = budget;
  }

  /** A message has come with its envelope, which the next batch keeps. */
  came(message: QueuedMessage): void {
    this.#loaded += costOf(message);
    if (this.#loaded <= this.#budget) return;
    message.pass();
    this.#leaving.push(message);
  }

  /** A message has another envelope, which the next batch keeps; `before` is the size of the one it had. */
  amended(message: QueuedMessage, before: number): void {
    this.#loaded += message.size - before;
    if (this.#loaded > this.#budget) this.#leaving.push(message);
  }

  /** A message is gone for good. */
  left(message: QueuedMessage): void {
    if (message.isLoaded) this.#loaded -= costOf(message);
  }

  /** A message that was handed over is back, which the next batch keeps. */
  cameBack(message: QueuedMessage): void {
    if (this.#loaded > this.#budget && message.isLoaded) this.#leaving.push(message);
  }

  /** Takes the messages whose envelopes leave when the batch that is taken now is durable. */
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

  /** The delivery of a message whose envelope is read meanwhile; `hand` gives the receiver one of its own. */
  describe(
    message: QueuedMessage,
    describe: (envelope: Envelope) => Delivery,
    hand: (envelope: Envelope) => Envelope,
  ): Delivery {
    const delivery = describe(onDisk);
    const reading = this.#read(message).then(hand);
    // Whoever fills the delivery sees the failure.
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

  /** Goes on with a message once its envelope is in memory; messages go on in the order in which they were parked. */
  park(message: QueuedMessage, goOn: () => void): void {
    this.#parked.push({ message, goOn });
    this.#unparking ??= this.#unpark();
  }

  /** Resolves when no message is parked; `undefined` when none is. */
  get settled(): Promise<void> | undefined {
    return this.#unparking;
  }

  async #unpark(): Promise<void> {
    while (this.#parked.length > 0) {
      const parked = this.#parked.splice(0, parkedAtOnce);
      const reads = await Promise.allSettled(parked.map(({ message }) => this.#read(message)));
      parked.forEach(({ message, goOn }, index) => {
        const read = reads[index];
        // One that cannot be read stays where it is: whoever peeks at it sees why.
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
    // A message that is held is settled with its envelope at hand.
    if (message.lock !== undefined) this.#load(message, envelope);
    return envelope;
  }

  #load(message: QueuedMessage, envelope: Envelope): void {
    if (message.isLoaded) return;
    this.#loaded += costOf(message);
    message.envelope = envelope;
  }
}
