import { checkCompatibility } from "./check-compatibility.ts";
import { compatibilityMessage } from "./contract-suite.ts";
import type { CompatibilityOptions } from "./options.ts";

/** What a matcher gives to vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Options of `toBeCompatibleWith`. */
export type CompatibleWithOptions = Partial<Omit<CompatibilityOptions, "older" | "newer">>;

/** Matchers for `expect.extend(contractMatchers)`: `await expect(newer).toBeCompatibleWith(older, options)`. */
export const contractMatchers: {
  toBeCompatibleWith(newer: unknown, older: unknown, options?: CompatibleWithOptions): Promise<MatcherResult>;
} = {
  async toBeCompatibleWith(newer, older, options = {}) {
    const result = await checkCompatibility({ format: "json-schema", ...options, older, newer });
    return { pass: result.verdict === "safe", message: () => compatibilityMessage(result) };
  },
};
