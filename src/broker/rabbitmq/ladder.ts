import type { Channel } from "./driver.ts";
import type { Destination } from "./publisher.ts";

/** Queues of the ladder: the last one delays by 2^27 s, more than four years. */
const levels = 28;

/** The longest delay in milliseconds. */
export const maxDelay: number = (2 ** levels - 1) * 1000;

/**
 * The ladder of delays of a virtual host: a queue for each power of two seconds, as long as its messages live.
 *
 * The routing key begins with the bits of a delay, the highest first. The exchange of a level passes a message to its
 * queue for a 1, and to the next level for a 0; a message that has lived its time in a queue is dead-lettered to the next level.
 * The last exchange binds the queues and topics of messages that are scheduled, by the end of the key.
 */
export class Ladder {
  readonly #name: string;

  /** @param prefix The beginning of the names of its queues and exchanges. */
  constructor(prefix: string) {
    this.#name = `${prefix}$delay`;
  }

  /** Where a message comes out. */
  get exit(): string {
    return `${this.#name}/delivery`;
  }

  /** Whether a queue is one of the ladder's. */
  has(queue: string): boolean {
    return queue.startsWith(`${this.#name}/`);
  }

  /** Declares the ladder. */
  async declare(channel: Channel): Promise<void> {
    await channel.assertExchange(this.exit, "topic", { durable: true });
    for (let level = 0; level < levels; level++) {
      const next = level === 0 ? this.exit : this.#at(level - 1);
      const name = this.#at(level);
      await channel.assertExchange(name, "topic", { durable: true });
      await channel.assertQueue(name, {
        durable: true,
        arguments: {
          "x-queue-type": "quorum",
          "x-dead-letter-strategy": "at-least-once",
          "x-overflow": "reject-publish",
          "x-message-ttl": 2 ** level * 1000,
          "x-dead-letter-exchange": next,
        },
      });
      await channel.bindQueue(name, name, `${"*.".repeat(levels - 1 - level)}1.#`);
      await channel.bindExchange(next, name, `${"*.".repeat(levels - 1 - level)}0.#`);
    }
  }

  /** Where to publish a message that is due in so many milliseconds. */
  destination(delayInMs: number, target: string, address: string): Destination {
    const seconds = Math.ceil(Math.min(delayInMs, maxDelay) / 1000);
    const bits = seconds.toString(2).padStart(levels, "0").split("").join(".");
    return { exchange: this.#at(levels - 1), routingKey: `${bits}.${keyOf(target)}`, mandatory: false, address };
  }

  /** The key by which a target is bound at the end of the ladder. */
  binding(target: string): string {
    return `#.${keyOf(target)}`;
  }

  #at(level: number): string {
    return `${this.#name}/${String(level).padStart(2, "0")}`;
  }
}

/** A name as one word of a routing key: dots separate words, and `*` and `#` stand for any. */
const keyOf = (name: string): string => name.replaceAll(/[.*#~]/g, (sign) => `~${sign.charCodeAt(0)}~`);
