import { checkCompatibility } from "./check-compatibility.ts";
import { compatibilityMessage } from "./contract-suite.ts";
import type { MatcherResult } from "../testing/matchers.ts";
import type { CompatibilityOptions } from "./options.ts";

/** Options of `toBeCompatibleWith`. */
export type CompatibleWithOptions = Partial<Omit<CompatibilityOptions, "older" | "newer">>;

/**
 * Matchers for `expect.extend(contractMatchers)`: `await expect(newer).toBeCompatibleWith(older, options)`. An unproven
 * pair fails, with `.not` too.
 */
export const contractMatchers: {
  toBeCompatibleWith(
    this: unknown,
    newer: unknown,
    older: unknown,
    options?: CompatibleWithOptions,
  ): Promise<MatcherResult>;
} = {
  async toBeCompatibleWith(newer, older, options = {}) {
    const isNot = typeof this === "object" && this !== null && "isNot" in this && this.isNot === true;
    const result = await checkCompatibility({ format: "json-schema", ...options, older, newer });
    const pass = result.verdict === "unproven" ? isNot : result.verdict === "safe" || result.verdict === "tested";
    return { pass, message: () => compatibilityMessage(result) };
  },
};
