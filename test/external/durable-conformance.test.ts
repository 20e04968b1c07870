import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/broker/conformance/index.ts";
import { durableEngine } from "../../src/broker/durable/durable-engine.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";

const target: EngineTarget = {
  async open() {
    const clock = new ManualClock();
    const directory = await storeDirectory();
    const engine = await durableEngine({ directory, clock, memoryBudget: 0 });
    return {
      engine,
      advance: (milliseconds) => clock.advance(milliseconds),
      async close() {
        await engine.close();
        await rm(directory, { recursive: true });
      },
    };
  },
};

describe("the durable engine keeps every promise of the message model", () => {
  for (const engineCase of engineSuite) {
    it(`${engineCase.name}: ${engineCase.promise}`, async () => {
      const result = await runEngineCase(engineCase, target);

      if (result.outcome === "failed") throw result.error;
      expect(result).toEqual({ name: engineCase.name, outcome: "passed" });
    });
  }
});
