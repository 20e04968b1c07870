import { describe, expect, it } from "vitest";
import { dataContractJson, type DotnetContract } from "../../../codecs/dotnet/index.ts";
import { refusal } from "../../refusal.support.ts";
import { decode, fixture, shown } from "./decoding.support.ts";

const decoder = dataContractJson();

describe("the data contract JSON decoder", () => {
  it.each([
    ["NaN", { $double: "NaN" }],
    ["[INF,-INF]", [{ $double: "INF" }, { $double: "-INF" }]],
    ["1.10", { $decimal: "1.10" }],
    ["12345678901234567890.123456789", { $decimal: "12345678901234567890.123456789" }],
    ["9007199254740993", { $int64: "9007199254740993" }],
    ["0.30000000000000004", 0.1 + 0.2],
    ["1E400", { $decimal: "1E400" }],
    [
      String.raw`"\/Date(1704067200000)\/"`,
      { $dateTime: "2024-01-01T00:00:00Z", kind: "utc", ticks: "638396640000000000" },
    ],
    [
      String.raw`"\/Date(1719828000000+0200)\/"`,
      { $dateTime: "2024-07-01T12:00:00+02:00", kind: "local", ticks: "638554320000000000" },
    ],
    [String.raw`"\/Date(99999999999999999999)\/"`, "/Date(99999999999999999999)/"],
    ['[{"Key":"a","Value":1}]', { a: 1 }],
    ['[{"Key":5,"Value":1}]', { $map: [[5, 1]] }],
    ['[{"Key":"a"}]', [{ Key: "a" }]],
    [
      '[{"Key":"a","Value":1},{"Key":"a","Value":2}]',
      [
        { Key: "a", Value: 1 },
        { Key: "a", Value: 2 },
      ],
    ],
    ['[{"Key":null,"Value":1}]', [{ Key: null, Value: 1 }]],
    [
      String.raw`[{"Key":"\/Date(0)\/","Value":1}]`,
      { $map: [[{ $dateTime: "1970-01-01T00:00:00Z", kind: "utc", ticks: "621355968000000000" }, 1]] },
    ],
    ['{"a":1,"__type":"text"}', { a: 1, __type: "text" }],
    ["0.79999999999999993", 0.7999999999999999],
    ["12345678901234.567", { $decimal: "12345678901234.567" }],
    [
      '{"__type":"Dog:#Acme.Zoo","Name":"Rex"}',
      { $type: "{http://schemas.datacontract.org/2004/07/Acme.Zoo}Dog", Name: "Rex" },
    ],
    ['{"_Build":-1,"_Major":1,"_Minor":2,"_Revision":-1}', { $version: "1.2" }],
    ['{"a":1,"a":2}', { a: 2 }],
    [" [ ] ", []],
    ["{}", {}],
  ])("reads %s", (text, expected) => {
    expect(shown(decoder, text)).toEqual(expected);
  });

  it.each(["application/json", "application/json; charset=utf-8", "application/json; charset=latin1", undefined])(
    "reads UTF-16 without a mark as that, whatever is declared: %s",
    (contentType) => {
      const little = Buffer.from('{"ñ":"€"}', "utf16le");

      for (const payload of [new Uint8Array(little), new Uint8Array(Buffer.from(little).swap16())]) {
        expect(decode(decoder, payload, contentType === undefined ? {} : { contentType })).toMatchObject({
          body: { ñ: "€" },
        });
      }
    },
  );

  it("names the type that the document names", () => {
    expect(decode(decoder, fixture("json-dcjs-animal-declared-dog.bin"))).toMatchObject({
      typeName: "{urn:sobre:zoo}Dog",
    });
  });

  const contract: DotnetContract = {
    title: "T",
    "x-dotnet": { defaultNamespace: "urn:t" },
    properties: {
      bytes: { "x-dotnet": "bytes" },
      state: { "x-dotnet": { type: "enum", name: "F", flags: true, members: { None: 0, A: 1, B: 2 } } },
      id: { "x-dotnet": "guid" },
      long: { "x-dotnet": "long" },
      map: { type: "object", additionalProperties: { type: "integer" }, "x-dotnet": { type: "map", key: "int" } },
    },
  };
  const typed = dataContractJson({ contract });

  it("reads bytes, enums, guids, longs and maps by a contract", () => {
    const text =
      '{"bytes":[1,255],"state":3,"id":"00112233-4455-6677-8899-aabbccddeeff","long":5,"map":[{"Key":1,"Value":2}]}';

    expect(decode(typed, text)).toMatchObject({ typeName: "{urn:t}T" });
    expect(shown(typed, text)).toEqual({
      bytes: { $bytes: "Af8=" },
      state: { $enum: "A B", value: "3" },
      id: { $guid: "00112233-4455-6677-8899-aabbccddeeff" },
      long: { $int64: "5" },
      map: { $map: [[1, 2]] },
    });
  });

  it.each([
    ['{"bytes":[256]}', "$.bytes does not fit its contract (bytes)"],
    ['{"map":[{"Key":1}]}', "$.map does not fit its contract (dictionary)"],
    ["[]", "$ does not fit its contract (T)"],
  ])("keeps %s as it was written where its contract does not hold it, and says so", (text, warning) => {
    expect(decode(typed, text)).toMatchObject({
      body: JSON.parse(text),
      warnings: [expect.stringContaining(warning)],
    });
  });

  it.each([
    ["", "TruncatedPayload", 0],
    ["[1,", "TruncatedPayload", 3],
    ['["ab', "TruncatedPayload", 4],
    [String.raw`["a\u00`, "TruncatedPayload", 7],
    ["[tr", "TruncatedPayload", 3],
    ["[-", "TruncatedPayload", 2],
    ["[tru]", "DecodeFailed", 1],
    ["[1 2]", "DecodeFailed", 3],
    ["[1,]", "DecodeFailed", 3],
    ['"é\u0001"', "DecodeFailed", 0],
    ["01", "TrailingBytes", 1],
    ['{"a" 1}', "DecodeFailed", 5],
    ["{a:1}", "DecodeFailed", 1],
    ["undefined", "DecodeFailed", 0],
    ["[".repeat(200), "LimitExceeded", 128],
  ])("refuses %s with %s at byte %i", (text, code, offset) => {
    expect(refusal(() => decode(decoder, text))).toMatchObject({ code, offset });
  });

  it("reads the private fields of a Queue or a Stack as the list that a contract says it is", () => {
    const list = dataContractJson({ contract: { type: "array", items: { type: "array", items: { type: "string" } } } });

    expect(shown(list, '{"_array":[["c"],[],["a"],["b","x"]],"_head":2,"_size":3,"_tail":1,"_version":5}')).toEqual([
      ["a"],
      ["b", "x"],
      ["c"],
    ]);
    expect(shown(list, '{"_array":[["a"],["b"],null],"_size":2,"_version":2}')).toEqual([["b"], ["a"]]);
    expect(decode(list, '{"_array":[],"_size":2}')).toMatchObject({
      body: { _array: [], _size: 2 },
      warnings: ["$ does not fit its contract (list); it was kept as written."],
    });
  });

  it("keeps members named __proto__ and pollutes nothing", () => {
    expect(shown(decoder, '{"__proto__":{"polluted":true}}')).toEqual(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it.each([
    [String.raw`{"at":"\/Date(1)\/"}`, "strong"],
    ['{"a":NaN,"b":1}', "strong"],
    ['{"a":[1,-INF]}', "strong"],
    ['{"__type":"Dog:#Zoo"}', "strong"],
    ["{}", "weak"],
    ["NaN", "weak"],
    ["<r/>", "no"],
    ["", "no"],
  ])("sniffs %s as %s", (text, verdict) => {
    expect(decoder.sniff?.(new TextEncoder().encode(text))).toBe(verdict);
  });

  it("chooses the one contract whose class has the members, or that the document names", () => {
    const point = { title: "Point", properties: { X: { "x-dotnet": "decimal" }, Y: { "x-dotnet": "decimal" } } };
    const named = {
      title: "Named",
      properties: { Name: { "x-dotnet": { type: "string", omitDefault: true } }, Id: { "x-dotnet": "long" } },
    };
    const other = {
      ...point,
      title: "Vector",
      properties: { X: { "x-dotnet": "double" }, Y: { "x-dotnet": "double" } },
    };
    const both = dataContractJson({ contracts: [point, named] });

    expect(shown(both, '{"X":1,"Y":2}')).toEqual({ X: { $decimal: "1" }, Y: { $decimal: "2" } });
    expect(shown(both, '{"Id":1}')).toEqual({ Id: { $int64: "1" } });
    expect(shown(both, '{"X":1}')).toEqual({ X: 1 });
    expect(shown(both, '{"X":1,"Y":2,"Z":3}')).toEqual({ X: 1, Y: 2, Z: 3 });
    expect(shown(both, "[1]")).toEqual([1]);
    const ambiguous = dataContractJson({ contracts: [point, other] });
    expect(shown(ambiguous, '{"X":1,"Y":2}')).toEqual({ X: 1, Y: 2 });
    expect(shown(ambiguous, '{"__type":"Point:","X":1,"Y":2}')).toMatchObject({ X: { $decimal: "1" } });
  });
});
