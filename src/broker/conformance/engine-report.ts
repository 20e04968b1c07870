import { checkOption, having, listOf, anObject, number, text } from "../../core/options/option-checks.ts";
import { type Capability, capabilityNames, type Support } from "../../core/engine/capabilities.ts";
import { type EngineTarget, engineTarget, runEngineCase } from "./engine-case.ts";
import { engineSuite } from "./engine-suite.ts";

/** An engine's result for one capability. */
export interface CapabilityReport {
  readonly capability: Capability;
  readonly level: Support["level"];
  readonly note: string | undefined;
  /** Cases of the suite that need the capability. */
  readonly cases: number;
  readonly passed: number;
  readonly deviations: number;
}

/** An engine's result for the whole conformance suite. */
export interface EngineReport {
  readonly engine: string;
  readonly cases: number;
  readonly passed: number;
  readonly skipped: number;
  readonly deviations: number;
  readonly failed: readonly string[];
  readonly capabilities: readonly CapabilityReport[];
}

/** Runs every case and sums up. */
export async function reportEngine(target: EngineTarget): Promise<EngineReport> {
  checkOption("target", target, engineTarget);
  const opened = await target.open();
  const { name, capabilities } = opened.engine;
  await (opened.close?.() ?? opened.engine.close());
  const results = new Map<string, string>();
  for (const engineCase of engineSuite) results.set(engineCase.name, (await runEngineCase(engineCase, target)).outcome);
  const count = (outcome: string, needs?: Capability): number =>
    engineSuite.filter((one) => (needs === undefined || one.needs.includes(needs)) && results.get(one.name) === outcome)
      .length;
  return {
    engine: name,
    cases: engineSuite.length,
    passed: count("passed"),
    skipped: count("skipped"),
    deviations: count("deviation"),
    failed: engineSuite.filter((one) => results.get(one.name) === "failed").map((one) => one.name),
    capabilities: capabilityNames.map((capability) => ({
      capability,
      level: capabilities[capability].level,
      note: capabilities[capability].note,
      cases: engineSuite.filter(({ needs }) => needs.includes(capability)).length,
      passed: count("passed", capability),
      deviations: count("deviation", capability),
    })),
  };
}

const aReport = having("a report of reportEngine", {
  engine: text,
  cases: number,
  passed: number,
  capabilities: listOf("capabilities", anObject),
});

/** The report as a Markdown table, one row per capability. */
export function renderEngineReport(report: EngineReport): string {
  checkOption("report", report, aReport);
  const { engine, cases, passed, capabilities } = report;
  const rows = capabilities.map((row) => `| ${row.capability} | ${row.level} | ${row.passed} of ${row.cases} |`);
  return [
    `| capability | ${engine} engine | cases passed |`,
    "| --- | --- | --- |",
    ...rows,
    `| all | | ${passed} of ${cases} |`,
  ].join("\n");
}
