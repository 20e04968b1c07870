import { afterAll, beforeAll } from "vitest";

/** For tests that make tens of thousands of errors whose stacks nobody reads: to record them takes longer than the rest. */
export function withoutStacks(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));
}
