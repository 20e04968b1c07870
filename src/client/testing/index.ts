export { type FaultyEngine, faultyEngine } from "./faulty-engine.ts";
export type { FaultOptions, Faults, FaultyOperation } from "./faults.ts";
export { type ExpectedDeadLetters, type MatcherResult, sobreMatchers, type SobreMatchers } from "./matchers.ts";
export type { SentMessage, SentMessages } from "./sent-messages.ts";
export { testEngine, type TestEngine } from "./test-engine.ts";
export {
  type IdleOptions,
  type PublishedMessage,
  type PublishedOptions,
  createTestHarness,
  type TestHarness,
  type TestHarnessOptions,
} from "./test-harness.ts";
