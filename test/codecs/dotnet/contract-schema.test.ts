import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { contractOf } from "./contracts.ts";

const schema: object = JSON.parse(
  readFileSync(new URL("../../../schemas/dotnet-contract.schema.json", import.meta.url), "utf8"),
);
const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);

describe("the schema of contracts", () => {
  it.each([
    ["Sobre.Fixtures.Order"],
    ["System.Int32[]"],
    ["System.Guid"],
    ["System.Collections.Generic.Dictionary`2[System.String,System.Object]"],
  ])("accepts the contract of %s", (clrType) => {
    expect(validate(contractOf(clrType)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    [{ "x-dotnet": "integer" }],
    [{ "x-dotnet": { order: "first" } }],
    [{ properties: { a: 5 } }],
    [{ "x-dotnet": { type: "enum", members: { A: 1.5 } } }],
  ])("refuses %j", (contract) => {
    expect(validate(contract)).toBe(false);
  });
});
