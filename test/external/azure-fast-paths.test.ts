import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { startServer } from "../../src/serve/server/index.ts";
import { counting } from "../serve/server/fast-paths.support.ts";
import { loadOf, officialClients } from "./official-programs.support.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it.each(officialClients)(
  "at least 95 of 100 frames of the official client for %s take the short ways, sent one by one and in batches, settled one by one",
  async (client) => {
    await using server = await startServer({ queues: ["q"] });
    const hits = counting();

    await promisify(execFile)(...loadOf(client, server.connectionString, "q", 200));

    const counted = hits();
    const { transfers, dispositions, deliveries } = counted;
    expect(transfers.all).toBeGreaterThanOrEqual(102);
    expect(dispositions.all).toBeGreaterThan(0);
    expect(deliveries.all).toBeGreaterThanOrEqual(200);
    for (const { short, all } of [transfers, dispositions, deliveries])
      expect(short / all, JSON.stringify(counted)).toBeGreaterThanOrEqual(0.95);
  },
);
