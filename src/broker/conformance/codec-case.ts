import { checkOption, having, text, aFunction, maybe, anObject } from "../../core/options/option-checks.ts";
import type { CodecTarget } from "./codec-target.ts";

/** One promise of the codec interface, checkable by any test runner. */
export interface CodecCase {
  /** Short and stable, for `deviations` and reports. */
  readonly name: string;
  /** The promise of every codec, in one sentence. */
  readonly promise: string;
  /** Why the case does not apply to a target, or `undefined` when it does. */
  readonly skip?: (target: CodecTarget) => string | undefined;
  /** Throws an `Error` that says how the promise was broken. */
  readonly run: (target: CodecTarget) => void;
}

const aCase = having("a case of the suite", { name: text, skip: maybe(aFunction), run: aFunction });
const aTarget = having("a target", { codec: anObject, deviations: maybe(anObject) });

/** The outcome of a case. */
export type CodecCaseResult =
  | { readonly name: string; readonly outcome: "passed" }
  | { readonly name: string; readonly outcome: "failed"; readonly error: unknown }
  | { readonly name: string; readonly outcome: "skipped" | "deviation"; readonly reason: string };

/**
 * Runs one case and never throws.
 *
 * A declared deviation must still deviate: when the case passes all the same, it has failed.
 */
export function runCodecCase(codecCase: CodecCase, target: CodecTarget): CodecCaseResult {
  checkOption("codecCase", codecCase, aCase);
  checkOption("target", target, aTarget);
  const { name } = codecCase;
  const inapplicable = codecCase.skip?.(target);
  if (inapplicable !== undefined) return { name, outcome: "skipped", reason: inapplicable };
  return outcomeOf(
    name,
    target.deviations,
    thrownBy(() => codecCase.run(target)),
  );
}

/** The outcome of a case by what it threw, if anything, and the declared deviations. */
export function outcomeOf(
  name: string,
  deviations: CodecTarget["deviations"],
  thrown: { readonly error: unknown } | undefined,
): CodecCaseResult {
  const declared = new Map(Object.entries(deviations ?? {})).get(name);
  if (thrown !== undefined && declared !== undefined) return { name, outcome: "deviation", reason: declared };
  if (thrown !== undefined) return { name, outcome: "failed", error: thrown.error };
  if (declared === undefined) return { name, outcome: "passed" };
  return { name, outcome: "failed", error: new Error(`"${name}" is declared as a deviation, and passes.`) };
}

/** Fails the running case unless `holds`. */
export function expect(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** The error that `action` throws, or `undefined` when it returns. */
export function thrownBy(action: () => unknown): { readonly error: unknown } | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return { error };
  }
}
