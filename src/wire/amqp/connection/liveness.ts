import type { ResolvedLimits } from "./connection-limits.ts";
import { WireFault } from "./wire-fault.ts";

/** Milliseconds of a clock that never goes back. */
export const monotonicTime = (): number => performance.now();

/** When a connection last received and sent data, and which action is due. */
export class Liveness {
  /** Milliseconds of silence after which the peer ends the connection; 0: never. */
  remoteIdleTimeOut = 0;
  readonly #now: () => number;
  readonly #limits: ResolvedLimits;
  readonly #startedAt: number;
  #heardAt: number;
  #spokeAt: number;

  constructor(limits: ResolvedLimits, now: () => number = monotonicTime) {
    this.#now = now;
    this.#limits = limits;
    this.#startedAt = now();
    this.#heardAt = this.#startedAt;
    this.#spokeAt = this.#startedAt;
  }

  heard(): void {
    this.#heardAt = this.#now();
  }

  spoke(): void {
    this.#spokeAt = this.#now();
  }

  /** Whether an empty frame is due. @throws WireFault when the peer has been silent for too long. */
  check(open: boolean): boolean {
    const now = this.#now();
    const { handshakeTimeout, idleTimeout } = this.#limits;
    if (!open && now - this.#startedAt >= handshakeTimeout) throw forced("No open frame arrived in time.");
    if (now - this.#heardAt >= idleTimeout) throw forced(`No frame arrived for ${idleTimeout / 1000} seconds.`);
    return open && this.remoteIdleTimeOut > 0 && (now - this.#spokeAt) * 2 >= this.remoteIdleTimeOut;
  }
}

const forced = (text: string): WireFault => new WireFault("amqp:connection:forced", text);
