import { amend, type Envelope } from "../../core/envelope/envelope.ts";

/** A message that an engine has accepted, whatever became of it. */
export interface SentMessage {
  /** The queue or topic, as it was addressed. */
  readonly entity: string;
  readonly envelope: Envelope;
  /** By the engine's clock. */
  readonly sentAt: Date;
}

/** The most messages kept, and the most bytes of their payloads; the oldest are forgotten first. */
const maxKept = { messages: 10_000, bytes: 16 * 2 ** 20 } as const;

/** The messages that an engine has accepted, oldest first: up to 10,000, and 16 MiB of payload. */
export class SentMessages {
  #messages: SentMessage[] = [];
  #bytes = 0;
  #forgotten = 0;

  /** How many were sent before the oldest that is kept, since the last {@link clear}. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The messages sent to an entity, whose name is compared without case. Default: all. */
  list(entity?: string): readonly SentMessage[] {
    const wanted = entity?.toLowerCase();
    return this.#messages.filter((message) => wanted === undefined || message.entity.toLowerCase() === wanted);
  }

  clear(): void {
    this.#messages = [];
    this.#bytes = 0;
    this.#forgotten = 0;
  }

  /** Notes envelopes, with bytes of their own. */
  add(entity: string, envelopes: readonly Envelope[], now: number): void {
    for (const envelope of envelopes) {
      const kept = amend(envelope, { payload: envelope.payload.slice() });
      this.#messages.push({ entity, envelope: kept, sentAt: new Date(now) });
      this.#bytes += kept.payload.byteLength;
    }
    let surplus = 0;
    while (this.#messages.length - surplus > maxKept.messages || this.#bytes > maxKept.bytes)
      this.#bytes -= this.#messages[surplus++]?.envelope.payload.byteLength ?? 0;
    this.#messages.splice(0, surplus);
    this.#forgotten += surplus;
  }
}
