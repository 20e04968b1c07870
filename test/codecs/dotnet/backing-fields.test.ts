import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, nbfx } from "../../../codecs/dotnet/index.ts";
import { legacy } from "../../../codecs/legacy/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { migrateAll } from "../../migration/samples.support.ts";
import { shown } from "./decoding.support.ts";

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const field = (name: string, value: string): string => {
  const local = `_x003C_${name}_x003E_k__BackingField`;
  return `<${local}>${value}</${local}>`;
};
const stock = (inner: string): Uint8Array =>
  utf8(
    `<Stock xmlns="http://schemas.datacontract.org/2004/07/Shop" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${inner}</Stock>`,
  );

describe("the fields of auto-implemented properties of [Serializable] classes", () => {
  it("are read as the properties, in XML, binary XML and JSON", () => {
    const contract = {
      title: "Stock",
      type: "object",
      "x-dotnet": { name: "Stock", namespace: "urn:shop", serializable: true },
      properties: { "<Id>k__BackingField": { "x-dotnet": "int" }, name: { "x-dotnet": "string" } },
    } as const;
    const binary = nbfx({ contracts: [contract] });
    const payloads = [
      { Id: 5, name: "x" },
      { "<Id>k__BackingField": 5, name: "x" },
    ].map((body) => shown(binary, binary.encode(body, { contentType: undefined, applicationProperties: {} }).payload));

    expect(shown(dataContractXml(), stock(`${field("Id", "5")}<name>x</name>`))).toEqual({ Id: 5, name: "x" });
    expect(shown(dataContractJson(), utf8('{"<Id>k__BackingField":5}'))).toEqual({ Id: 5 });
    expect(payloads).toEqual([
      { Id: 5, name: "x" },
      { Id: 5, name: "x" },
    ]);
  });

  it("keep their names where a member has that of the property", () => {
    for (const text of ['{"<Id>k__BackingField":5,"Id":6}', '{"Id":6,"<Id>k__BackingField":5}'])
      expect(shown(dataContractJson(), utf8(text))).toEqual({ "<Id>k__BackingField": 5, Id: 6 });
    expect(shown(dataContractXml(), stock(`${field("Id", "5")}<Id>6</Id>`))).toEqual({ "+Id": 5, Id: 6 });
  });

  it("are migrated cleanly under the names of the properties", async () => {
    const readers = legacy();
    const serializer = createSerializer({ codecs: readers, fallback: readers, whenUnknown: "fallback" });
    const messages = [stock(`${field("Id", "5")}<name>x</name>`), utf8('{"<Name>k__BackingField":"x","n":1.50}')];

    const { report } = await migrateAll(messages, { serializer });

    expect(report.losses).toEqual([]);
    expect(report.types.flatMap(({ paths }) => paths.map(({ path }) => path)).toSorted()).toEqual(
      ["$", "$", "$.Id", "$.Name", "$.n", "$.name"].toSorted(),
    );
  });
});
