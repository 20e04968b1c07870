import { bodySourceOf, type Envelope } from "../../envelope/envelope.ts";
import { OwnEnvelope } from "./own-envelope.ts";
import { memoryUsedUp } from "../../broker/refusals.ts";

/** Bytes that things take besides the bytes of messages: their objects, as measured. */
export const besides = {
  message: 640,
  /** An application property of a message that is kept as objects, not as the bytes that it came in. */
  property: 96,
  lock: 512,
  session: 512,
  /** A message id that is remembered, besides its characters. */
  seen: 96,
  entity: 8192,
} as const;

/** Bytes that a stored envelope takes besides its own. */
export function besidesOf(envelope: Envelope): number {
  if (envelope instanceof OwnEnvelope) return besides.message + envelope.propertyCount * besides.property;
  if (isAsReceived(envelope)) return besides.message;
  let properties = 0;
  for (const _ in envelope.applicationProperties) properties++;
  return besides.message + properties * besides.property;
}

/** Whether its application properties are in the bytes that it came in. */
function isAsReceived(envelope: Envelope): boolean {
  const { origin } = envelope;
  return (origin === envelope || bodySourceOf(envelope) !== envelope) && !(origin instanceof OwnEnvelope);
}

/** The memory of everything that one engine holds, or several of one process together. */
export class Memory {
  readonly #most: number;
  #whole: Memory | undefined;
  #used = 0;

  /** @param most Bytes beyond which nothing more is accepted. */
  constructor(most: number = Infinity, whole?: Memory) {
    this.#most = most;
    this.#whole = whole;
  }

  /** Bytes, with the objects around them. */
  get used(): number {
    return this.#used;
  }

  set used(bytes: number) {
    if (this.#whole !== undefined) this.#whole.used += bytes - this.#used;
    this.#used = bytes;
  }

  /** The memory of one engine, which is counted here as well. */
  part(): Memory {
    return new Memory(Infinity, this);
  }

  /** Takes a part from the whole: its engine is closed. */
  leave(): void {
    if (this.#whole !== undefined) this.#whole.used -= this.#used;
    this.#whole = undefined;
  }

  /** @throws SobreError `QuotaExceeded` when there is no room for so many bytes. */
  check(bytes: number): void {
    if (this.#used + bytes > this.#most) throw memoryUsedUp(this.#most);
    this.#whole?.check(bytes);
  }
}

/** Counts what an entity and everything under it hold; one for a topic and all its subscriptions. */
export class Meter {
  readonly memory: Memory;
  #bytes = 0;
  #besides = 0;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** Bytes of messages and session states, as users are shown them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that count towards the entity's size, those besides included. */
  get cost(): number {
    return this.#bytes + this.#besides;
  }

  /** Counts what comes, or goes: bytes of messages and states, and what they take besides. */
  weigh(bytes: number, more: number): void {
    this.#bytes += bytes;
    this.#besides += more;
    this.memory.used += bytes + more;
  }
}
