import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nbfx } from "../../../codecs/dotnet/index.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { contractFromSchemas } from "../../../src/migration/dotnet-schemas/contract-from-schemas.ts";
import { partsOf, readSchema } from "../../../src/migration/dotnet-schemas/schema-document.ts";
import { readWith, type Written } from "../csharp/contract-reading.support.ts";

const folder = new URL("../../../fixtures/legacy/contracts/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const payloads: readonly Written[] = JSON.parse(read("payloads.json"));
const files = readdirSync(new URL("xsd", folder)).map((name) => [name, read(`xsd/${name}`)] as const);

function contractOf(texts: readonly (readonly [path: string, text: string])[], type?: string) {
  const made = contractFromSchemas(
    texts.map(([path, text]) => readSchema(path, Buffer.from(text))),
    type,
  );
  if (typeof made === "string") throw new Error(made);
  return made;
}

const schema = (body: string): readonly (readonly [string, string])[] => [
  [
    "a.xsd",
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" xmlns:ser="http://schemas.microsoft.com/2003/10/Serialization/" targetNamespace="urn:t">\n${body}\n</xs:schema>`,
  ],
];

describe("a contract from the schemas of XsdDataContractExporter", () => {
  const { contract, problems } = contractOf(files);

  it("reads what the serializers wrote to the values of the contract from the sources", () => {
    const sources = JSON.parse(read("Shop.json"));
    const written = payloads.filter(({ family }) => family !== "xs");

    expect(problems).toEqual([]);
    expect(written.map((payload) => readWith(contract, payload))).toEqual(
      written.map((payload) => readWith(sources, payload)),
    );
  });

  it("keeps references, structs, defaults, flags and the order of members", () => {
    expect(contract).toMatchObject({
      $defs: {
        Line: { "x-dotnet": { reference: true } },
        Tag: { "x-dotnet": { struct: true } },
        Rights: { "x-dotnet": { flags: true, members: { Top: "9223372036854775808" } } },
        Order: {
          properties: {
            Discount: { type: ["null"], "x-dotnet": { type: "decimal", omitDefault: true, order: 8 } },
            Id: { "x-dotnet": { type: "guid", order: 23 } },
          },
        },
      },
    });
  });

  it("has the type that is asked for as its root", () => {
    expect(contractOf(files, "{urn:acme:shop}Order").contract).toMatchObject({ $ref: "#/$defs/Order" });
    expect(() => contractOf(files, "Nobody")).toThrow("Nobody is not a type of these schemas");
  });
});

describe("a contract from other XML schemas", () => {
  it("has attributes, text and repeated elements for XmlSerializer", () => {
    const { contract, problems } = contractOf(
      schema(`<xs:complexType name="Order"><xs:sequence>
        <xs:element name="id" type="xs:int"/><xs:element name="line" maxOccurs="unbounded" type="t:Line"/>
      </xs:sequence><xs:attribute name="version" type="xs:string"/></xs:complexType>
      <xs:complexType name="Line"><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="unit" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>`),
    );

    expect(problems).toEqual([]);
    expect(contract).toEqual({
      $ref: "#/$defs/Order",
      "x-dotnet": { defaultNamespace: "urn:t" },
      $defs: {
        Order: {
          properties: {
            id: { type: "integer" },
            line: { type: "array", items: { $ref: "#/$defs/Line" }, "x-dotnet": { flat: true } },
            version: { type: "string", "x-dotnet": { serializer: "xml" } },
          },
        },
        Line: {
          properties: {
            Value: { "x-dotnet": { type: "decimal", text: true } },
            unit: { type: "string", "x-dotnet": { serializer: "xml" } },
          },
        },
      },
    });
  });

  it.each<readonly [body: string, message: string]>([
    [
      '<xs:complexType name="A"><xs:sequence><xs:element name="b" type="t:Gone"/></xs:sequence></xs:complexType>',
      "the type {urn:t}Gone is not in these schemas",
    ],
    [
      '<xs:complexType name="A"><xs:choice><xs:element name="b" type="xs:int"/></xs:choice></xs:complexType>',
      "xs:choice is not a part of types that contracts express",
    ],
    ['<xs:complexType name="A"><xs:sequence><xs:any/></xs:sequence></xs:complexType>', "xs:any is not a part of types"],
    [
      '<xs:complexType name="A"><xs:sequence/></xs:complexType><xs:simpleType name="A"/>',
      "{urn:t}A is declared in a.xsd:2 too, which counts",
    ],
    ['<xs:element name="a" type="xs:int"/><xs:element name="a"/>', "{urn:t}a is declared in a.xsd:2 too"],
    [
      '<xs:complexType name="A"><xs:sequence><xs:element name="b" type="t:S"/></xs:sequence></xs:complexType><xs:simpleType name="S"><xs:union memberTypes="xs:int"/></xs:simpleType>',
      "the simple type is a list or union",
    ],
    [
      '<xs:complexType name="A"><xs:sequence/><xs:attribute ref="ser:FactoryType"/></xs:complexType>',
      "the type writes its members itself",
    ],
    [
      '<xs:complexType name="ArrayOfA"><xs:sequence><xs:element name="A" maxOccurs="unbounded" type="t:A"/></xs:sequence></xs:complexType><xs:complexType name="A"><xs:sequence><xs:element ref="t:gone"/></xs:sequence></xs:complexType>',
      "t:gone is not in these schemas",
    ],
  ])("names what it does not express by file and line: %s", (body, message) => {
    const { problems } = contractOf(schema(body));

    expect(problems).toEqual([{ file: "a.xsd", line: 2, message: expect.stringContaining(message) }]);
  });

  it("reads the parts of a declaration once, however many refer to it", () => {
    const [[path, text] = ["", ""]] = schema('<xs:complexType name="A"/>');
    const { root } = readSchema(path, Buffer.from(text));

    const first = partsOf(root);

    expect(first).toHaveLength(1);
    expect(partsOf(root)).toBe(first);
  });

  it("refuses anything but a schema, and expands nothing", () => {
    expect(() => readSchema("a.xsd", Buffer.from("<a/>"))).toThrow("is not an XML schema");
    expect(() => readSchema("a.xsd", Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a/>'))).toThrow("DOCTYPE");
  });

  it("is valid, whatever is left out of a schema", () => {
    const whole =
      files
        .map(([, text]) => text)
        .join("")
        .match(/<[^>]+>/g) ?? [];
    const parts = fc.array(fc.constantFrom(...whole.filter((tag) => tag.endsWith("/>"))), { maxLength: 30 });

    fc.assert(
      fc.property(parts, parts, (members, others) => {
        const text = `<xs:complexType name="A"><xs:sequence>${members.join("")}</xs:sequence></xs:complexType>${others.join("")}`;
        try {
          nbfx({ contracts: [contractOf(schema(text)).contract] });
        } catch (error) {
          // A prefix that a part alone does not declare.
          expect(error).toSatisfy((one) => one instanceof SobreError && one.code === "DecodeFailed");
        }
      }),
      { numRuns: 100 },
    );
  });
});
