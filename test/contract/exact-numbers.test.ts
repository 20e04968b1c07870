import { assert, double, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { check, contractFolders } from "../cli/contract/folders.support.ts";
import { parseSchemaText } from "../../src/contract/subjects/subject-files.ts";

const { folderOf } = contractFolders();

describe("numbers in schema files", () => {
  it.each([
    ["an integer beyond 2^53", "9007199254740993"],
    ["the greatest 64-bit integer", "9223372036854775807"],
    ["a fraction of 17 digits", "0.30000000000000001"],
    ["a number below the least double", "1e-400"],
    ["a number beyond the greatest double", "1e400"],
    ["an exponent of many digits", "1e999999999"],
  ])("are refused where a double would round them: %s", (_, number) => {
    for (const [file, text] of [
      ["a.json", `{"maximum": ${number}}`],
      ["a.yaml", `maximum: ${number.replace(/^1e/, "1.0e")}`],
    ] as const)
      expect(() => parseSchemaText(text, file)).toThrow(
        expect.objectContaining({ name: "SobreError", message: expect.stringContaining("a double cannot hold") }),
      );
  });

  it.each([
    ["an even integer beyond 2^53", "9007199254740992", 2 ** 53],
    ["a power of ten", "1E+21", 1e21],
    ["zeros at the end", "1.50000000000000000000", 1.5],
    ["zeros before an exponent", "120e-1", 12],
    ["a zero with a sign", "-0.0", -0],
    ["an exponent that is small", "0.00000000000000000001", 1e-20],
  ])("are read where a double holds them: %s", (_, number, value) => {
    expect(parseSchemaText(`{"maximum": ${number}}`, "a.json")).toEqual({ maximum: value });
  });

  it("are read however a double is written", () => {
    assert(
      property(double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseSchemaText(`[${JSON.stringify(value)}]`, "a.json")).toEqual([
          value === 0 ? expect.anything() : value,
        ]);
        expect(parseSchemaText(JSON.stringify(`${value}`), "a.json")).toBe(`${value}`);
      }),
    );
  });

  it("end the check before two bounds count as one", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": '{ "type": "integer", "maximum": 9007199254740993 }',
      "order/1.1.schema.json": '{ "type": "integer", "maximum": 9007199254740992 }',
    });

    const { code, terminal } = await check(folder);

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("order/1.0.schema.json has the number 9007199254740993");
  });
});
