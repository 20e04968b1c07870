import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DotnetContract } from "../../../codecs/dotnet/index.ts";
import { contractFromSources } from "../../../src/migration/csharp/contract-from-sources.ts";
import { readWith, type Written } from "./contract-reading.support.ts";

const folder = new URL("../../../fixtures/legacy/contracts/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

const printed: DotnetContract = JSON.parse(read("Shop.json"));
const payloads: readonly Written[] = JSON.parse(read("payloads.json"));
const { contract, problems } = contractFromSources([{ path: "Shop.cs", text: read("Shop.cs") }]);

describe("a contract from sources", () => {
  it("is the one that reflection over the compiled types prints", () => {
    expect(contract).toEqual(printed);
  });

  it("names what it does not express by file and line", () => {
    expect(problems).toEqual([
      {
        file: "Shop.cs",
        line: 45,
        message: "Acme.Shop.Order.Comparable: IComparable is neither in these sources nor a type that contracts know",
      },
    ]);
  });

  it("is one for all serializers: binary and text XML, .NET's JSON and XmlSerializer, without a warning", () => {
    const warned = payloads.map((payload) => [payload.name, readWith(contract, payload)]);

    expect(payloads.map(({ family }) => family)).toEqual(expect.arrayContaining(["nbfx", "dcs", "json", "xs"]));
    expect(warned).toEqual(warned.map(([name]) => [name, expect.objectContaining({ warnings: [] })]));
  });

  it("gives a value the same members in every data contract format", () => {
    for (const name of ["order without lines", "holder", "savings"]) {
      const values = payloads
        .filter((payload) => payload.name === name && payload.family !== "xs")
        .map((payload) => JSON.stringify(readWith(contract, payload)).replaceAll('{"$int64":"5"}', "5"));

      expect(values).toHaveLength(3);
      expect(new Set(values).size).toBe(1);
    }
  });

  it("reads attributes, text, lists without an element around them and names of XmlSerializer", () => {
    const values = payloads
      .filter(({ family }) => family === "xs")
      .map((payload) => [payload.name, readWith(contract, payload)]);

    expect(Object.fromEntries(values)).toEqual({
      savings: {
        value: { Amounts: [{ $decimal: "2" }, { $decimal: "3.5" }], Owner: "Luis", Level: 2, Rate: 0.5 },
        warnings: [],
      },
      invoice: {
        value: {
          id: 7,
          notes: ["uno"],
          Due: { $dateTime: "2024-07-01T00:00:00Z", kind: "utc", ticks: "638553888000000000" },
          line: [
            { unit: "kg", Amount: { $decimal: "1.250" } },
            { unit: null, Amount: { $decimal: "2" } },
          ],
          Mode: { $enum: "p", value: "2" },
          Codes: ["5", ""],
        },
        warnings: [],
      },
      "invoice of one": {
        value: {
          id: 8,
          Due: null,
          line: [{ unit: "l", Amount: { $decimal: "3" } }],
          Mode: { $enum: "a", value: "1" },
          Codes: [],
          notes: null,
        },
        warnings: [],
      },
      credit: {
        value: {
          id: 9,
          Due: null,
          Mode: { $enum: "a", value: "1" },
          Codes: [],
          reason: "5",
          line: null,
          notes: null,
        },
        warnings: [],
      },
    });
  });
});
