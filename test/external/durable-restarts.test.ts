import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/broker/conformance/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { type End, type Open, RestartingEngine } from "../broker/durable/restarting-engine.support.ts";

const nothingIsOpen = async ({ held, sessions, transactions, waiting, lasting }: Open): Promise<boolean> =>
  held.size === 0 && sessions.size === 0 && transactions === 0 && waiting === 0 && lasting === 0;

function target(end: End): EngineTarget {
  return {
    async open() {
      const clock = new ManualClock();
      const directory = await storeDirectory();
      const engine = await RestartingEngine.open({ directory, clock, end, between: nothingIsOpen });
      return {
        engine,
        async advance(milliseconds) {
          await engine.restarted();
          await clock.advance(milliseconds);
          await engine.settled();
        },
        async close() {
          await engine.close();
          await rm(directory, { recursive: true });
        },
      };
    },
  };
}

describe("a durable engine that ends and is opened again between any two steps", () => {
  // The proof ends each case in both ways.
  const ends: readonly End[] = ["close", "kill"];

  engineSuite.forEach((engineCase, index) => {
    const end = ends[index % 2] ?? "kill";
    it(`${engineCase.name}, after ${end}: ${engineCase.promise}`, async () => {
      const result = await runEngineCase(engineCase, target(end));

      if (result.outcome === "failed") throw result.error;
      expect(result).toEqual({ name: engineCase.name, outcome: "passed" });
    });
  });
});
