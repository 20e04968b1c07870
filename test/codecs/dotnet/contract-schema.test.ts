import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { dataContractJson, type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { contractOf } from "./contracts.support.ts";
import { shown } from "./decoding.support.ts";

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

  it("accepts the contract of the page, which nbfx and the JSON reader understand", () => {
    const page = readFileSync(new URL("../../../docs/legacy.md", import.meta.url), "utf8");
    const contract: DotnetContract = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? "");

    expect(validate(contract), JSON.stringify(validate.errors)).toBe(true);
    const guid = "00112233-4455-6677-8899-aabbccddeeff";
    const body = `{"Id":"${guid}","Lines":[{"Sku":"1"}],"Status":1,"Paid":null}`;
    expect(shown(dataContractJson({ contracts: [contract] }), body)).toEqual({
      Id: { $guid: guid },
      Lines: [{ Sku: "1" }],
      Status: { $enum: "Paid", value: "1" },
      Paid: null,
    });
    expect(nbfx({ contracts: [contract] }).name).toBe("nbfx");
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
