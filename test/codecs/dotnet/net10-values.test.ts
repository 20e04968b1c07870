import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, jsonNet, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { legacy, legacyJson } from "../../../codecs/legacy/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { ofNet10 } from "../../net10.support.ts";
import { decode, shown } from "./decoding.support.ts";

const list = { type: "array", items: { "x-dotnet": "int" } } as const;
const readOnly = {
  title: "R",
  "x-dotnet": { namespace: "urn:r" },
  properties: {
    C: list,
    K: list,
    RD: { additionalProperties: { "x-dotnet": "int" } },
  },
} as const;

const readers = { "binary XML": nbfx, "text XML": dataContractXml } as const;

describe("the collections of .NET that hold another one", () => {
  const expected = { C: [1, 2], K: [3], RD: { a: 1 } };

  it.each(Object.entries(readers))("are what they hold in %s, with and without a contract", (name, reader) => {
    const payload = ofNet10(name === "text XML" ? "roc-xml" : "roc-nb");

    expect(shown(reader({ contracts: [readOnly] }), payload)).toEqual(expected);
    const bare: unknown = JSON.parse(JSON.stringify(shown(reader(), payload)).replaceAll(/"(\d)"/g, "$1"));
    expect(bare).toEqual(expected);
  });

  it("are what they hold in JSON, where a contract says so", () => {
    expect(shown(dataContractJson({ contract: readOnly }), ofNet10("roc-js"))).toEqual(expected);
  });

  it("are what they hold in BinaryFormatter's payloads and in XML: HybridDictionary, StringDictionary and their kin", () => {
    const both = { H: { a: 1, b: "x" }, S: { a: "1" }, L: { a: 1 }, R: { a: 1 }, B: [1, 2] };

    expect(shown(nrbf(), ofNet10("hybrid-bf"))).toEqual({ $type: "C", ...both });
    expect(shown(dataContractXml(), ofNet10("hybrid"))).toEqual({ ...both, S: { a: "1" } });
  });
});

describe("JSON of .NET", () => {
  it("has the keys of a dictionary in the simple format by its contract", () => {
    const contract = {
      title: "D",
      properties: {
        G: { "x-dotnet": { type: "map", key: "guid" }, additionalProperties: { "x-dotnet": "int" } },
        M: { "x-dotnet": { type: "map", key: "int" }, additionalProperties: { type: "string" } },
        S: { additionalProperties: { "x-dotnet": "int" } },
      },
    } as const;

    expect(shown(dataContractJson({ contract }), ofNet10("sd-js"))).toEqual({
      G: { $map: [[{ $guid: "00000000-0000-0000-0000-000000000000" }, 1]] },
      M: {
        $map: [
          [1, "a"],
          [2, "b"],
        ],
      },
      S: { k: 1 },
    });
  });

  it("keeps a key that does not fit its contract, with a warning", () => {
    const contract = {
      title: "D",
      properties: { M: { "x-dotnet": { type: "map", key: "int" }, additionalProperties: { type: "string" } } },
    } as const;
    const read = decode(dataContractJson({ contract }), '{"M":{"x":"a"}}');

    expect(read).toMatchObject({ body: { M: new Map([["x", "a"]]) } });
    expect(read).toMatchObject({ warnings: [expect.stringContaining("does not fit its contract (int)")] });
  });

  it("recognises a DateTimeOffset that names its type", () => {
    expect(shown(dataContractJson(), ofNet10("dto-known-js"))).toEqual([
      { $dateTimeOffset: "2000-01-01T00:00:00+01:00" },
    ]);
    const version = '[{"__type":"Version:#System","_Build":-1,"_Major":1,"_Minor":2,"_Revision":-1}]';
    expect(shown(dataContractJson(), version)).toEqual([{ $version: "1.2" }]);
  });

  it.each([
    ["INF", "INF"],
    ["-INF", "-INF"],
    ["Infinity", "INF"],
    ["-Infinity", "-INF"],
    ["NaN", "NaN"],
  ])("has %s, as either of its writers says it", (written, name) => {
    expect(shown(legacyJson(), `{"a":${written},"b":[${written}]}`)).toEqual({
      a: { $double: name },
      b: [{ $double: name }],
    });
    const contract = { title: "A", properties: { a: { "x-dotnet": "double" } } } as const;
    expect(shown(dataContractJson({ contract }), `{"a": ${written}}`)).toEqual({ a: { $double: name } });
  });

  it.each([
    [-62135595960000, "+0014", "0001-01-01T00:00:00-00:14"],
    [-62135596740000, "+0001", "0001-01-01T00:00:00-00:01"],
    [0, "+0014", "1970-01-01T00:14:00+00:14"],
    [0, "-0014", "1969-12-31T23:46:00-00:14"],
    [0, "+0000", "1970-01-01T00:00:00+00:00"],
  ])("says that .NET loses the sign of an offset below an hour: %d%s", (milliseconds, offset, expected) => {
    const read = decode(dataContractJson(), String.raw`{"At":"\/Date(${milliseconds}${offset})\/"}`);

    expect(shown(dataContractJson(), String.raw`{"At":"\/Date(${milliseconds}${offset})\/"}`)).toMatchObject({
      At: { $dateTime: expected },
    });
    const isUnsure = /^\+00(?!00)/.test(offset);
    expect("warnings" in read ? read.warnings : []).toEqual(
      isUnsure ? [expect.stringContaining("has an offset of less than an hour, whose sign .NET loses")] : [],
    );
  });
});

describe("a member that names the prototype", () => {
  const hostile = ['{"__proto__":{"a":1},"When":"\\/Date(0)\\/"}', '{"x":[{"\\u005f_proto__":1}],"$type":"T"}'];

  it.each(hostile)("is refused by all readers of JSON of one serializer: %s", (payload) => {
    const rest = legacy({ jsonNet: true });
    for (const codecs of [
      [json(), ...rest],
      [legacyJson(), ...rest],
    ]) {
      const serializer = createSerializer({ codecs, fallback: codecs, whenUnknown: "fallback" });
      for (const contentType of ["application/json", undefined]) {
        const envelope = createEnvelope({ payload: Buffer.from(payload), brokerProperties: { contentType } });
        expect(serializer.deserialize(envelope).ok).toBe(false);
      }
    }
  });

  it("is kept as an own member on request", () => {
    const kept = legacyJson({ protoKey: "keep" });

    for (const decoder of [kept, dataContractJson({ protoKey: "keep" }), jsonNet({ protoKey: "keep" })]) {
      const read = decode(decoder, '{"__proto__":{"a":1},"$type":"T"}');
      expect(Object.keys(Object("body" in read ? read.body : {}))).toContain("__proto__");
    }
  });
});

it("reads every character that DataContractSerializer escapes", () => {
  expect(shown(dataContractXml(), ofNet10("nul"))).toBe("a\0b\uFFFE\uFFFF");
});
