/** The maximum bytes of pending sends. */
const maxBytes = 16 * 1024 * 1024;

interface WaitingCaller {
  readonly messages: number;
  readonly bytes: number;
  readonly enter: () => void;
}

/**
 * The pending sends of a sender: beyond the limits, sends wait in order of arrival.
 *
 * Callers that do not await their sends cannot exhaust the memory.
 */
export class InFlight {
  readonly #maxMessages: number;
  readonly #waiting: WaitingCaller[] = [];
  #messages = 0;
  #bytes = 0;
  #calls = 0;
  #idle: (() => void)[] = [];

  constructor(maxMessages: number) {
    this.#maxMessages = maxMessages;
  }

  /** Runs a send when there is room for it; one that exceeds the limits runs with no other. */
  async run<T>(messages: number, bytes: number, send: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#hasRoom(messages, bytes)) this.#enter(messages, bytes);
    else await new Promise<void>((enter) => this.#waiting.push({ messages, bytes, enter }));
    try {
      return await send();
    } finally {
      this.#leave(messages, bytes);
    }
  }

  /** Runs a call that sends, serialization included, so that {@link idle} waits for it. */
  async call<T>(run: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await run();
    } finally {
      this.#calls--;
      if (this.#calls === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when no such call is running. */
  async idle(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #hasRoom(messages: number, bytes: number): boolean {
    if (this.#messages === 0) return true;
    return this.#messages + messages <= this.#maxMessages && this.#bytes + bytes <= maxBytes;
  }

  #enter(messages: number, bytes: number): void {
    this.#messages += messages;
    this.#bytes += bytes;
  }

  #leave(messages: number, bytes: number): void {
    this.#enter(-messages, -bytes);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#hasRoom(next.messages, next.bytes)) return;
      this.#waiting.shift();
      this.#enter(next.messages, next.bytes);
      next.enter();
    }
  }
}
