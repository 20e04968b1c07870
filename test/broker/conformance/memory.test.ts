import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  engineSuite,
  type EngineTarget,
  renderEngineReport,
  reportEngine,
  runEngineCase,
} from "../../../src/broker/conformance/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";

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

  it("counts its cases on the page about engines, for each engine that is held to them", () => {
    const page = readFileSync(new URL("../../../docs/engines.md", import.meta.url), "utf8");

    const lines = page.matchAll(/^\| (?:all|\[`(?:durable|postgres)Engine).*\| (\d+ of \d+) +\|$/gm);
    const counts = Array.from(lines, ([, count]) => count);

    expect(counts).toHaveLength(3);
    expect(new Set(counts)).toEqual(new Set([`${engineSuite.length} of ${engineSuite.length}`]));
  });

  it("fails a deviation that does not deviate any more", async () => {
    const [engineCase] = engineSuite;
    if (engineCase === undefined) throw new Error("The suite is empty.");
    const deviations = { [engineCase.name]: "was broken once" };

    const result = await runEngineCase(engineCase, { ...target, deviations });

    expect(result.outcome).toBe("failed");
  });

  it("skips what an engine refuses, and says so", async () => {
    const refusing: EngineTarget = {
      async open() {
        const opened = await target.open();
        const { capabilities } = opened.engine;
        const refused = { ...capabilities, sessions: { level: "refused", note: "none here" } } as const;
        return Object.assign(opened, {
          engine: Object.create(opened.engine, { capabilities: { value: refused } }),
          close: () => Promise.resolve(),
        });
      },
    };
    const engineCase = engineSuite.find(({ needs }) => needs.includes("sessions"));
    if (engineCase === undefined) throw new Error("No case needs sessions.");

    const result = await runEngineCase(engineCase, refusing);

    expect(result).toMatchObject({ outcome: "skipped", reason: "The engine refuses sessions." });
  });

  it("is summed up as a table of capabilities, each covered by cases", async () => {
    const report = await reportEngine(target);

    expect(report).toMatchObject({ engine: "memory", passed: engineSuite.length, skipped: 0, failed: [] });
    for (const { capability, cases } of report.capabilities) expect(cases, capability).toBeGreaterThan(1);
    expect(renderEngineReport(report)).toContain(`| all | | ${engineSuite.length} of ${engineSuite.length} |`);
  });
});
