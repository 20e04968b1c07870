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

  it("of XmlSerializer that are not adjacent are a list, with a warning", () => {
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

const cart = (members: string): string =>
  `<Cart z:Id="1" z:Type="Shop.Cart" xmlns="${clr}Shop" ${i} ${z}>${members}</Cart>`;

describe("what looks like a collection of .NET", () => {
  const arrays = 'xmlns:a="http://schemas.microsoft.com/2003/10/Serialization/Arrays"';
  const list = `z:Id="9" z:Size="2" ${arrays}`;
  const ints = "<a:int>1</a:int><a:int>2</a:int>";

  it.each([
    [
      "a sorted set",
      `<Comparer>c</Comparer><Count>2</Count><Items ${list}>${ints}</Items><Version>7</Version>`,
      "Items",
    ],
    ["a linked list", `<Data ${list}>${ints}</Data><Version>7</Version>`, "Data"],
    [
      "a set",
      `<Capacity>5</Capacity><Comparer>c</Comparer><Elements ${list}>${ints}</Elements><Version>7</Version>`,
      "Elements",
    ],
    [
      "a queue",
      `<_array ${list}>${ints}</_array><_head>1</_head><_size>1</_size><_tail>0</_tail><_version>7</_version>`,
      "_array",
    ],
  ])("is a class of the sender's where its namespace says so: %s", (_, members, name) => {
    expect(shown(xml, cart(members))).toMatchObject({ [name]: [1, 2] });
  });

  it("is a class of the sender's where its only field is declared as a list", () => {
    const fields = `<a:_items z:Id="3" z:Size="2">${ints}</a:_items><a:_size>1</a:_size><a:_version>1</a:_version>`;

    expect(shown(xml, cart(`<items z:Id="2" ${arrays}>${fields}</items>`))).toEqual({ items: [1] });
  });

  it("is a class that adds fields to a collection", () => {
    const fields = `<_items z:Id="2" z:Size="2"><int>1</int><int>0</int></_items><_size>1</_size><_version>1</_version>`;
    const text = `<ArrayOfint z:Id="1" xmlns="http://schemas.microsoft.com/2003/10/Serialization/Arrays" ${i} ${z}>${fields}<Extra>e</Extra></ArrayOfint>`;

    expect(shown(xml, text)).toEqual({ _items: [1, 0], _size: 1, _version: 1, Extra: "e" });
  });

  it("is a list of bytes, which is written in base64", () => {
    const fields = `<a:_items z:Id="3">AQIAAA==</a:_items><a:_size>2</a:_size><a:_version>2</a:_version>`;

    expect(shown(xml, cart(`<Codes z:Id="2" ${arrays}>${fields}</Codes><B>x</B>`))).toEqual({
      Codes: [1, 2],
      B: "x",
    });
  });

  it("is an object where its members do not have the name that the list would be called by", () => {
    expect(shown(xml, `<ArrayOfferings xmlns="${clr}" ${i}><A>1</A><B>2</B></ArrayOfferings>`)).toEqual({ A: 1, B: 2 });
    expect(shown(xml, `<ArrayOfferings xmlns="${clr}" ${i}><A>x</A></ArrayOfferings>`)).toEqual({ A: "x" });
  });

  it.each([
    ["DateTimeOffset", "System", "<s:DateTime>2024-01-02T02:04:05Z</s:DateTime><s:OffsetMinutes>60</s:OffsetMinutes>"],
    ["DayOfWeek", "System", "Monday"],
    ["KeyValuePairOfstringint", "System.Collections.Generic", "<s:key>k</s:key><s:value>1</s:value>"],
  ])("is a list of one where its item is named after a type of .NET: %s", (name, namespace, item) => {
    const text = `<O xmlns="${clr}Shop" ${i}><L xmlns:s="${clr}${namespace}"><s:${name}>${item}</s:${name}></L><B>x</B></O>`;

    expect(shown(xml, text)).toMatchObject({ L: [expect.anything()], B: "x" });
    expect(warningsOf(text)).toBeUndefined();
  });
});
