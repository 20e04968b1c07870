import { lastSequenceNumber, receivedDeadLetters } from "../../client/client/redrive/dead-letters.ts";
import { createRetry } from "../../client/client/retry.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { JobState, PurgeFact } from "./api.ts";
import type { Job } from "./job-shelf.ts";
import type { MessageFilter } from "./message-filter.ts";
import { Slices } from "./slices.ts";

/** Messages that one call of the engine deletes. */
const maxDeletedMessages = 500;

/** The selected messages, and how many there can be. */
interface Selected {
  readonly filter: MessageFilter;
  readonly most: number;
}

/** The surroundings of a deletion. */
export interface PurgeParts {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Default: every unlocked message. */
  readonly selected: Selected | undefined;
  /** Called when it has ended. */
  readonly ended: (job: PurgeFact) => void;
}

/** Deletes the messages of an entity, step by step. */
export class PurgeJob implements Job {
  readonly id: string = crypto.randomUUID();
  readonly from: string;
  readonly #parts: PurgeParts;
  readonly #slices: Slices = new Slices();
  #deleted = 0;
  #state: JobState = "running";
  #why = "";
  #ending: JobState | undefined;
  #run: Promise<void> = Promise.resolve();

  constructor(entity: string, parts: PurgeParts) {
    this.from = entity;
    this.#parts = parts;
  }

  fact(): PurgeFact {
    return { id: this.id, entity: this.from, state: this.#state, deleted: this.#deleted, why: this.#why };
  }

  begin(): void {
    this.#run = this.#goOn();
  }

  end(state: JobState, why: string): void {
    this.#ending ??= state;
    this.#why ||= why;
  }

  idle(): Promise<void> {
    return this.#run;
  }

  /** Never rejects. */
  async #goOn(): Promise<void> {
    const { selected, ended } = this.#parts;
    try {
      await (selected === undefined ? this.#deleteAll() : this.#deleteSelected(selected));
      this.#state = this.#ending ?? "done";
    } catch (error) {
      this.#state = "failed";
      this.#why = SobreError.from(error, "GeneralError", "The deletion failed").message;
    }
    try {
      ended(this.fact());
    } catch {
      // Nobody waits for the job; its outcome can be read here.
    }
  }

  async #deleteAll(): Promise<void> {
    const { engine } = this.#parts;
    for (
      let last = maxDeletedMessages;
      last === maxDeletedMessages && this.#ending === undefined;
      await this.#slices.turn()
    ) {
      last = await engine.deleteMessages(this.from, { maxMessages: maxDeletedMessages });
      this.#deleted += last;
    }
  }

  /** Holds those in between, and releases them uncounted. */
  async #deleteSelected({ filter, most }: Selected): Promise<void> {
    const { clock } = this.#parts;
    const engine = await this.#parts.engine.connect();
    try {
      const last = await lastSequenceNumber(engine, this.from);
      const letters = await receivedDeadLetters({ engine, retry: createRetry(clock), clock }, this.from);
      try {
        while (this.#ending === undefined && this.#deleted < most) {
          const letter = await letters.next();
          await this.#slices.turn();
          if (letter === undefined || (last !== undefined && letter.delivery.sequenceNumber > last)) break;
          const { lockToken } = letter.delivery;
          if (lockToken === undefined || (await filter.selected(letter.delivery)) === undefined) continue;
          letter.release();
          await engine.settle(this.from, lockToken, { kind: "complete" });
          this.#deleted++;
        }
      } finally {
        letters.stop();
      }
    } finally {
      await engine.close();
    }
  }
}
