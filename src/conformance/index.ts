export * from "./codec.ts";
export {
  type EngineCase,
  type EngineCaseResult,
  type EngineTarget,
  type OpenedEngine,
  runEngineCase,
} from "./engine-case.ts";
export { EngineHarness } from "./engine-harness.ts";
export { engineSuite } from "./engine-suite.ts";
