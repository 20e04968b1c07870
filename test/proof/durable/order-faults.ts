import type { Fault } from "../engine/faults.ts";

/** An engine that acknowledges early by a mistake; the files are below `src/broker`. */
interface EarlyAnswer {
  readonly name: string;
  readonly callers: number;
  readonly faults: readonly Fault[];
}

const fault = (file: string, find: string, replace: string): Fault => ({ name: file, file, find, replace });

/** No mistakes: a lone caller's answers come through shared memory, however slow the disk is. */
export const watched: readonly Fault[] = [
  fault("durable/sqlite-store.ts", "const maxWatchTime = 1;", "const maxWatchTime = 1000;"),
  fault("durable/sqlite-store.ts", "const { isQuick } = this.#pace;", "const isQuick = true;"),
];

/** No mistake: the log is copied into the database, and begins again, after few commits. */
export const shortLog: readonly Fault[] = [
  fault("durable/store-database.ts", "const checkpointAfter = 16 * 2 ** 20;", "const checkpointAfter = 2 ** 19;"),
];

/** No mistake: every call's batch is passed on while others are under way. */
export const manyBatches: readonly Fault[] = [
  fault("memory/journal.ts", "const fullBatch = 64;", "const fullBatch = 1;"),
];

const early = (name: string, callers: number, ...faults: readonly Fault[]): EarlyAnswer => ({ name, callers, faults });

/** Each must be caught. */
export const earlyAnswers: readonly EarlyAnswer[] = [
  early(
    "an answer in shared memory before the commit",
    1,
    ...watched,
    fault(
      "durable/store-worker.ts",
      "const spare = this.#spareOf(request);",
      "if (id === this.#lastInSlot) this.#giveAnswer();\nconst spare = this.#spareOf(request);",
    ),
  ),
  early(
    "an answer in shared memory that is not there yet",
    1,
    fault("durable/sqlite-store.ts", "const maxWatchTime = 1;", "const maxWatchTime = 0;"),
    fault("durable/sqlite-store.ts", "const { isQuick } = this.#pace;", "const isQuick = true;"),
    fault("durable/sqlite-store.ts", "=== answers.given)", "!== answers.message)"),
  ),
  early(
    "an answer to the batch behind the commit",
    8,
    ...manyBatches,
    fault(
      "durable/store-worker.ts",
      "this.#answer({ id, spare }, spare)",
      "this.#answer({ id: id + 1, spare }, spare)",
    ),
  ),
  early(
    "an answer to all that wait",
    8,
    ...manyBatches,
    fault("durable/sqlite-store.ts", "if (id > answer.id) break;", ""),
  ),
  early(
    "commits that SQLite does not sync",
    1,
    fault("durable/store-database.ts", "PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL"),
    fault("durable/store-database.ts", '"synchronous") !== 2', '"synchronous") !== 1'),
  ),
  early(
    "calls that do not wait for their commit",
    8,
    fault("memory/stored-home.ts", "const value = await answer;\n    await synced;", "const value = await answer;"),
  ),
  early(
    "waiting receives that do not wait for their commit",
    1,
    fault("memory/stored-home.ts", "await journal.synced();\n    return value;", "return value;"),
  ),
  early("a wait for the commit before", 8, fault("memory/journal.ts", "(this.#gathering ?? this.#last)", "this.#last")),
  early(
    "a batch that counts as kept when it is passed on",
    8,
    fault(
      "memory/journal.ts",
      "await this.#store.commit(facts, isFollowed);",
      "batch.resolve();\nawait this.#store.commit(facts, isFollowed);",
    ),
  ),
];
