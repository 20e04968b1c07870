import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";

describe("the JSON form of values", () => {
  it.each([
    ["renders a thousand levels in a process that has just begun", [], "rendered"],
    ["tells by its own error when a process has less stack than that", ["--stack-size=150"], "UnsupportedValue"],
  ])("%s", (_, options, told) => {
    const program = `
      import { valueToJson } from "sobre/values";
      let deep = 1;
      for (let level = 0; level < 1000; level++) deep = { a: deep };
      try {
        valueToJson(deep);
        console.log("rendered");
      } catch (error) {
        console.log(error.code ?? error);
      }`;
    const run = ["--conditions=sobre-source", ...options, "--input-type=module", "--eval", program];

    expect(execFileSync(process.execPath, run, { encoding: "utf8", cwd: `${import.meta.dirname}/../..` }).trim()).toBe(
      told,
    );
  });
});
