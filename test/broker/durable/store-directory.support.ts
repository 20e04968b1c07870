import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a sync costs nothing: what a test opens a hundred times is not about the disk. */
const memory = "/dev/shm";

/** A fresh directory for a store. */
export const storeDirectory = (): Promise<string> =>
  mkdtemp(join(existsSync(memory) ? memory : tmpdir(), "sobre-durable-"));
