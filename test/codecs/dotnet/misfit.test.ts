import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, nbfx } from "../../../codecs/dotnet/index.ts";
import type { Decoder } from "../../../src/core/codec/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { decode } from "./decoding.support.ts";

const encodeContext = { contentType: undefined, applicationProperties: {} };

const contract = {
  title: "Order",
  "x-dotnet": { defaultNamespace: "urn:o" },
  properties: {
    Bin: { "x-dotnet": "bytes" },
    By: { additionalProperties: { "x-dotnet": "int" } },
    Id: { "x-dotnet": "int" },
    Line: { $ref: "#/$defs/Line" },
    Lines: { items: { $ref: "#/$defs/Line" } },
    Ro: { "x-dotnet": "guid" },
    State: { "x-dotnet": { type: "enum", name: "State", members: { Open: 1 } } },
    Tags: { items: { "x-dotnet": "string" } },
  },
  $defs: { Line: { properties: { Qty: { "x-dotnet": "int" } } } },
};

const arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
const bin = "<Bin>!</Bin>";
const good = '<Id>7</Id><Lines><Line><Qty>1</Qty></Line><Line><Qty>2</Qty></Line></Lines><Tags xmlns:a="urn:a"/>';

/** A body with the warnings about it. */
function read(decoder: Decoder, payload: Uint8Array | string): readonly [unknown, readonly string[] | undefined] {
  const decoded = decode(decoder, payload);
  return "body" in decoded ? [valueToJson(decoded.body), decoded.warnings] : [undefined, undefined];
}

const order = (members: string): string =>
  `<Order xmlns="urn:o" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${members}</Order>`;
const not = (path: string, what: string): string =>
  `${path} does not fit its contract (${what}); it was kept as written.`;

describe("a member that does not fit its contract", () => {
  const xml = dataContractXml({ contracts: [contract] });

  it.each([
    ["bytes", bin, { Bin: "!" }, not("$.Bin", "bytes")],
    ["a guid", "<Ro>12</Ro>", { Ro: "12" }, not("$.Ro", "guid")],
    ["a name that an enumeration lacks", "<State>Shut</State>", { State: "Shut" }, not("$.State", "State")],
    ["elements where a scalar is", "<Id><A>1</A></Id>", { Id: { A: 1 } }, not("$.Id", "int")],
    ["text where an object is", "<Line>12</Line>", { Line: "12" }, not("$.Line", "Line")],
    ["text where a list is", "<Lines>12</Lines>", { Lines: "12" }, not("$.Lines", "list")],
    ["text where a dictionary is", "<By>12</By>", { By: "12" }, not("$.By", "dictionary")],
    [
      "other entries",
      "<By><e><K>1</K></e><e><K>2</K></e></By>",
      { By: [{ K: 1 }, { K: 2 }] },
      not("$.By", "dictionary"),
    ],
    [
      "a value of a dictionary",
      `<By xmlns:a="${arrays}"><a:KeyValueOfstringint><a:Key>k</a:Key><a:Value>x</a:Value></a:KeyValueOfstringint></By>`,
      { By: { k: "x" } },
      not("$.By[value]", "int"),
    ],
    [
      "an item's member",
      "<Lines><Line><Qty>x</Qty></Line><Line><Qty>2</Qty></Line></Lines>",
      { Lines: [{ Qty: "x" }, { Qty: 2 }] },
      not("$.Lines[].Qty", "int"),
    ],
    ["members where a list is", "<Tags><A>1</A><B>2</B></Tags>", { Tags: { A: 1, B: 2 } }, not("$.Tags", "list")],
  ])("is kept by its path in XML: %s", (_, members, body, warning) => {
    expect(read(xml, order(members))).toEqual([body, [warning]]);
  });

  it("leaves the rest as the contract says", () => {
    const [body] = read(xml, order(`${bin}${good}`));

    expect(body).toEqual({ Bin: "!", Id: 7, Lines: [{ Qty: 1 }, { Qty: 2 }], Tags: [] });
  });

  it("is kept by its path in the XML of XmlSerializer, as an attribute too", () => {
    const payload = `<Order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Id="x"><Ro>none</Ro><State>Shut</State></Order>`;

    const [body, warnings] = read(dataContractXml({ contracts: [contract] }), payload);

    expect(body).toMatchObject({ Id: "x", Ro: "none", State: "Shut" });
    expect(warnings).toEqual([not("$.Id", "int"), not("$.Ro", "guid"), not("$.State", "State")]);
  });

  it("is kept by its path in binary XML, in an array record too", () => {
    const lines = { title: "Order", "x-dotnet": { defaultNamespace: "urn:o" } };
    const texts = { ...lines, properties: { Ro: { "x-dotnet": "string" }, Ns: ints("array", "int") } };
    const guids = { ...lines, properties: { Ro: { "x-dotnet": "guid" }, Ns: ints("array", "guid") } };
    const { payload } = nbfx({ contracts: [texts] }).encode({ Ro: "none", Ns: [1, 2] }, encodeContext);

    const [body, warnings] = read(nbfx({ contracts: [guids] }), payload);

    expect(body).toEqual({ Ro: "none", Ns: [1, 2] });
    expect(warnings?.toSorted()).toEqual([not("$.Ns[]", "guid"), not("$.Ro", "guid")]);
  });

  it("is kept by its path in JSON", () => {
    const payload = JSON.stringify({ Bin: [1, 256], By: [{ K: 1 }], Id: [1], Line: 5, Lines: { a: 1 }, Tags: "x" });

    const [body, warnings] = read(dataContractJson({ contract }), payload);

    expect(body).toEqual(JSON.parse(payload));
    expect(warnings).toEqual([
      not("$.Bin", "bytes"),
      not("$.By", "dictionary"),
      not("$.Id", "int"),
      not("$.Line", "Line"),
      not("$.Lines", "list"),
      not("$.Tags", "list"),
    ]);
  });

  it("takes what other writers of JSON have for bytes and enumerations", () => {
    expect(read(dataContractJson({ contract }), '{"Bin":"AQI=","State":"Open"}')).toEqual([
      { Bin: { $bytes: "AQI=" }, State: { $enum: "Open", value: "1" } },
      undefined,
    ]);
  });
});

function ints(type: string, item: string): object {
  return { items: { "x-dotnet": item }, "x-dotnet": type };
}
