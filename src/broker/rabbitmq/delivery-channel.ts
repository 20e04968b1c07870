import { randomUUID } from "node:crypto";
import { entityNotFound } from "../../core/engine/refusals.ts";
import type { RabbitmqConnection, Channel, GetMessage, Message } from "./driver.ts";
import { brokerFailure } from "./failures.ts";

/** Messages that the broker pushes. */
export interface Consumer {
  /** Stops it; resolves when nothing more arrives. */
  cancel(): Promise<void>;
}

/** The events of a consumer. */
export interface ConsumerEvents {
  readonly message: (message: Message) => void;
  /** Called when it has ended without having been cancelled. */
  readonly ended: (error: Error) => void;
}

/**
 * One channel for deliveries from a queue: what is not acknowledged when it ends, the broker delivers again.
 *
 * It is never opened again, so that a delivery can only be settled on the channel that brought it.
 */
export class DeliveryChannel {
  readonly queue: string;
  readonly #channel: Channel;
  readonly #ends = new Set<(error: Error) => void>();
  #isOpen = true;
  /** Messages that were delivered on it and not settled yet. */
  #unsettled = 0;
  #isReleased = false;
  #reason: Error | undefined;
  #flush: Promise<void> | undefined;

  private constructor(channel: Channel, queue: string) {
    this.#channel = channel;
    this.queue = queue;
    channel.on("close", () => this.#end(new Error("the channel was closed")));
    channel.on("error", (error: Error) => {
      this.#reason = error;
      this.#end(error);
    });
  }

  /** @throws SobreError when the broker cannot be reached. */
  static async open(connection: RabbitmqConnection, queue: string): Promise<DeliveryChannel> {
    return new DeliveryChannel(await connection.channel(), queue);
  }

  /** Whether deliveries can still be settled. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls back once when the channel ends; returns a function that takes it back. */
  onEnd(ended: (error: Error) => void): () => void {
    this.#ends.add(ended);
    return () => void this.#ends.delete(ended);
  }

  /** Takes the first message; `undefined` without one. */
  async get(address: string): Promise<GetMessage | undefined> {
    const message = await this.#call(address, () => this.#channel.get(this.queue));
    if (message === false) return undefined;
    this.#unsettled++;
    return message;
  }

  /** Has the broker push messages, at most `prefetch` of them unacknowledged. */
  async consume(prefetch: number, address: string, { message, ended }: ConsumerEvents): Promise<Consumer> {
    const consumerTag = randomUUID();
    const takeBack = this.onEnd((error) => ended(brokerFailure(error, `Receiving from '${address}'`, address)));
    const onMessage = (next: Message | null): void => {
      if (next !== null) {
        this.#unsettled++;
        message(next);
        return;
      }
      takeBack();
      // The broker ends a consumer when its queue is deleted.
      ended(entityNotFound(address));
    };
    try {
      await this.#call(address, async () => {
        // Both are sent at once, with nothing in between.
        const limited = this.#channel.prefetch(prefetch);
        limited.catch(() => undefined);
        await this.#channel.consume(this.queue, onMessage, { consumerTag });
      });
    } catch (error) {
      takeBack();
      throw error;
    }
    return {
      cancel: async () => {
        takeBack();
        if (this.#isOpen) await this.#channel.cancel(consumerTag).catch(() => undefined);
      },
    };
  }

  acknowledge(message: Message): void {
    if (this.#settles()) this.#channel.ack(message);
  }

  /** Returns a message to the queue, counted. */
  reject(message: Message): void {
    if (this.#settles()) this.#channel.reject(message, true);
  }

  /** Returns a message to the queue, uncounted where the broker can. */
  returnMessage(message: Message): void {
    if (this.#settles()) this.#channel.nack(message, false, true);
  }

  /** Resolves when the broker has taken everything that was sent on this channel before. */
  flush(): Promise<void> {
    // Acknowledgements have no answer, so something is asked after them; one question is enough for many.
    this.#flush ??= this.#ask();
    return this.#flush;
  }

  async #ask(): Promise<void> {
    // Everything that is settled in this turn shares the question.
    await Promise.resolve();
    this.#flush = undefined;
    await this.#call(undefined, () => this.#channel.prefetch(1));
    if (this.#isReleased) await this.release();
  }

  /** Closes the channel once its last message is settled. */
  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#isOpen && this.#unsettled === 0) await this.#channel.close().catch(() => undefined);
  }

  #settles(): boolean {
    this.#unsettled--;
    return this.#isOpen;
  }

  async #call<T>(address: string | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw brokerFailure(
        this.#reason ?? error,
        address === undefined ? "Settling" : `Receiving from '${address}'`,
        address,
      );
    }
  }

  #end(error: Error): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const ended of this.#ends) ended(error);
    this.#ends.clear();
  }
}
