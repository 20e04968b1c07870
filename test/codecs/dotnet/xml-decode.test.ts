import { describe, expect, it } from "vitest";
import { dataContractXml, type DotnetContract } from "../../../codecs/dotnet/index.ts";
import { refusal } from "../../refusal.support.ts";
import { contractOf } from "./contracts.support.ts";
import { decode, fixture, shown } from "./decoding.support.ts";

const decoder = dataContractXml();

/** Little-endian UTF-16 with a byte-order mark. */
function utf16(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
}

const root = (content: string): string => `<r xmlns="urn:r" xmlns:o="urn:o">${content}</r>`;

describe("the data contract XML decoder", () => {
  it("reads what DataContractSerializer writes for an order", () => {
    const contract = contractOf("Sobre.Fixtures.Order");
    const expected: unknown = JSON.parse(new TextDecoder().decode(fixture("order.expected.json")));

    expect(shown(dataContractXml({ contracts: contract ? [contract] : [] }), fixture("order.xml"))).toEqual(expected);
  });

  it("reads text as what it says: references, CDATA, line ends, comments", () => {
    const text = "<r>a&lt;&amp;&#xe9;&#233;<![CDATA[<&]]>\r\nb<!-- no -->\rc</r>";

    expect(shown(decoder, text)).toBe("a<&éé<&\nb\nc");
  });

  it("reads untyped text of serializers as a number or boolean only where that is written the same", () => {
    const text =
      "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><a>5</a><b>05</b><c>1.5</c><d>1.50</d><e>true</e><f>1E+5</f><g>9007199254740993</g><h>-0</h></r>";

    expect(shown(decoder, text)).toEqual({
      a: 5,
      b: "05",
      c: 1.5,
      d: "1.50",
      e: true,
      f: "1E+5",
      g: "9007199254740993",
      h: "-0",
    });
    expect(shown(dataContractXml({ untyped: "text" }), text)).toMatchObject({ a: "5", c: "1.5", e: "true" });
  });

  it("takes no quadratic time for many items that are named by their type", () => {
    const items = "<int>1</int>".repeat(60_000);
    const text = `<ArrayOfInt xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${items}</ArrayOfInt>`;

    expect(shown(decoder, text)).toHaveLength(60_000);
  });

  it("keeps the root of XML that is nobody's serialization, its text and its attributes", () => {
    expect(shown(decoder, "<order no='7'><id>1</id><paid>true</paid></order>")).toEqual({
      order: { "@no": "7", id: "1", paid: "true" },
    });
    expect(shown(decoder, "<int>5</int>")).toBe(5);
    expect(shown(decoder, "<r xmlns='urn:r'><id>1</id></r>")).toEqual({ id: 1 });
  });

  it("reads a name whose prefix its element declares for it", () => {
    expect(shown(decoder, root('<q xmlns:a="urn:a">a:b</q>'))).toEqual({ q: { $qname: "{urn:a}b" } });
    expect(shown(decoder, root("<q>o:b</q>"))).toEqual({ q: "o:b" });
    expect(shown(decoder, root('<q xmlns:a="urn:a">a: b</q>'))).toEqual({ q: "a: b" });
  });

  it("reads UTF-16, declared charsets, and the UTF-16 that .NET declares of UTF-8", () => {
    const declared = '<?xml version="1.0" encoding="utf-16"?><r>ñ</r>';
    const latin = new Uint8Array(Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><r>ñ</r>', "latin1"));

    expect(shown(decoder, utf16(declared))).toBe("ñ");
    expect(shown(decoder, utf16(declared).subarray(2))).toBe("ñ");
    expect(shown(decoder, declared)).toBe("ñ");
    expect(shown(decoder, latin)).toBe("ñ");
  });

  it.each([
    ["<!DOCTYPE r><r/>", "DecodeFailed", 0],
    ["<r>&nope;</r>", "DecodeFailed", 3],
    ["<r>&#x110000;</r>", "DecodeFailed", 3],
    ["<r>&#0;</r>", "DecodeFailed", 3],
    ["<r>\u0001</r>", "DecodeFailed", 3],
    ["<ñ>é&nope;</ñ>", "DecodeFailed", 6],
    ["<r a='1' a='2'/>", "DecodeFailed", 9],
    ["<r xmlns:p='urn:a' xmlns:q='urn:a' p:a='' q:a=''/>", "DecodeFailed", 42],
    ["<r a='<'/>", "DecodeFailed", 6],
    ["<p:r/>", "DecodeFailed", 0],
    ["<r>]]></r>", "DecodeFailed", 3],
    ["<r><!-- -- --></r>", "DecodeFailed", 3],
    ["<r></s>", "DecodeFailed", 3],
    ["<r", "TruncatedPayload", 2],
    ["<r>", "TruncatedPayload", 3],
    ["<r a", "TruncatedPayload", 4],
    ["<r><![CDATA[", "TruncatedPayload", 12],
    ["", "TruncatedPayload", 0],
    ["text", "DecodeFailed", 0],
    ["<r/>text", "TrailingBytes", 4],
    ["<r/><s/>", "TrailingBytes", 4],
    [" <?xml version='1.0'?><r/>", "DecodeFailed", 1],
    ["<r xmlns:xml='urn:x'/>", "DecodeFailed", 3],
    ["<r xmlns:p=''/>", "DecodeFailed", 3],
  ])("refuses %s with %s at byte %i", (text, code, offset) => {
    expect(refusal(() => decode(decoder, text))).toMatchObject({ code, offset });
  });

  it("reads what XmlSerializer writes, where null members are absent", () => {
    const contract = contractOf("Sobre.Fixtures.Order");
    const body = shown(dataContractXml({ contracts: contract ? [contract] : [] }), fixture("xml-xs-order.bin"));

    expect(body).toMatchObject({
      Customer: { Name: "Lucía Gómez" },
      Status: { $enum: "Running", value: "2" },
      Note: null,
    });
  });

  it("makes an object of a Hashtable when all its keys are strings, and a map otherwise", () => {
    const arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
    const xsi = "http://www.w3.org/2001/XMLSchema-instance";
    const hashtable = (...keys: readonly (readonly [string, string])[]): string => {
      const entries = keys.map(
        ([type, text]) =>
          `<KeyValueOfanyTypeanyType><Key i:type="x:${type}" xmlns:x="http://www.w3.org/2001/XMLSchema">${text}</Key><Value/></KeyValueOfanyTypeanyType>`,
      );
      return `<ArrayOfKeyValueOfanyTypeanyType xmlns="${arrays}" xmlns:i="${xsi}">${entries.join("")}</ArrayOfKeyValueOfanyTypeanyType>`;
    };
    const contract = { type: "object", "x-dotnet": { type: "map", key: "any" }, additionalProperties: {} } as const;

    for (const reader of [decoder, dataContractXml({ contracts: [contract] })]) {
      expect(shown(reader, hashtable(["string", "a"], ["string", "2"]))).toEqual({ a: "", 2: "" });
      expect(shown(reader, hashtable(["string", "a"], ["int", "2"]))).toEqual({
        $map: [
          ["a", ""],
          [2, ""],
        ],
      });
    }
  });

  it("reads the private fields of a LinkedList and of a Hashtable whose key is a string that precedes it", () => {
    const z = "xmlns:z='http://schemas.microsoft.com/2003/10/Serialization/'";
    const xsi = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:x='http://www.w3.org/2001/XMLSchema'";
    const fields =
      "<LoadFactor/><Version/><Comparer i:nil='true'/><HashCodeProvider i:nil='true'/><HashSize>3</HashSize>";
    const key = "<anyType i:type='x:string' z:Ref='2' i:nil='true'/>";
    const hashtable = `<H z:Id='3'>${fields}<Keys z:Id='4' z:Size='1'>${key}</Keys><Values z:Id='5' z:Size='1'><anyType>v</anyType></Values></H>`;
    const linked =
      "<L z:Id='6'><Version>2</Version><Count>2</Count><Data z:Id='7' z:Size='2'><int>7</int><int>8</int></Data></L>";

    expect(shown(decoder, `<R ${z} ${xsi} z:Id='1'><S z:Id='2'>k</S>${hashtable}${linked}</R>`)).toEqual({
      S: "k",
      H: { k: "v" },
      L: [7, 8],
    });
    expect(refusal(() => decode(decoder, `<R ${z} ${xsi} z:Id='2'>${hashtable}</R>`))).toMatchObject({
      code: "DecodeFailed",
    });
  });

  it("reads lists of Nullable<T>, whose items have the type's name in the namespace of System", () => {
    const xsi = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance'";
    const system = "xmlns:a='http://schemas.datacontract.org/2004/07/System'";
    const numbers = `<L ${system}><a:long>1</a:long><a:long i:nil='true'/></L>`;
    const flags = `<F ${system}><a:boolean>true</a:boolean></F>`;

    const value = shown(decoder, `<R xmlns='urn:r' ${xsi}>${flags}${numbers}</R>`);

    expect(value).toEqual({ L: [{ $int64: "1" }, null], F: [true] });
  });

  it("reads members and roots that are named like a type, without being one, as what they are", () => {
    const xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";

    expect(shown(decoder, `<Film ${xsi}><duration>90 min</duration></Film>`)).toEqual({ duration: "90 min" });
    expect(shown(decoder, `<Film ${xsi}><decimal>a</decimal><decimal>1</decimal></Film>`)).toEqual(["a", 1]);
    expect(shown(decoder, "<r><a><byte/></a></r>")).toEqual({ r: { a: { byte: "" } } });
    expect(shown(decoder, "<duration>soon</duration>")).toBe("soon");
    expect(shown(decoder, `<Film ${xsi}><int>7</int></Film>`)).toEqual([7]);
    expect(shown(decoder, `<Film ${xsi}><int xsi:nil='true'/></Film>`)).toEqual([null]);
  });

  it("reads members that XmlSerializer writes as attributes or without a list around them", () => {
    const contract: DotnetContract = {
      title: "Box",
      properties: {
        Id: { "x-dotnet": "guid" },
        Size: { type: "integer" },
        Tags: { type: "array", items: { type: "string" } },
      },
    };
    const guid = "00112233-4455-6677-8899-aabbccddeeff";
    const text = `<Box xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Id="${guid}" Size="5"><Tags>a</Tags></Box>`;

    expect(shown(dataContractXml({ contracts: [contract] }), text)).toEqual({
      Id: { $guid: guid },
      Size: 5,
      Tags: ["a"],
    });
    expect(shown(decoder, text)).toEqual({ Id: guid, Size: 5, Tags: "a" });
  });

  const contract: DotnetContract = {
    title: "T",
    properties: {
      list: { type: "array", items: { "x-dotnet": "guid" } },
      map: { type: "object", additionalProperties: { type: "integer" }, "x-dotnet": { type: "map", key: "int" } },
      flags: { "x-dotnet": { type: "enum", name: "F", flags: true, members: { A: 1, B: 2 } } },
      when: { "x-dotnet": "dateTime" },
      char: { "x-dotnet": "char" },
    },
  };
  const typed = dataContractXml({ contracts: [contract] });

  it("refuses what SoapFormatter wrote, whose references it does not follow, and reads other envelopes", () => {
    const soap = 'xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"';
    const encoding = 's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"';
    const body = (attributes: string): string =>
      `<s:Envelope ${soap}${attributes}><s:Body><A>1</A></s:Body></s:Envelope>`;

    expect(refusal(() => decode(decoder, body(` ${encoding}`)))).toMatchObject({
      code: "DecodeFailed",
      message: expect.stringContaining("SoapFormatter"),
    });
    expect(shown(decoder, body(""))).toMatchObject({ Body: { A: 1 } });
  });

  it("reads lists of one, maps, flags and chars by a contract", () => {
    const guid = "00112233-4455-6677-8899-aabbccddeeff";
    const text = `<T><list><guid>${guid}</guid></list><map><e><Key>1</Key><Value>2</Value></e></map><flags>A B</flags><char>241</char></T>`;

    expect(shown(typed, text)).toMatchObject({
      list: [{ $guid: guid }],
      map: { $map: [[1, 2]] },
      flags: { $enum: "A B", value: "3" },
      char: { $char: "ñ" },
    });
  });

  it.each([
    ["<T><when>yesterday</when></T>", { when: "yesterday" }, "$.when does not fit its contract (dateTime)"],
    ["<T><list><guid>no</guid></list></T>", { list: ["no"] }, "$.list[] does not fit its contract (guid)"],
    ["<T><flags>C</flags></T>", { flags: "C" }, "$.flags does not fit its contract (F)"],
    ["<T><char>ab</char></T>", { char: "ab" }, "$.char does not fit its contract (char)"],
    ["<T><when><x>1</x></when></T>", { when: { x: 1 } }, "$.when does not fit its contract (dateTime)"],
  ])("keeps %s as it was written where its contract does not hold it, and says so", (text, body, warning) => {
    expect(decode(typed, text)).toMatchObject({ body, warnings: [expect.stringContaining(warning)] });
  });

  it.each([
    [{ $ref: "#/$defs/None" }],
    [{ "x-dotnet": "integer" }],
    [{ $ref: "other.json" }],
    [{ type: "object", properties: {} }],
    [{ title: "E", "x-dotnet": { type: "enum", members: { A: 1.5 } } }],
  ])("refuses the contract %j, naming the path", (broken) => {
    expect(refusal(() => dataContractXml({ contracts: [broken] }))).toMatchObject({
      code: "InvalidArgument",
      path: expect.stringMatching(/^\$/),
    });
  });

  it.each([
    ['<string xmlns="http://schemas.microsoft.com/2003/10/Serialization/">x</string>', "strong"],
    ['<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>', "strong"],
    ["<r/>", "weak"],
    ["<r>", "no"],
    ["<b>bold</b> text", "no"],
    ['<?xml version="1.0"?><r>', "weak"],
    ['<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance">', "weak"],
    ['<r xmlns="http://schemas.datacontract.org/2004/07/A"><a', "weak"],
    ["< 5", "no"],
    ["{}", "no"],
  ])("sniffs %s as %s", (text, verdict) => {
    expect(decoder.sniff?.(new TextEncoder().encode(text))).toBe(verdict);
  });

  it("keeps text next to elements, which no list has", () => {
    expect(shown(decoder, "<a>x<b>1</b>y<b>2</b></a>")).toEqual({ a: { "#text": ["x", "y"], b: ["1", "2"] } });
    expect(shown(decoder, "<a>\n <b>1</b>\n <b>2</b>\n</a>")).toEqual({ a: ["1", "2"] });
  });

  it("gives the tree with byte offsets when it is asked for", () => {
    expect(decode(dataContractXml({ form: "tree" }), "<ñ a='1'>x</ñ>")).toMatchObject({
      typeName: "ñ",
      body: {
        root: {
          local: "ñ",
          offset: 0,
          attributes: [{ local: "a", value: "1", offset: 4 }],
          children: [{ value: "x", offset: 10 }],
        },
      },
    });
  });
});
