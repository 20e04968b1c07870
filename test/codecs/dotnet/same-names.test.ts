import { describe, expect, it } from "vitest";
import { dataContractXml } from "../../../codecs/dotnet/index.ts";
import { decode, shown } from "./decoding.support.ts";

const xml = dataContractXml();
const i = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
const z = 'xmlns:z="http://schemas.microsoft.com/2003/10/Serialization/"';
const clr = "http://schemas.datacontract.org/2004/07/";
const order = (lines: string): string => `<O><Id>a</Id><Lines>${lines}</Lines></O>`;
const orders = (...of: readonly string[]): string => `<Orders xmlns="${clr}" ${i}>${of.map(order).join("")}</Orders>`;

function warningsOf(text: string): readonly string[] | undefined {
  const decoded = decode(xml, text);
  return "body" in decoded ? decoded.warnings : undefined;
}

describe("members of one name", () => {
  it.each([
    ["one namespace", `<D xmlns="${clr}" ${i}><id>7</id><tag>b</tag><id>8</id><own>d</own></D>`],
    ["two namespaces", `<D xmlns="${clr}Other" ${i}><id xmlns="${clr}">7</id><tag>b</tag><id>8</id><own>d</own></D>`],
    ["side by side", `<D xmlns="${clr}" ${i}><tag>b</tag><id>7</id><id>8</id><own>d</own></D>`],
  ])("of base and derived classes stay apart, in %s", (_, text) => {
    expect(shown(xml, text)).toEqual({ id: 8, "+id": 7, tag: "b", own: "d" });
  });

  it("of three classes are numbered", () => {
    expect(shown(xml, `<D xmlns="${clr}" ${i}><a>0</a><id>1</id><id>2</id><id>3</id></D>`)).toEqual({
      a: 0,
      id: 3,
      "+id": 1,
      "2+id": 2,
    });
  });

  it("and nothing else are read as a list, with a warning, or as members where objects are numbered", () => {
    const numbered = `<D z:Id="1" z:Type="D" xmlns="${clr}" ${i} ${z}><id>7</id><id>8</id></D>`;
    const text = `<D xmlns="${clr}" ${i}><id>7</id><id>8</id></D>`;

    expect(shown(xml, numbered)).toEqual({ id: 8, "+id": 7 });
    expect(shown(xml, text)).toEqual([7, 8]);
    expect(warningsOf(text)).toEqual([
      'D was taken for a list of "id"; members of base and derived classes may have the same name, too.',
    ]);
  });

  it("as an attribute and as an element stay apart", () => {
    const text = '<Order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Id="5" Name="n"><Id>6</Id></Order>';

    expect(shown(xml, text)).toEqual({ "@Id": 5, Name: "n", Id: 6 });
  });

  it("as attributes of two namespaces stay apart", () => {
    const text = `<Order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:b="urn:b" Id="5" b:Id="7"><A>6</A></Order>`;

    expect(shown(xml, text)).toEqual({ Id: 5, "@Id": 7, A: 6 });
  });

  it("of XmlSerializer that are no neighbours are a list, with a warning", () => {
    const text =
      '<Zoo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Dog>a</Dog><Cat>b</Cat><Dog>c</Dog><Dog>d</Dog></Zoo>';

    expect(shown(xml, text)).toEqual({ Dog: ["a", "c", "d"], Cat: "b" });
    expect(warningsOf(text)).toEqual([
      'Zoo has "Dog" at several places, as an attribute or among other elements; all are in one list.',
    ]);
  });
});

describe("lists without a contract", () => {
  it("of one item, and empty ones, are lists where another element of the document proves it", () => {
    const text = orders("<L><A>1</A></L><L><A>2</A></L>", "<L><A>3</A></L>", "");

    expect(shown(xml, text)).toEqual([
      { Id: "a", Lines: [{ A: 1 }, { A: 2 }] },
      { Id: "a", Lines: [{ A: 3 }] },
      { Id: "a", Lines: [] },
    ]);
    expect(warningsOf(text)).toBeUndefined();
  });

  it.each([
    ["an object", "<L><A>3</A></L>"],
    ["a reference", '<L i:nil="true" z:Ref="i1"/>'],
    ["null", '<L i:nil="true"/>'],
    ["a scalar by a name in the singular", "<Line>Open</Line>"],
  ])("of one item that is %s get a warning where nothing proves them", (_, item) => {
    const text = `<O xmlns="${clr}" ${i} ${z}><A z:Id="i1">1</A><Lines>${item}</Lines></O>`;

    expect(warningsOf(text)).toEqual([expect.stringMatching(/^O\/Lines may be a list of one/)]);
  });
});

it("keeps the class that NetDataContractSerializer names of a member, without a contract", () => {
  const text = `<Zoo z:Id="1" z:Type="Acme.Zoo" xmlns="${clr}Acme" ${i} ${z}><Pet z:Id="2" z:Type="Acme.Dog"><Bark>1</Bark><Name>R</Name></Pet></Zoo>`;

  expect(shown(xml, text)).toEqual({ Pet: { $type: "Acme.Dog", Bark: 1, Name: "R" } });
});
