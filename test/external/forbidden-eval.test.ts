import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const program = `
  const { jsonSchema } = await import(${JSON.stringify(import.meta.resolve("../../src/core/json-schema/index.ts"))});
  try { jsonSchema({ type: "string" }); } catch ({ name, code, message }) { console.log(name, code, message); }`;

it("a JSON Schema says what to do where code must not be generated from text", () => {
  const options = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];

  const printed = execFileSync(process.execPath, options, { encoding: "utf8" });

  expect(printed).toMatch(/^SobreError InvalidOperation .*--disallow-code-generation-from-strings.* zod, valibot/);
});
