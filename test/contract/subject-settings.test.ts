import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subjectOf } from "../../src/contract/subjects/subject.ts";
import { subjectSchema } from "../../src/contract/subjects/subject-settings.ts";
import { compileJsonSchema } from "../../src/core/json-schema/ajv.ts";

const schemas = fileURLToPath(new URL("../../schemas", import.meta.url));
const published: unknown = JSON.parse(readFileSync(join(schemas, "subject.schema.json"), "utf8"));
const problemsOf = compileJsonSchema(published);

const version = {
  version: "1.0",
  format: "json-schema",
  file: "a/1.0.schema.json",
  text: "true",
  parts: [],
  schema: true,
} as const;

function isRead(settings: unknown): boolean {
  try {
    subjectOf("a", settings, [version]);
    return true;
  } catch {
    return false;
  }
}

/** A good value of a setting more often than one of those that are wrong. */
function either(good: readonly unknown[], wrong: readonly unknown[] = []): fc.Arbitrary<unknown> {
  const refused = fc.constantFrom(...wrong, 5, null, [1]);
  return fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: refused });
}

const { policy: policySchema } = subjectSchema.properties;
const { ignore: _, $comment: __, ...choices } = policySchema.properties;
const policies = fc.record(
  {
    ...Object.fromEntries(Object.entries(choices).map(([name, { enum: values }]) => [name, either(values)])),
    ignore: either([["member-required"], []]),
    $comment: fc.constant("why"),
  },
  { requiredKeys: [] },
);

const settings = fc.record(
  {
    owner: either(["shop", "x"]),
    codecs: either([["json"], []]),
    policy: fc.oneof(
      { weight: 9, arbitrary: policies },
      { weight: 1, arbitrary: either([{}], [{ formatz: "either" }]) },
    ),
    inFlight: either(
      [[{ service: "web", produces: ["1.0"], consumes: [] }], [{ service: "web" }], []],
      [[{ produces: ["1.0"] }], [{ service: "web", produce: ["1.0"] }], [{ service: "web", consumes: "1.0" }]],
    ),
    envelope: either(
      [{ brokerProperties: { subject: "a" } }, { applicationProperties: { a: 1 } }, {}],
      [{ brokerProperties: { contentType: "text/plain" } }, { properties: {} }],
    ),
    $schema: fc.constant("subject.schema.json"),
  },
  { requiredKeys: [] },
);
const misspelt = fc.record({ inflight: fc.constant([]), owner: either(["shop"]) }, { requiredKeys: ["inflight"] });

describe("the JSON Schema of subject.json", () => {
  it("is published as the code has it", () => {
    expect(published).toEqual(subjectSchema);
  });

  it("accepts the settings of this repository's subjects", () => {
    const files = globSync("*/subject.json", { cwd: schemas });

    expect(files.length).toBeGreaterThan(3);
    for (const file of files)
      expect(problemsOf(JSON.parse(readFileSync(join(schemas, file), "utf8"))), file).toEqual([]);
  });

  it("accepts what the command reads, and refuses what it refuses", () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: settings }, { weight: 1, arbitrary: misspelt }), (made) => {
        const isAccepted = problemsOf(made).length === 0;
        if (isAccepted) read++;
        expect(isRead(made)).toBe(isAccepted);
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(1900);
  });
});
