import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type PayloadStore, tooLarge } from "./claim-check.ts";

/** Options of {@link filePayloadStore}. */
export interface FilePayloadStoreOptions {
  /** The folder for the files; created if missing. */
  readonly folder: string;
  /** The clock for the age of files. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** A {@link PayloadStore} in a folder of files. */
export interface FilePayloadStore extends PayloadStore {
  /** Deletes payloads older than this, e.g. `"7d"`; resolves to their number. @throws SobreError `InvalidArgument`. */
  removeOlderThan(age: DurationLike): Promise<number>;
}

/** Keys are made by `randomUUID`; anything else is never used as a path. */
const keyForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const filePayloadStoreChecks: OptionChecks<FilePayloadStoreOptions> = {
  folder: is.name,
  clock: is.clock,
};

/**
 * Creates a store that writes each payload atomically to a file with a random name; for Node.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function filePayloadStore(options: FilePayloadStoreOptions): FilePayloadStore {
  checkOptions(options, filePayloadStoreChecks, { needed: ["folder"] });
  const { folder, clock = systemClock } = options;
  return {
    async put(payload) {
      checkOption("payload", payload, is.bytes);
      const key = randomUUID();
      await mkdir(folder, { recursive: true });
      const unfinished = join(folder, `${key}.part`);
      await writeFile(unfinished, payload, { flag: "wx" });
      await rename(unfinished, join(folder, key));
      return key;
    },
    async get(key, maxBytes) {
      checkOption("key", key, is.text);
      if (!keyForm.test(key)) return undefined;
      const file = await open(join(folder, key), "r").catch(unlessMissing);
      if (file === undefined) return undefined;
      try {
        const { size } = await file.stat();
        if (size > maxBytes) throw tooLarge(size, maxBytes);
        const bytes = await file.readFile();
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      } finally {
        await file.close();
      }
    },
    async removeOlderThan(age) {
      const before = clock.now() - toMilliseconds(age, "age");
      const names = (await readdir(folder).catch(unlessMissing)) ?? [];
      let removed = 0;
      for (const name of names) {
        if (!keyForm.test(name.replace(/\.part$/, ""))) continue;
        const path = join(folder, name);
        const found = await stat(path).catch(unlessMissing);
        if (found === undefined || found.mtimeMs >= before) continue;
        await rm(path, { force: true });
        removed++;
      }
      return removed;
    },
  };
}

/** `undefined` for what is not there. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
