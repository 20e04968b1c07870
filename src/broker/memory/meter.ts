import type { Envelope } from "../../core/envelope/envelope.ts";
import { maxBytesOf, type SendableEntity } from "../policy/entities.ts";
import { Relabelled } from "../policy/relabelled-envelope.ts";
import { OwnEnvelope } from "./bytes/own-envelope.ts";
import { memoryUsedUp, quotaExceeded } from "../../core/engine/refusals.ts";

/** Measured memory overhead in bytes: the objects around the bytes of messages. */
export const besides = {
  message: 640,
  /** An application property of a message kept as objects rather than as the bytes received. */
  property: 96,
  lock: 512,
  session: 512,
  /** A recorded message id, besides its characters. */
  seen: 96,
  entity: 8192,
} as const;

/** Bytes of overhead of a stored envelope. */
export function besidesOf(envelope: Envelope): number {
  if (envelope instanceof OwnEnvelope) return besides.message + envelope.propertyCount * besides.property;
  if (isAsReceived(envelope)) return besides.message;
  let properties = 0;
  for (const _ in envelope.applicationProperties) properties++;
  return besides.message + properties * besides.property;
}

/** Whether its application properties are kept as the bytes received. */
function isAsReceived(envelope: Envelope): boolean {
  const { origin } = envelope;
  if (origin instanceof OwnEnvelope) return false;
  return origin === envelope || (envelope instanceof Relabelled && envelope.changed === undefined);
}

/** The memory used by one engine, or by several in one process. */
export class Memory {
  readonly #most: number;
  #whole: Memory | undefined;
  #used = 0;

  /** @param most Maximum number of bytes; beyond it, nothing more is accepted. */
  constructor(most: number = Infinity, whole?: Memory) {
    this.#most = most;
    this.#whole = whole;
  }

  /** Bytes used, with overhead. */
  get used(): number {
    return this.#used;
  }

  set used(bytes: number) {
    if (this.#whole !== undefined) this.#whole.used += bytes - this.#used;
    this.#used = bytes;
  }

  /** The memory of one engine, which also counts here. */
  part(): Memory {
    return new Memory(Infinity, this);
  }

  /** Removes this part from the whole when its engine closes. */
  leave(): void {
    if (this.#whole !== undefined) this.#whole.used -= this.#used;
    this.#whole = undefined;
  }

  /** @throws SobreError `QuotaExceeded` when there is no room for this many bytes. */
  check(bytes: number): void {
    if (this.#used + bytes > this.#most) throw memoryUsedUp(this.#most);
    this.#whole?.check(bytes);
  }
}

/** Counts the contents of an entity; a topic and its subscriptions share one. */
export class ContentMeter {
  readonly memory: Memory;
  #bytes = 0;
  #besides = 0;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** Bytes of messages and session states, as reported to users. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that count towards the entity's size, with overhead. */
  get cost(): number {
    return this.#bytes + this.#besides;
  }

  /** Adds bytes of messages and states, and their overhead; negative when they leave. */
  weigh(bytes: number, more: number): void {
    this.#bytes += bytes;
    this.#besides += more;
    this.memory.used += bytes + more;
  }
}

/** @throws SobreError `QuotaExceeded` when a queue, or a topic with its subscriptions, has no room for this many bytes. */
export function checkRoom(entity: SendableEntity<{ readonly meter: ContentMeter }>, bytes: number): void {
  const { meter, address, settings } = entity;
  if (meter.cost + bytes > maxBytesOf(entity)) throw quotaExceeded(address, settings.maxSizeInMegabytes);
  meter.memory.check(bytes);
}
