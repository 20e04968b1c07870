import type { CodecCase } from "./codec-case.ts";
import { formCases } from "./codec-cases-form.ts";
import { hostileCases } from "./codec-cases-hostile.ts";
import { limitCases } from "./codec-cases-limits.ts";

/**
 * The promises of the codec interface as data, for any test runner: run each case with `runCodecCase` against a `CodecTarget`.
 */
export const codecSuite: readonly CodecCase[] = Object.freeze([...formCases, ...limitCases, ...hostileCases]);
