import type { Engine } from "../engine/engine.ts";
import { SobreError } from "../errors/sobre-error.ts";
import type { JobState, PurgeFact } from "./api.ts";
import type { Job } from "./job-shelf.ts";
import { Slices } from "./slices.ts";

/** Messages that one call of the engine deletes. */
const mostDeleted = 500;

/** Deletes every unlocked message of an entity, step by step. */
export class PurgeJob implements Job {
  readonly id: string = crypto.randomUUID();
  readonly from: string;
  readonly #engine: Engine;
  readonly #ended: (job: PurgeFact) => void;
  #deleted = 0;
  #state: JobState = "running";
  #why = "";
  #isCancelled = false;

  /** @param ended Called when it has ended. */
  constructor(entity: string, engine: Engine, ended: (job: PurgeFact) => void) {
    this.from = entity;
    this.#engine = engine;
    this.#ended = ended;
  }

  fact(): PurgeFact {
    return { id: this.id, entity: this.from, state: this.#state, deleted: this.#deleted, why: this.#why };
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const slices = new Slices();
    try {
      for (let last = mostDeleted; last === mostDeleted && !this.#isCancelled; await slices.turn()) {
        last = await this.#engine.deleteMessages(this.from, { maxMessages: mostDeleted });
        this.#deleted += last;
        if (last < mostDeleted) this.#state = "done";
      }
      if (this.#state === "running") this.#state = "cancelled";
    } catch (error) {
      this.#state = "failed";
      this.#why = SobreError.from(error, "GeneralError", "The deletion failed").message;
    }
    try {
      this.#ended(this.fact());
    } catch {
      // Nobody waits for the job; its outcome can be read here.
    }
  }
}
