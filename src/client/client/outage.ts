import type { ClientParts } from "./client-parts.ts";
import { pause } from "../../core/time/pause.ts";
import type { EntitySignals } from "./signals.ts";

/** How long an outage pauses. */
export interface OutageOptions extends Pick<ClientParts, "clock"> {
  /** Milliseconds of the pause after this many failures in a row. */
  readonly delay: (failures: number) => number;
  readonly signals: Pick<EntitySignals, "paused" | "resumed">;
}

/**
 * Pauses all loops of a processor while something that its messages need is unavailable: a store or key service of its
 * stages, or what its breaker watches.
 *
 * Other messages would fail in the same way, each using up one of its deliveries. After a pause, one loop alone tries a
 * message; the others continue when it was handled.
 */
export class Outage {
  readonly #options: OutageOptions;
  readonly #stop: AbortSignal;
  #round: AbortController;
  #failures = 0;
  #pause: Promise<void> | undefined;
  #trial: Trial | undefined;

  /** @param stop Aborted when the processor is closed. */
  constructor(options: OutageOptions, stop: AbortSignal) {
    this.#options = options;
    this.#stop = stop;
    this.#round = new AbortController();
    stop.addEventListener("abort", () => {
      this.#round.abort(stop.reason);
      this.#trial?.end();
    });
    if (stop.aborted) this.#round.abort(stop.reason);
  }

  /** Aborted when an outage begins and when the processor is closed; replaced after each outage. */
  get signal(): AbortSignal {
    return this.#round.signal;
  }

  /** Whether no message is to be handled. */
  get isOn(): boolean {
    return this.#pause !== undefined;
  }

  /** Whether there is a pause, or a trial after it. */
  get isPaused(): boolean {
    return this.#pause !== undefined || this.#trial !== undefined;
  }

  /** Whether this is the trial after the last pause. */
  isCurrent(trial: Trial): boolean {
    return this.#trial === trial;
  }

  /** Resolves to the trial if the caller is the one to try a message; the others wait until there is no outage. */
  async over(): Promise<Trial | undefined> {
    for (;;) {
      if (this.#pause !== undefined) await this.#pause;
      else if (this.#trial === undefined || this.#stop.aborted) return undefined;
      else if (this.#trial.take()) return this.#trial;
      else await this.#trial.ended;
    }
  }

  /** Lets another loop try a message: the one that had the trial failed before it could. */
  passOn(): void {
    this.#trial?.end();
    if (this.#trial !== undefined) this.#trial = new Trial();
  }

  /** Called when a message was handled. */
  ended(): void {
    this.#failures = 0;
    if (this.#trial === undefined) return;
    this.#options.signals.resumed();
    this.#trial.end();
    this.#trial = undefined;
  }

  /** Begins a pause that grows with each outage in a row. */
  begin(): void {
    if (this.#pause !== undefined || this.#stop.aborted) return;
    this.#round.abort();
    this.#pause = this.#wait();
    this.#trial?.end();
    this.#trial = undefined;
  }

  async #wait(): Promise<void> {
    const { clock, delay, signals } = this.#options;
    const milliseconds = delay(++this.#failures);
    signals.paused(milliseconds, this.#failures);
    await pause(clock, milliseconds, this.#stop);
    this.#pause = undefined;
    if (this.#stop.aborted) return;
    this.#round = new AbortController();
    this.#trial = new Trial();
  }
}

/** The part of one loop of a processor in its outages. */
export class Turn {
  readonly #outage: Outage;
  #trial: Trial | undefined;

  constructor(outage: Outage) {
    this.#outage = outage;
  }

  /** Whether this loop alone tries a message. */
  get isTrial(): boolean {
    return this.#trial !== undefined && this.#outage.isCurrent(this.#trial);
  }

  /** Resolves when this loop may handle a message. */
  async come(): Promise<void> {
    this.#trial = await this.#outage.over();
  }

  /** Whether to {@link come} first. */
  get waits(): boolean {
    return this.#outage.isOn || (this.#outage.isPaused && !this.isTrial);
  }

  /** Called when this loop failed before it received a message. */
  failed(): void {
    if (this.isTrial) this.#outage.passOn();
    this.#trial = undefined;
  }
}

/** The right to handle a message after a pause, which one loop takes. */
class Trial {
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #isTaken = false;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  take(): boolean {
    const isFirst = !this.#isTaken;
    this.#isTaken = true;
    return isFirst;
  }

  end(): void {
    this.#end();
  }
}
