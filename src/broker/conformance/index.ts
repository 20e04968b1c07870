export { type CodecCase, type CodecCaseResult, runCodecCase } from "./codec-case.ts";
export { sameValue } from "./codec-equality.ts";
export { codecSuite } from "./codec-suite.ts";
export type { CodecTarget, UnsupportedBody } from "./codec-target.ts";
export { type EngineCase, type EngineCaseResult, type EngineTarget, runEngineCase } from "./engine-case.ts";
export type { EngineHarness, OpenedEngine } from "./engine-harness.ts";
export { type CapabilityReport, type EngineReport, renderEngineReport, reportEngine } from "./engine-report.ts";
export { engineSuite } from "./engine-suite.ts";
