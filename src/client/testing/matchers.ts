import type { DeserializeResult } from "../../core/codec/result.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { parseAddress, subQueueSuffix } from "../../core/engine/address.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { checkOption, checkOptional, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";

/** The result of a matcher in the form that `expect.extend` of vitest and jest expects. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The expectations of {@link SobreMatchers.toHaveDeadLettered}. */
export interface ExpectedDeadLetters {
  /** The number of dead letters. Default: at least one. */
  readonly count?: number | undefined;
  /** The reason of all of them. Default: any. */
  readonly reason?: string | undefined;
}

/**
 * The types of the matchers, for `expect`; with vitest 5:
 *
 *     declare module "vitest" {
 *       interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends SobreMatchers<R> {}
 *     }
 */
export interface SobreMatchers<R = void> {
  /** Whether an engine has dead letters of an entity: `await expect(engine).toHaveDeadLettered("orders", { reason: "Unreadable" })`. */
  toHaveDeadLettered(entity: string, expected?: ExpectedDeadLetters): Promise<void>;
  /**
   * Whether a serializer can read an envelope, with the named codec if one is given:
   * `expect(envelope).toBeReadableBy(serializer, "json")`.
   */
  toBeReadableBy(serializer: Serializer, codec?: string): R;
}

/** Maximum number of dead letters to inspect. */
const maxPeekedMessages = 1_000;

/** A misspelt expectation would be ignored, and everything would match. */
const expectedDeadLettersChecks: OptionChecks<ExpectedDeadLetters> = { count: is.countFrom(0), reason: is.text };

/** The matchers for `expect.extend(sobreMatchers)`. */
export const sobreMatchers: {
  toHaveDeadLettered(engine: Engine, entity: string, expected?: ExpectedDeadLetters): Promise<MatcherResult>;
  toBeReadableBy(envelope: Envelope, serializer: Serializer, codec?: string): MatcherResult;
} = {
  async toHaveDeadLettered(engine, entity, expected = {}) {
    checkOption("engine", engine, is.engine);
    checkOption("entity", entity, is.entityName);
    checkOptions(expected, expectedDeadLettersChecks);
    const { count, reason } = expected;
    const address = parseAddress(entity).subQueue === undefined ? `${entity}${subQueueSuffix.deadLetter}` : entity;
    const letters = await engine.peek(address, { maxMessages: maxPeekedMessages });
    const reasons = letters.map(({ deadLetterReason }) => deadLetterReason ?? "none");
    const fitting = reason === undefined ? reasons : reasons.filter((one) => one === reason);
    const pass = count === undefined ? fitting.length > 0 : fitting.length === count;
    const wanted = `${count ?? "at least one"}${reason === undefined ? "" : ` with the reason ${reason}`}`;
    return {
      pass,
      message: () =>
        `"${entity}" has ${letters.length} dead letters (${reasons.join(", ") || "none"}); ${pass ? "not " : ""}wanted: ${wanted}.`,
    };
  },
  toBeReadableBy(envelope, serializer, codec) {
    checkOption("serializer", serializer, is.serializer);
    checkOptional("codec", codec, is.name);
    const result = serializer.deserialize(envelope);
    const pass = result.ok && (codec === undefined || result.codec === codec);
    return {
      pass,
      message: () =>
        `The envelope was ${readingOf(result)}; ${pass ? "not " : ""}wanted: read by ${codec ?? "any codec"}.`,
    };
  },
};

function readingOf(result: DeserializeResult): string {
  return result.ok ? `read by ${result.codec}` : `not read (${result.error.code}: ${result.error.message})`;
}
