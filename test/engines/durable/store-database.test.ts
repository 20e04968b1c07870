import fs, { cpSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FactSink, writeFact } from "../../../src/engines/durable/fact-rows.ts";
import { headOf } from "../../../src/engines/durable/message-row.ts";
import { RowBytes } from "../../../src/engines/durable/row-bytes.ts";
import { StoreDatabase } from "../../../src/engines/durable/store-database.ts";
import { storeDirectory } from "./store-directory.support.ts";

let directory = "";
beforeEach(async () => {
  directory = await storeDirectory();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(directory, { recursive: true });
});

function batch(at: number): Uint8Array {
  const rows = new RowBytes();
  writeFact(rows, { kind: "used", entity: at, at });
  return rows.take();
}

/** The entities that the file of a store knows. */
function entitiesIn(folder: string): readonly (number | undefined)[] {
  const database = new StoreDatabase(folder);
  const sink = new FactSink();
  for (const _row of database.rows(() => sink, headOf)) continue;
  database.close();
  return sink.facts.map((fact) => ("entity" in fact ? fact.entity : undefined));
}

describe("the file of a store", () => {
  it("keeps a batch once, and takes no other, when the number of its commit cannot be written behind it", () => {
    const living = join(directory, "living");
    const database = new StoreDatabase(living);
    database.commit(batch(1));
    vi.spyOn(fs, "writeSync").mockImplementation(() => {
      throw new Error("EIO");
    });
    syncBuiltinESMExports();

    database.commit(batch(2));

    expect(() => database.commit(batch(3))).toThrow(expect.objectContaining({ code: "Closed" }));
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    // As a process leaves it that is started again.
    cpSync(living, join(directory, "left"), { recursive: true });
    database.close();
    expect(entitiesIn(join(directory, "left"))).toEqual([1, 2]);
  });
});
