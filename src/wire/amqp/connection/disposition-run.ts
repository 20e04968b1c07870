import { accepted, type DeliveryState } from "./delivery-state.ts";
import type { Disposition, Role } from "./performative.ts";
import { plus } from "./serial.ts";

/** Joins the dispositions of deliveries that were accepted consecutively into one frame. */
export class DispositionRun {
  readonly #write: (disposition: Disposition) => void;
  #role: Role = "receiver";
  #first = 0;
  #last = 0;
  #settled = true;
  #open = false;

  constructor(write: (disposition: Disposition) => void) {
    this.#write = write;
  }

  /** Reports the outcome of a delivery, and whether that settles it; acceptance is reported at the next {@link flush}. */
  add(role: Role, id: number, state: DeliveryState, settled = true): void {
    if (state !== accepted) {
      this.flush();
      this.#write({ role, first: id, last: id, settled, state });
      return;
    }
    if (this.#open && role === this.#role && settled === this.#settled && id === plus(this.#last, 1)) {
      this.#last = id;
      return;
    }
    this.flush();
    this.#open = true;
    this.#role = role;
    this.#first = id;
    this.#last = id;
    this.#settled = settled;
  }

  flush(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#write({ role: this.#role, first: this.#first, last: this.#last, settled: this.#settled, state: accepted });
  }
}
