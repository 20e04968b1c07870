import type { Engine } from "../../core/engine/engine.ts";
import { checkOptions, countFrom, name, type OptionChecks, checkOption } from "../../core/options/option-checks.ts";
import { type MemoryEngineOptions, memoryOptionChecks } from "../memory/memory-engine.ts";
import { StoredHome } from "../memory/stored-home.ts";
import { storedConnection } from "../memory/stored-verbs.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** Options of {@link durableEngine}: those of `memoryEngine` and a directory. */
export interface DurableEngineOptions extends MemoryEngineOptions {
  /** The directory for the messages; created if missing. Only one process can have it open at a time. */
  readonly directory: string;
  /**
   * Maximum bytes of messages in memory, each counted with 1,024 more. Further messages are only on disk, with at most 200 bytes each in memory, and
   * read when they are received, peeked or moved. Default: 256 MiB.
   */
  readonly memoryBudget?: number | undefined;
}

/** An engine whose messages survive its process. */
export interface DurableEngine extends Engine {
  /** Writes a copy of everything currently durable to another directory, which an engine can open later. */
  backup(directory: string): Promise<void>;
}

/**
 * Opens a broker in a directory: the memory engine, which writes every change to SQLite before confirming it.
 *
 * A send, settlement or entity change resolves once it would survive a power loss; concurrent callers share one disk
 * sync. A message is delivered only after its send and delivery are durable. After an end without `close()`, delivered
 * but unsettled messages count one more delivery. Entities in the options are created if missing; existing ones are
 * unchanged.
 *
 * While the disk is full, calls fail with `ServiceBusy` and have no effect. After a failed sync, calls fail with
 * `Closed` until the process is restarted.
 *
 * @throws SobreError `InvalidOperation` when another process has the directory open, or a newer release wrote it;
 * `DecodeFailed` naming the damage; `UnauthorizedAccess` when it is not writable; `InvalidArgument` naming the invalid
 * option.
 * @example
 * const engine = await durableEngine({ directory: "broker", queues: ["orders"] });
 * const sender = await engine.openSender("orders");
 * await sender.send([envelope]); // on disk
 * await engine.close();
 */
export async function durableEngine(options: DurableEngineOptions): Promise<DurableEngine> {
  checkOptions(options, durableEngineChecks, { needed: ["directory"] });
  const { directory, memoryBudget = defaultBudget, ...rest } = options;
  const store = await SqliteStore.open(directory);
  try {
    const engine = storedConnection("durable", await StoredHome.open(store, { ...rest, memoryBudget }));
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

const durableEngineChecks: OptionChecks<DurableEngineOptions> = {
  ...memoryOptionChecks,
  directory: name,
  memoryBudget: countFrom(0),
};
