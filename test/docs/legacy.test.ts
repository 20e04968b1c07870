import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { contractFromSources } from "../../src/migration/csharp/contract-from-sources.ts";
import { valueToJson } from "../../src/core/values/value-json.ts";
import * as values from "../../src/core/values/index.ts";
import { decode } from "../codecs/dotnet/decoding.support.ts";

const page = readFileSync(new URL("../../docs/legacy.md", import.meta.url), "utf8");
const [, section = ""] = page.split("## Types and values");
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => line.split("|").slice(1, -1));

/** Sources for the rows whose types have no name of .NET's own. */
const own = `enum State { Open = 1, Paid = 2 } [DataContract] class Line { [DataMember] string Sku; [DataMember] int Qty; }`;
const named: Readonly<Record<string, readonly string[]>> = {
  "an enumeration": ["State"],
  "a class or struct": ["Line"],
  "`T[]`, `List<T>` and other lists": ["int[]", "List<int>", "HashSet<int>", "ICollection<int>"],
};

function codesIn(cell: string): readonly string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

const scope = Object.entries(values);

function valueOf(code: string): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code of the page itself
  const make = new Function(...scope.map(([name]) => name), `return (${code});`);
  return make(...scope.map(([, value]) => value));
}

const context = { contentType: undefined, applicationProperties: {}, bodyKind: "data" } as const;

describe("the table of types and values on the page about legacy payloads", () => {
  const cases = rows.flatMap(([types = "", read = "", others = ""]) =>
    (named[types.trim()] ?? codesIn(types)).flatMap((type) =>
      codesIn(read).map((value) => ({ type, value, others: codesIn(others) })),
    ),
  );

  it("has the scalars and collections", () => {
    expect(cases.length).toBeGreaterThanOrEqual(35);
  });

  it.each(cases)("holds for $type and $value", ({ type, value, others }) => {
    const { contract } = contractFromSources([{ path: "own.cs", text: own }], { type });
    const codec = nbfx({ contracts: [contract] });
    const { payload } = codec.encode(valueOf(value), context);

    const decoded = decode(codec, payload);

    expect("body" in decoded && valueToJson(decoded.body)).toEqual(valueToJson(valueOf(value)));
    for (const other of others) expect(codec.encode(valueOf(other), context).payload).toEqual(payload);
  });
});
