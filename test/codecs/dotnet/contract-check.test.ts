import { describe, expect, it } from "vitest";
import {
  dataContractJson,
  dataContractXml,
  type DotnetContract,
  nbfx,
  type NbfxOptions,
  nrbf,
} from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import { legacy } from "../../../codecs/legacy/index.ts";
import { shown } from "./decoding.support.ts";
import { refusal } from "../../refusal.support.ts";

/** An order with something in the place of a member's type. */
const orderWith = (id: unknown): DotnetContract => ({
  $ref: "#/$defs/Order",
  $defs: { Order: { properties: { Id: id } } },
});
const member = "$.$defs.Order.properties.Id";

describe("a contract", () => {
  it.each<readonly [mistake: unknown, path: string, told: RegExp]>([
    [{ "x-dotnett": "guid" }, member, /"x-dotnett", which is not a keyword of contracts/],
    [{ "x-dotNet": "guid" }, member, /"x-dotNet"/],
    [{ "x-dotnet": ["guid"] }, member, /neither a string nor an object/],
    [{ "x-dotnet": "Guid" }, member, /unknown x-dotnet type "Guid"; there are any, boolean/],
    [{ "x-dotnet": { type: "guid", ommitDefault: true } }, member, /x-dotnet\.ommitDefault.* there are type, name/],
    [{ "x-dotnet": { type: "guid", order: "1" } }, `${member}.x-dotnet.order`, /must be a whole number/],
    [{ "x-dotnet": { type: "guid", defaultNamespace: "urn:a" } }, member, /which only the whole contract may have/],
    [{ "x-dotnet": { members: { A: 1 } } }, member, /has members, which belongs to the type enum/],
    [{ "x-dotnet": { type: "enum", name: "E" } }, member, /needs x-dotnet\.members/],
    [{ "x-dotnet": { type: "list", keyName: "clave" } }, member, /has keyName, which belongs to the type map/],
    [{ type: "guid" }, member, /unknown type "guid"; there are null, boolean.* x-dotnet/],
    [{ type: ["string", "integer"] }, member, /several types \(string, integer\)/],
    [{ type: "array", items: { type: "strng" } }, `${member}.items`, /unknown type "strng"/],
    [{ type: "array", items: [{ type: "string" }] }, member, /items that are not a type/],
    [{ type: "string", items: {} }, member, /has items, which belongs to the type list, and is of the type string/],
    [{ type: "object", additionalProperties: { typ: "string" } }, `${member}.additionalProperties`, /"typ"/],
    [{ "x-dotnet": { type: "map", key: { typ: "guid" } } }, `${member}.x-dotnet.key`, /"typ"/],
    [{ "x-dotnet": { type: "map", key: "Guid" } }, `${member}.x-dotnet.key`, /unknown x-dotnet type "Guid"/],
    [{ anyOf: [{ type: "null" }, { $ref: "#/$defs/Order" }] }, member, /"anyOf"/],
    [{ $ref: "#/$defs/Oder" }, member, /refers to Oder, which is not in \$defs/],
    [{ $ref: "#/$defs/Order", properties: {} }, member, /has properties next to \$ref/],
    [{ $ref: "#/$defs/Order", "x-dotnet": { namespace: "urn:a" } }, member, /x-dotnet\.namespace next to \$ref/],
    [{ $defs: {} }, member, /\$defs, which are only allowed at the top/],
    [5, member, /is not a type/],
  ])("with the mistake %j is refused, which would otherwise be ignored silently", (mistake, path, told) => {
    const error = refusal(() => nbfx({ contracts: [orderWith(mistake)] }));

    expect(error).toMatchObject({ code: "InvalidArgument", path });
    expect(error.message).toMatch(told);
  });

  it.each<readonly [mistake: unknown, path: string]>([
    [{ title: "A", propertes: {} }, "$"],
    [{ title: "A", properties: [] }, "$"],
    [{ title: 5, properties: {} }, "$"],
    [{ title: "A", "x-dotnet": { namespce: "urn:a" }, properties: {} }, "$"],
    [{ title: "A", "x-dotnet": { order: 1 }, properties: {} }, "$"],
    [{ title: "A", allOf: { $ref: "#/$defs/B" }, $defs: { B: { properties: {} } } }, "$"],
    [{ title: "A", properties: {}, definitions: {} }, "$"],
    [{ $ref: "#/$defs/A", $defs: { A: { propertes: {} } } }, "$.$defs.A"],
    ['{"title":"A"}', "$"],
  ])("is refused as %j", (mistake, path) => {
    const contract: DotnetContract = JSON.parse(JSON.stringify(mistake));
    for (const reader of [
      () => nbfx({ contracts: [contract] }),
      () => dataContractXml({ contracts: [contract] }),
      () => dataContractJson({ contracts: [contract] }),
      () => dataContractJson({ contract }),
      () => nrbf({ contracts: [contract] }),
    ]) {
      expect(refusal(reader)).toMatchObject({ code: "InvalidArgument", path });
    }
  });

  it("may say what else JSON Schema has to say of values, and what other tools add", () => {
    const contract = orderWith({
      type: ["string", "null"],
      format: "uuid",
      description: "its key",
      "x-type-name": "Id",
    });

    expect(nbfx({ contracts: [{ ...contract, $schema: "https://json-schema.org/draft/2020-12/schema" }] }).name).toBe(
      "nbfx",
    );
  });

  it("is a list for its items and a dictionary for its values, also where no type says so", () => {
    const contract = {
      title: "A",
      properties: { list: { items: { "x-dotnet": "guid" } }, map: { additionalProperties: { type: "integer" } } },
    };
    const guid = "00112233-4455-6677-8899-aabbccddeeff";
    const one = `<a:guid>${guid}</a:guid>`;
    const two = "<a:KeyValueOfstringint><a:Key>k</a:Key><a:Value>1</a:Value></a:KeyValueOfstringint>";
    const xml = `<A xmlns:a="http://schemas.microsoft.com/2003/10/Serialization/Arrays"><list>${one}</list><map>${two}</map></A>`;

    expect(shown(dataContractXml({ contracts: [contract] }), xml)).toEqual({ list: [{ $guid: guid }], map: { k: 1 } });
  });
});

describe("an option of a legacy reader", () => {
  it.each<readonly [name: string, act: () => unknown]>([
    ["contract", () => legacy(JSON.parse('{"contract":[]}'))],
    ["contracts", () => legacy(JSON.parse('{"contracts":{}}'))],
    ["timezone", () => legacy(JSON.parse('{"timezone":"Europe/Madrid"}'))],
    ["rawDeflate", () => legacy(JSON.parse('{"rawDeflate":"yes"}'))],
    ["memberName", () => legacy(JSON.parse('{"nrbf":{"memberName":"property"}}'))],
    ["memberNames", () => nrbf(JSON.parse('{"memberNames":"properties"}'))],
    ["enums.A.names", () => nrbf(JSON.parse('{"enums":{"A":{"names":{"B":1.5}}}}'))],
    ["enums.A.flag", () => nrbf(JSON.parse('{"enums":{"A":{"names":{"B":1},"flag":true}}}'))],
    ["untyped", () => legacy(JSON.parse('{"xml":{"untyped":"txt"}}'))],
    ["form", () => java(JSON.parse('{"form":"tre"}'))],
    ["keepType", () => nbfx(JSON.parse('{"keepType":true}'))],
    ["unwrapJson", () => nbfx(JSON.parse('{"unwrapJson":1}'))],
    ["contracs", () => dataContractJson(JSON.parse('{"contracs":[]}'))],
  ])("is refused when it is %s: an unknown option, or an invalid value", (name, act) => {
    expect(refusal(act)).toMatchObject({ code: "InvalidArgument", path: `$.${name}` });
  });

  it("may be undefined", () => {
    const options: NbfxOptions = JSON.parse("{}");
    expect(nbfx({ ...options, timeZone: undefined }).name).toBe("nbfx");
  });
});
