import type { ClientParts } from "./client-parts.ts";
import { pause } from "../time/pause.ts";

/**
 * Pauses all loops of a processor while a store or key service that its stages need is unavailable.
 *
 * Other messages would fail in the same way, each using up one of its deliveries without reaching a handler.
 */
export class Outage {
  readonly #parts: Pick<ClientParts, "clock" | "retry">;
  readonly #stop: AbortSignal;
  #round: AbortController;
  #failures = 0;
  #pause: Promise<void> | undefined;

  /** @param stop Aborted when the processor is closed. */
  constructor(parts: Pick<ClientParts, "clock" | "retry">, stop: AbortSignal) {
    this.#parts = parts;
    this.#stop = stop;
    this.#round = new AbortController();
    stop.addEventListener("abort", () => this.#round.abort(stop.reason));
    if (stop.aborted) this.#round.abort(stop.reason);
  }

  /** Aborted when an outage begins and when the processor is closed; replaced after each outage. */
  get signal(): AbortSignal {
    return this.#round.signal;
  }

  get isOn(): boolean {
    return this.#pause !== undefined;
  }

  /** Resolves when there is no outage. */
  async over(): Promise<void> {
    while (this.#pause !== undefined) await this.#pause;
  }

  /** Called when a payload was fetched or decrypted again. */
  ended(): void {
    this.#failures = 0;
  }

  /** Begins a pause that grows with each outage in a row. */
  begin(): void {
    if (this.#pause !== undefined || this.#stop.aborted) return;
    this.#round.abort();
    this.#pause = this.#wait();
  }

  async #wait(): Promise<void> {
    const { clock, retry } = this.#parts;
    await pause(clock, retry.delay(++this.#failures), this.#stop);
    this.#pause = undefined;
    if (!this.#stop.aborted) this.#round = new AbortController();
  }
}
