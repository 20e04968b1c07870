import { checkCompatibility } from "./check-compatibility.ts";
import { compatibilityMessage } from "./contract-suite.ts";
import type { MatcherResult } from "../client/testing/matchers.ts";
import type { CompatibilityOptions } from "./options.ts";
import { jsonSchemaOf } from "./subjects/schema-source.ts";

/** A schema of a library as the JSON Schema of its input; JSON Schemas and .proto texts as they are. */
function schemaOf(given: unknown): unknown {
  return typeof given === "string" ? given : (jsonSchemaOf(given) ?? given);
}

/** Options of `toBeCompatibleWith`. */
export type CompatibleWithOptions = Partial<Omit<CompatibilityOptions, "older" | "newer">>;

/**
 * Matchers for `expect.extend(contractMatchers)`: `await expect(newer).toBeCompatibleWith(older, options)`, for JSON Schemas,
 * schemas of zod and other libraries, and .proto texts. An unproven
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
    const format = typeof newer === "string" ? "protobuf" : "json-schema";
    const result = await checkCompatibility({ format, ...options, older: schemaOf(older), newer: schemaOf(newer) });
    const pass = result.verdict === "unproven" ? isNot : result.verdict === "safe" || result.verdict === "tested";
    return { pass, message: () => compatibilityMessage(result) };
  },
};
