export { type CodecCase, type CodecCaseResult, runCodecCase } from "./codec-case.ts";
export { sameValue } from "./codec-equality.ts";
export { codecSuite } from "./codec-suite.ts";
export type { CodecTarget, UnsupportedBody } from "./codec-target.ts";
