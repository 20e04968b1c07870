import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { JobState } from "./api.ts";
import type { Caller } from "./caller.ts";

/** Work that goes on when nobody looks. */
export interface Job {
  readonly id: string;
  /** The entity that it works on. */
  readonly from: string;
  fact(): { readonly state: JobState };
  /** Ends it after its current step. */
  end(state: JobState, why: string): void;
  /** Resolves when it does not run. */
  idle(): Promise<void>;
}

/** Jobs that are remembered; the oldest ended one makes room. */
const maxFinishedJobs = 50;

interface Owned<J> {
  readonly job: J;
  readonly engine: Engine;
}

/** The jobs of an inspector. They go on when the page is closed. */
export class JobShelf<J extends Job> {
  #jobs: readonly Owned<J>[] = [];

  /** @throws SobreError `QuotaExceeded` when too many run. */
  keep(job: J, { engine }: Caller): void {
    const running = this.#jobs.filter((owned) => owned.job.fact().state === "running");
    if (running.length >= maxFinishedJobs)
      throw new SobreError("QuotaExceeded", `At most ${maxFinishedJobs} jobs run at a time. Wait, or cancel one.`);
    const old = this.#jobs.filter((owned) => !running.includes(owned)).slice(0, maxFinishedJobs - running.length - 1);
    const kept = new Set([...running, ...old]);
    this.#jobs = [{ job, engine }, ...this.#jobs.filter((owned) => kept.has(owned))];
  }

  /** Adds an old job after the others. */
  add(job: J, engine: Engine): void {
    this.#jobs = [...this.#jobs, { job, engine }];
  }

  /** The jobs of the caller's broker on entities that it may see, the latest first. */
  list(caller: Caller): readonly J[] {
    return this.#jobs
      .filter(({ engine, job }) => engine === caller.engine && caller.can(job.from, "Listen"))
      .map(({ job }) => job);
  }

  /** @throws SobreError `MessageNotFound` when the caller has none of that id. */
  find(id: string, caller: Caller): J {
    const found = this.list(caller).find((job) => job.id === id);
    if (found !== undefined) return found;
    throw new SobreError("MessageNotFound", "There is no job of that id.");
  }

  /** Ends all of them after their current step; resolves when they have. */
  async close(): Promise<void> {
    for (const { job } of this.#jobs) if (job.fact().state === "running") job.end("stopped", "The server was closed.");
    await Promise.all(this.#jobs.map(({ job }) => job.idle()));
  }
}
