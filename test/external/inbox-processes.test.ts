import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { runProcesses } from "./inbox-processes.support.ts";

const folder = mkdtempSync(join(tmpdir(), "sobre-inbox-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("an inbox in SQLite", () => {
  it("lets two processes, with clocks apart and killed at any time, handle each of 200 messages once", async () => {
    const where = join(folder, "shop.sqlite");
    const database = new DatabaseSync(where);
    database.exec("pragma journal_mode = wal; create table effect (id text, process integer)");

    await runProcesses({ kind: "sqlite", where, messages: 200, kills: 12 });

    const row = database.prepare("select count(*) as all_of, count(distinct id) as different from effect").get();
    const processes = database.prepare("select count(distinct process) as number from effect").get();
    database.close();
    expect({ ...row }).toEqual({ all_of: 200, different: 200 });
    expect(Number(processes?.["number"])).toBeGreaterThan(1);
  });
});
