import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../src/core/json-schema/ajv.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const jsonIn = (file: string): object => JSON.parse(readFileSync(join(root, file), "utf8"));
const golden = jsonIn("schemas/golden.schema.json");
const problemsOf = compileJsonSchema({
  $ref: "urn:sobre:schema:golden:1",
  $defs: { golden, envelope: jsonIn("schemas/envelope.schema.json") },
});
const files = globSync("fixtures/contracts/**/*.json", { cwd: root });
const whole = jsonIn("fixtures/contracts/orders.placed/1.1/json/note-type-1.json");

describe("the JSON Schema of golden messages", () => {
  it("accepts every golden message of this repository", () => {
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) expect(problemsOf(jsonIn(file)), file).toEqual([]);
  });

  it.each([
    [{ sha256: "abc" }],
    [{ expected: undefined }],
    [{ brokerProperties: { contentTyp: "application/json" } }],
    [{ contentType: "application/json" }],
    [{ metadataSha256: undefined }],
    [{ bodyKind: "text" }],
    [{ payload: { $bytes: "" } }],
  ])("refuses %j", (change) => {
    const changed: unknown = JSON.parse(JSON.stringify({ ...whole, ...change }));

    expect(problemsOf(whole)).toEqual([]);
    expect(problemsOf(changed)).not.toEqual([]);
  });
});
