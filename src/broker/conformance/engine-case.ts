import {
  checkOption,
  having,
  aFunction,
  text,
  listOf,
  oneOf,
  maybe,
  anObject,
  type OptionCheck,
} from "../../core/options/option-checks.ts";
import { duration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { type Capability, capabilityNames } from "../../core/engine/capabilities.ts";
import { type CodecCaseResult, outcomeOf } from "./codec-case.ts";
import { EngineHarness, type OpenedEngine } from "./engine-harness.ts";

/** An engine that the suite is run on. */
export interface EngineTarget {
  /** Called once per case. */
  open(): Promise<OpenedEngine>;
  /** How long a receive waits for messages that must be there. Default: 0. */
  readonly patience?: DurationLike;
  /** Cases that the engine departs from, by name, with the reason; one that passes all the same has failed. */
  readonly deviations?: Readonly<Record<string, string>>;
}

/** One promise of the message model, checkable by any test runner on any engine. */
export interface EngineCase {
  /** Short and stable, for `deviations` and reports. */
  readonly name: string;
  /** The promise of every engine, in one sentence, and its source. */
  readonly promise: string;
  /** The case is skipped on an engine that refuses one of these. */
  readonly needs: readonly Capability[];
  /** Rejects with an `Error` that says how the promise was broken. */
  readonly run: (harness: EngineHarness) => Promise<void>;
}

const aCase = having("a case of the suite", {
  name: text,
  needs: listOf("capabilities", oneOf(...capabilityNames)),
  run: aFunction,
});

/** A target has a function that opens an engine. */
export const engineTarget: OptionCheck = having("a target", {
  open: aFunction,
  patience: maybe(duration),
  deviations: maybe(anObject),
});

/** Cases by their names; those that name no capabilities need `needs`. */
export function engineCases(
  needs: readonly Capability[],
  cases: Readonly<Record<string, Omit<EngineCase, "name" | "needs"> & Partial<Pick<EngineCase, "needs">>>>,
): readonly EngineCase[] {
  return Object.entries(cases).map(([name, engineCase]) => ({ name, needs, ...engineCase }));
}

/** The outcome of a case. */
export type EngineCaseResult = CodecCaseResult;

/**
 * Runs one case on a fresh engine and never rejects.
 *
 * A declared deviation must still deviate: when the case passes all the same, it has failed.
 */
export async function runEngineCase(engineCase: EngineCase, target: EngineTarget): Promise<EngineCaseResult> {
  checkOption("engineCase", engineCase, aCase);
  checkOption("target", target, engineTarget);
  const { name } = engineCase;
  const patience = toMilliseconds(target.patience ?? 0, "target.patience");
  const opened = await target.open();
  try {
    const refused = engineCase.needs.find((need) => opened.engine.capabilities[need].level === "refused");
    if (refused !== undefined) return { name, outcome: "skipped", reason: `The engine refuses ${refused}.` };
    let thrown: { readonly error: unknown } | undefined;
    try {
      await engineCase.run(new EngineHarness(opened, patience));
    } catch (error) {
      thrown = { error };
    }
    return outcomeOf(name, target.deviations, thrown);
  } finally {
    await (opened.close?.() ?? opened.engine.close());
  }
}
