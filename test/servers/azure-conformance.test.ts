import { describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/conformance/index.ts";
import { azureCapabilities } from "../../src/engines/azure/capabilities.ts";
import { azureDeviations } from "../engines/azure/deviations.support.ts";
import { serveAzure } from "../engines/azure/served.support.ts";

const target: EngineTarget = { open: () => serveAzure(), deviations: azureDeviations };

describe("the engine over AMQP keeps the promises of the message model, against our own server", () => {
  for (const engineCase of engineSuite) {
    it(`${engineCase.name}: ${engineCase.promise}`, async () => {
      const result = await runEngineCase(engineCase, target);

      if (result.outcome === "failed") throw result.error;
      const isRefused = engineCase.needs.some((need) => azureCapabilities[need].level === "refused");
      const isDeviation = Object.hasOwn(azureDeviations, engineCase.name);
      expect(result.outcome).toBe(isRefused ? "skipped" : isDeviation ? "deviation" : "passed");
    });
  }
});
