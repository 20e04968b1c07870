import { test } from "node:test";
import { engineSuite, runEngineCase } from "../../src/broker/conformance/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";

for (const engineCase of engineSuite) {
  void test(engineCase.name, async (context) => {
    const result = await runEngineCase(engineCase, {
      async open() {
        const clock = new ManualClock();
        return { engine: memoryEngine({ clock }), advance: (milliseconds) => clock.advance(milliseconds) };
      },
    });
    if (result.outcome === "failed") throw result.error;
    if (result.outcome !== "passed") context.skip(result.reason);
  });
}
