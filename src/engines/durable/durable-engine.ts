import type { Engine } from "../../engine/engine.ts";
import { checkOptions, countFrom, name, type OptionChecks, checkOption } from "../../options/option-checks.ts";
import { type MemoryEngineOptions, memoryOptionChecks } from "../memory/memory-engine.ts";
import { StoredEngine } from "../memory/stored-engine.ts";
import { StoredHome } from "../memory/stored-home.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** Options of {@link durableEngine}: a directory, and what `memoryEngine` takes. */
export interface DurableEngineOptions extends MemoryEngineOptions {
  /** Where the messages are kept; made when it is missing. One process at a time has it open. */
  readonly directory: string;
  /**
   * Bytes of messages in memory. While they are used up, further messages are on disk only, with at most 200 bytes each
   * in memory, and are read when they are received, peeked at or moved. Default: 256 MiB.
   */
  readonly memoryBudget?: number | undefined;
}

/** An engine whose messages outlive its process. */
export interface DurableEngine extends Engine {
  /** Writes a copy of everything that is durable now into another directory, which a later engine can open. */
  backup(directory: string): Promise<void>;
}

/**
 * Opens a broker in a directory: the memory engine, with everything that happens in SQLite before it is answered.
 *
 * A send, a settlement or a change of an entity resolves once it would survive a loss of power; callers at the same
 * time share one sync of the disk. Nothing is handed over whose send, or hand-over, is not durable. After an end
 * without `close()`, a message that was handed over and not settled has one delivery more. Entities in the options
 * are created where they are missing; those in the directory stay as they are.
 *
 * While the disk is full, everything is refused with `ServiceBusy` and nothing of it is kept. After a failed sync
 * everything is refused with `Closed` until the process is started again.
 *
 * @throws SobreError `InvalidOperation` when another process has the directory open, or a newer release has written it;
 *   `DecodeFailed` naming what is damaged; `UnauthorizedAccess` when it cannot be written; `InvalidArgument` naming
 *   the option that is wrong.
 * @example
 * const engine = await durableEngine({ directory: "broker", queues: ["orders"] });
 * const sender = await engine.openSender("orders");
 * await sender.send([envelope]); // on disk
 * await engine.close();
 */
export async function durableEngine(options: DurableEngineOptions): Promise<DurableEngine> {
  checkOptions(options, checks, { needed: ["directory"] });
  const { directory, memoryBudget = defaultBudget, ...rest } = options;
  const store = await SqliteStore.open(directory);
  try {
    const engine = new StoredEngine("durable", await StoredHome.open(store, { ...rest, memoryBudget }));
    return Object.assign(engine, {
      async backup(target: string) {
        checkOption("target", target, name);
        await store.backup(target);
      },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

const defaultBudget = 256 * 2 ** 20;

const checks: OptionChecks<DurableEngineOptions> = {
  ...memoryOptionChecks,
  directory: name,
  memoryBudget: countFrom(0),
};
