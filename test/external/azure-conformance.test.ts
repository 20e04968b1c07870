import { describe, expect, it } from "vitest";
import { engineSuite, type EngineTarget, runEngineCase } from "../../src/broker/conformance/index.ts";
import { azureCapabilities } from "../../src/broker/azure/capabilities.ts";
import { azureDeviations } from "../broker/azure/deviations.support.ts";
import { serveAzure } from "../broker/azure/served.support.ts";

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
