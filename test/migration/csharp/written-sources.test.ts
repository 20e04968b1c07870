import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { contractFromSources } from "../../../src/migration/csharp/contract-from-sources.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";

interface Written {
  readonly name: string;
  readonly base64: string;
  readonly contract: DotnetContract;
}

const folder = new URL("../../../fixtures/legacy/dotnet/", import.meta.url);
const { payloads }: { readonly payloads: readonly Written[] } = JSON.parse(
  readFileSync(new URL("written.json", folder), "utf8"),
);
const source = { path: "Written.cs", text: readFileSync(new URL("Written.cs", folder), "utf8") };

/** The types whose names are not those of C#. */
const types: Readonly<Record<string, string>> = {
  datetime: "DateTime",
  offset: "DateTimeOffset",
  guid: "Guid",
  timespan: "TimeSpan",
  uri: "Uri",
  version: "Version",
  color: "Color",
  access: "Access",
  bare: "Bare",
  stock: "StockLine",
  plain: "Plain",
  pair: "Pair",
  auto: "Auto",
  poco: "Poco",
  derived: "Derived",
  renamed: "Renamed",
  "page-int": "Page<int>",
  "page-stock": "Page<StockLine>",
  "page-page": "Page<Page<Plain>>",
  entries: "Entries",
  names: "Names",
  lines: "Lines",
  node: "Node",
  "guid-stock": "Dictionary<Guid, List<StockLine>>",
  "color-plain": "Dictionary<Color, Plain>",
  "nested-map": "Dictionary<string, Dictionary<int, string>>",
  "map-lists": "Dictionary<string, int?[]>",
  rows: "List<List<int>>",
  everything: "Everything",
  empty: "Everything",
  spot: "Spot",
  huge: "Huge",
  "datetime-keys": "Dictionary<DateTime, int>",
  "timespan-keys": "Dictionary<TimeSpan, string>",
  "decimal-keys": "SortedDictionary<decimal, Uri>",
  "spot-keys": "Dictionary<Spot, bool>",
  jagged: "decimal[][]",
  "jagged-optional": "int?[][]",
  chunks: "List<byte[]>",
  "chunk-map": "Dictionary<string, byte[]>",
  two: "Two<string, List<Guid>>",
  "two-two": "Two<Page<Color>, Dictionary<Guid, Page<int?>>>",
  "sub-page": "SubPage",
  bald: "Bald",
  inner: "Acme.Stock.Outer.Inner",
  "inner-map": "Dictionary<Acme.Stock.Outer.Kind, Acme.Stock.Outer.Inner[]>",
  ordinal: "Ordinal",
  tuple: "Tuple<int, string, Guid>",
  pairs: "List<KeyValuePair<string, decimal>>",
  linked: "LinkedList<int>",
  qnames: "List<XmlQualifiedName>",
  "deep-map": "Dictionary<int, Dictionary<Guid, StockLine[]>>",
  open: "Open",
  "huge-values": "List<Huge>",
};

function typeOf(name: string): string {
  const known = types[name];
  if (known !== undefined) return known;
  const [, item = "", form = ""] = /^(.*?)-(list|array|map|optional|optional-map)$/.exec(name) ?? [];
  const own = types[item] ?? item;
  switch (form) {
    case "list":
      return `System.Collections.Generic.List<${own}>`;
    case "array":
      return `${own}[]`;
    case "map":
      return `Dictionary<string, ${own}>`;
    case "optional":
      return `List<${own}?>`;
    case "optional-map":
      return `Dictionary<string, Nullable<${own}>>`;
    default:
      return own;
  }
}

const context = { contentType: undefined, applicationProperties: {}, bodyKind: "data" } as const;

function readWith(contract: DotnetContract, base64: string): { readonly value: unknown; readonly again: string } {
  const codec = nbfx({ contracts: [contract], timeZone: "Europe/Madrid", keepTypes: true });
  const decoded = codec.decode(new Uint8Array(Buffer.from(base64, "base64")), {
    ...context,
    limits: resolveDecodeLimits(),
  });
  const body = "body" in decoded ? decoded.body : undefined;
  expect("warnings" in decoded ? decoded.warnings : []).toEqual([]);
  return { value: valueToJson(body), again: Buffer.from(codec.encode(body, context).payload).toString("base64") };
}

describe("a contract from the C# sources", () => {
  it.each(payloads)(
    "reads what .NET wrote to the values of .NET's own contract, and writes its bytes: $name",
    (written) => {
      const { contract, problems } = contractFromSources([source], { type: typeOf(written.name) });

      const read = readWith(contract, written.base64);

      expect(problems).toEqual([]);
      expect(read.value).toEqual(readWith(written.contract, written.base64).value);
      expect(read.again).toBe(written.base64);
    },
  );
});
