import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";
import { type JsonSchema, jsonSchema } from "../../src/core/json-schema/index.ts";

const wide = (count: number, required: number): JsonSchema => ({
  type: "object",
  required: Array.from({ length: required }, (_, at) => `p${at}`),
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string", maxLength: at + 1 }]),
  ),
});

/** Milliseconds of processor time. */
async function cost(run: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

describe("an object of 1,000 required properties", () => {
  it.each([
    ["with another one required", wide(1000, 1000), wide(1001, 1001), "breaking"],
    ["with an optional one required", wide(1000, 999), wide(1000, 1000), "breaking"],
    ["with one removed", wide(1001, 1001), wide(1000, 1000), "safe"],
    ["with one no longer required", wide(1000, 1000), wide(1000, 999), "safe"],
  ] as const)("is decided for at most twice what the validators of its two versions cost, %s", async (...given) => {
    const [, older, newer, verdict] = given;
    const validate = (): unknown[] => [older, newer].map((schema) => jsonSchema(schema)["~standard"].validate({}));
    const decide = async (): Promise<void> => {
      expect((await checkCompatibility({ format: "json-schema", older, newer })).verdict).toBe(verdict);
    };
    let [decided, validated] = [Infinity, Infinity];
    // Both get warm, and a busy machine takes some rounds.
    for (let round = 0; round < 40 && !(decided < 2 * validated && round > 3); round++) {
      validated = Math.min(validated, await cost(validate));
      decided = Math.min(decided, await cost(decide));
    }

    expect(decided).toBeLessThan(2 * validated);
  });
});
