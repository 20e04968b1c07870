import { describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/conformance/index.ts";
import { memoryEngine } from "../../src/engines/memory/index.ts";
import { ManualClock } from "../../src/time/index.ts";

const target: EngineTarget = {
  async open() {
    const clock = new ManualClock();
    return { engine: memoryEngine({ clock }), advance: (milliseconds) => clock.advance(milliseconds) };
  },
};

describe("the memory engine keeps every promise of the message model", () => {
  for (const engineCase of engineSuite) {
    it(`${engineCase.name}: ${engineCase.promise}`, async () => {
      const result = await runEngineCase(engineCase, target);

      if (result.outcome === "failed") throw result.error;
      expect(result).toEqual({ name: engineCase.name, outcome: "passed" });
    });
  }
});

describe("the engine conformance suite", () => {
  it("has a name of its own for every case", () => {
    const names = engineSuite.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });

  it("fails a deviation that does not deviate any more", async () => {
    const [engineCase] = engineSuite;
    if (engineCase === undefined) throw new Error("The suite is empty.");
    const deviations = { [engineCase.name]: "was broken once" };

    const result = await runEngineCase(engineCase, { ...target, deviations });

    expect(result.outcome).toBe("failed");
  });
});
