import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";

/**
 * Signs that a client has read what was written to it before: its answers to flows of a link that ask for one (`echo` in
 * AMQP 1.0 part 2.7.4). A client that does not answer gives none.
 */
export class ReadSigns {
  readonly #link: ReceivingLink;
  /** Waiting for the answer to the flow that was written last, and for that to the next one. */
  #asked: Set<() => void> | undefined;
  #next = new Set<() => void>();

  constructor(link: ReceivingLink) {
    this.#link = link;
  }

  /** Calls `read` when the client has read everything written until now. */
  ask(read: () => void): void {
    this.#next.add(read);
    if (this.#asked === undefined) this.#askNext();
  }

  cancel(read: () => void): void {
    this.#asked?.delete(read);
    this.#next.delete(read);
  }

  /** A flow of the link has come. */
  flowed(): void {
    const asked = this.#asked ?? [];
    this.#asked = undefined;
    for (const read of asked) read();
    if (this.#asked === undefined && this.#next.size > 0) this.#askNext();
  }

  #askNext(): void {
    this.#asked = this.#next;
    this.#next = new Set();
    this.#link.askForFlow();
  }
}
