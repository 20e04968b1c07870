import { describe, expect, it } from "vitest";
import { nbfx } from "../../../codecs/dotnet/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";
import { contractOf } from "./contracts.support.ts";
import { bytes, decode, fixture, shown } from "./decoding.support.ts";

const codec = nbfx({ timeZone: "UTC" });
const xsiDeclared = "09 01 'i' 29 'http://www.w3.org/2001/XMLSchema-instance'";
const serialization = "'http://schemas.microsoft.com/2003/10/Serialization/'";

describe("the NBFX decoder", () => {
  it("reads an object graph without a contract, by what its records say", () => {
    expect(decode(codec, fixture("nbfx-dcs-order.bin"))).toMatchObject({ typeName: "{urn:sobre:orders:v1}Order" });
    expect(shown(codec, fixture("nbfx-dcs-order.bin"))).toEqual({
      OrderId: "P-001",
      Customer: {
        Address: { City: "Madrid", Street: "Calle Mayor 1", Zip: 28013 },
        Tags: ["vip", "es"],
        edad: 41,
        nombre: "Lucía Gómez",
      },
      Lines: [
        { Price: 9.99, Qty: 2, Sku: "A-1" },
        { Price: 100, Qty: 1, Sku: "B-2" },
      ],
      Total: { $decimal: "119.98" },
      PlacedAt: { $dateTime: "2025-01-02T03:04:05Z", kind: "utc", ticks: "638713838450000000" },
      Status: "en curso",
      Priority: null,
      Correlation: "deadbeef-0000-4000-8000-000000000001",
    });
  });

  it("reads guid, enum and all other types by a contract", () => {
    const contract = contractOf("Sobre.Fixtures.Order");
    const expected: unknown = JSON.parse(new TextDecoder().decode(fixture("order.expected.json")));

    expect(shown(nbfx({ contracts: contract ? [contract] : [] }), fixture("nbfx-dcs-order.bin"))).toEqual(expected);
  });

  it("shows shared and cyclic references as such", () => {
    expect(shown(codec, fixture("nbfx-dcs-isreference-cycle.bin"))).toEqual({
      $id: "1",
      Children: [{ $id: "2", Children: null, Label: "hijo", Next: { $ref: "1" } }, { $ref: "2" }],
      Label: "raíz",
      Next: null,
    });
  });

  it("reads a collection around another one as what it is, and no other class as a set", () => {
    expect(shown(codec, fixture("nbfx-ndcs-sorted-dictionary.bin"))).toEqual({
      $map: [
        [1, "a"],
        [2, "b"],
      ],
    });
    expect(shown(codec, fixture("nbfx-ndcs-name-value-collection.bin"))).toEqual({ a: "b" });
  });

  it.each([
    ["a prefix dictionary", "44 02 0b 01 'a' 04 9f 01 07", { $bytes: "Bw==" }],
    ["an empty text record", "40 01 'r' a9", ""],
    [
      "a unique id",
      "40 01 'r' ad 33221100 5544 7766 8899aabbccddeeff",
      "urn:uuid:00112233-4455-6677-8899-aabbccddeeff",
    ],
    ["a guid", "40 01 'r' b1 33221100 5544 7766 8899aabbccddeeff", { $guid: "00112233-4455-6677-8899-aabbccddeeff" }],
    ["a time span", "40 01 'r' af 8096980000000000", { $duration: "PT1S", ticks: "10000000" }],
    ["an unsigned long", "40 01 'r' b3 ffffffffffffffff", { $int64: "18446744073709551615" }],
    ["a long that a number holds", "40 01 'r' 8f 0500000000000000", 5],
    ["UTF-16 text", "40 01 'r' b7 04 226f 575b", "漢字"],
    ["a list of texts", "40 01 'r' a4 98 01 'a' 88 05 a7", "a 5"],
    ["a qualified name of the dictionary", "40 01 'r' bd 00 02", "a:b"],
    [
      "a local time, in the zone that was asked for",
      "40 01 'r' 97 0000000000000080",
      { $dateTime: "0001-01-01T00:00:00+00:00", kind: "local", ticks: "0" },
    ],
    ["comments, which are no values", "02 01 'c' 40 01 'r' 02 01 'c' 98 01 'x' 01", "x"],
    ["attributes that no serializer writes", "40 01 'r' 04 01 'k' 98 01 'v' 99 01 'x'", { "@k": "v", "#text": "x" }],
    ["an array record", "40 01 'r' 03 40 01 'i' 01 8b 02 0100 feff 01", [1, -2]],
  ])("reads %s", (_what, source, expected) => {
    const decoder = nbfx({ dictionary: ["a", "b", "urn:a"], timeZone: "UTC" });

    expect(shown(decoder, bytes(source))).toEqual(expected);
  });

  it("distinguishes lists, dictionaries and empty texts by names and declarations", () => {
    const arrays = "39 'http://schemas.microsoft.com/2003/10/Serialization/Arrays'";
    const source = `40 01 'r' ${xsiDeclared} 40 01 'a' 09 01 'a' ${arrays} 5e 03 'int' 89 05 01 40 01 'b' 09 01 'a' ${arrays} 01 40 01 'c' 01 40 01 'd' 40 01 'e' 83 40 01 'e' 81 01 01`;

    expect(shown(codec, bytes(source))).toEqual({ a: [5], b: [], c: "", d: [1, 0] });
  });

  it("reads a queue, which DataContractSerializer writes by its fields, as the list that it is", () => {
    const collections = "42 'http://schemas.datacontract.org/2004/07/System.Collections.Generic'";
    const head = "40 05 '_head' 83 40 05 '_size' 89 02 40 05 '_tail' 81 40 08 '_version' 89 03 01";
    const source = `40 0a 'QueueOfint' 08 ${collections} ${xsiDeclared} 40 06 '_array' 03 40 03 'int' 01 8d 02 05000000 06000000 01 ${head}`;

    expect(shown(codec, bytes(source))).toEqual([6, 5]);
  });

  it("says where an object may be a list of one", () => {
    const decoded = decode(codec, bytes("40 01 'r' 40 01 'a' 40 01 'b' 40 01 'c' 89 05 01 01 01"));

    expect(decoded).toMatchObject({
      body: { a: { b: { c: 5 } } },
      warnings: [
        'r may be a list of one "a"; a contract would decide.',
        'r/a may be a list of one "b"; a contract would decide.',
      ],
    });
  });

  it("names the type of an object that is not the declared one", () => {
    const source = `40 01 'r' 2e 04 'type' 98 05 'q:Dog' ${xsiDeclared} 09 01 'q' 05 'urn:z' 40 04 'Name' 99 03 'Rex' 01`;

    expect(shown(codec, bytes(source))).toEqual({ $type: "{urn:z}Dog", Name: "Rex" });
    expect(decode(codec, bytes(source))).toMatchObject({ typeName: "{urn:z}Dog" });
  });

  it("names the byte at which a payload breaks", () => {
    expect(refusal(() => decode(codec, bytes("40 01 'r' c0 00 01")))).toMatchObject({
      code: "DecodeFailed",
      offset: 3,
    });
    expect(refusal(() => decode(codec, bytes("40 01 'r' 98")))).toMatchObject({ code: "TruncatedPayload", offset: 4 });
    expect(refusal(() => decode(codec, bytes("40 01 'r' 01 00")))).toMatchObject({ code: "TrailingBytes", offset: 4 });
  });

  it.each([
    ["maxBytes", { maxBytes: 5 }],
    ["maxDepth", { maxDepth: 2 }],
    ["maxItems", { maxItems: 3 }],
  ])("keeps to %s", (_name, limits) => {
    const payload = bytes("40 01 'r' 40 01 'a' 40 01 'b' 40 01 'c' 89 05 01 01 01");

    expect(refusal(() => decode(codec, payload, { limits })).code).toBe("LimitExceeded");
  });

  it("warns when no contract is for the document", () => {
    const contract = contractOf("System.Int32");
    const decoder = nbfx({ contracts: contract ? [contract] : [] });

    expect(decode(decoder, bytes("40 01 'r' 89 05"))).toEqual({
      body: 5,
      typeName: "r",
      warnings: ["No contract describes r; it was read by its form."],
    });
  });

  it.each([
    ["40 06 'string' 08 33 " + serialization + " 99 02 'hi'", "strong"],
    [`40 01 'r' ${xsiDeclared} 01`, "strong"],
    ["40 01 'r' 01", "weak"],
    ["40 01 'r'", "no"],
    ["7b 7d", "no"],
    ["", "no"],
  ])("sniffs %s as %s", (source, verdict) => {
    expect(codec.sniff?.(bytes(source))).toBe(verdict);
  });

  it("opens a JSON string when the content type says JSON, unless that is switched off", () => {
    const payload = fixture("nbfx-dcs-string-json.bin");
    const serializer = createSerializer({ codecs: [json(), nbfx()], fallback: ["nbfx"] });

    const read = serializer.deserialize(
      createEnvelope({ payload, brokerProperties: { contentType: "application/json" } }),
    );
    const plain = decode(nbfx({ unwrapJson: false }), payload, { contentType: "application/json" });

    expect(read).toMatchObject({ ok: true, body: { key: "value", n: 42 }, codec: "json" });
    expect(plain).toMatchObject({ body: '{"key":"value","n":42}' });
    expect(shown(codec, payload)).toBe('{"key":"value","n":42}');
  });

  it("reads many attributes, members or namespaces", () => {
    const count = 30_000;
    const numbers = Array.from({ length: count }, (_, index) => `n${100_000 + index}`);
    const document = (record: (name: string) => string): Uint8Array =>
      new Uint8Array(Buffer.from(`\x40\x01r${numbers.map(record).join("")}\x01`, "latin1"));

    // More names than the limit of items has room for by default.
    const limits = { maxItems: 20_000_000 };

    const attributes = decode(
      codec,
      document((name) => `\x04\x07${name}\x80`),
      { limits },
    );
    const members = decode(
      codec,
      document((name) => `\x40\x07${name}\x81`),
      { limits },
    );
    const namespaces = decode(
      codec,
      document((name) => `\x40\x01a\x09\x07${name}\x01u\x01`),
    );

    const size = (decoded: typeof members): number => Object.keys(Object("body" in decoded && decoded.body)).length;
    expect([size(attributes), size(members), size(namespaces)]).toEqual([count, count, count]);
  });

  it("keeps members named __proto__ and pollutes nothing", () => {
    expect(shown(codec, fixture("nbfx-proto-key.bin"))).toEqual(
      JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
    );
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("keeps a reference bomb shared, so that it stays small", () => {
    expect(JSON.stringify(shown(nbfx(), fixture("nbfx-ref-bomb.bin"))).length).toBeLessThan(4000);
  });

  it("opens a string of JSON under a type that says so, and leaves any other string as it is", () => {
    const inside = nbfx().encode('{"a":1}', { contentType: undefined, applicationProperties: {} }).payload;
    const text = nbfx().encode("{not json", { contentType: undefined, applicationProperties: {} }).payload;
    const contentType = "application/json";

    expect(decode(nbfx(), inside, { contentType })).toEqual({ unwrapped: new TextEncoder().encode('{"a":1}') });
    expect(decode(nbfx(), text, { contentType })).toMatchObject({ body: "{not json" });
    expect(decode(nbfx({ unwrapJson: false }), inside, { contentType })).toMatchObject({ body: '{"a":1}' });
    expect(decode(nbfx(), inside)).toMatchObject({ body: '{"a":1}' });
  });

  it("refuses an unknown time zone when it is made", () => {
    expect(refusal(() => nbfx({ timeZone: "Europe/Atlantis" })).code).toBe("InvalidArgument");
  });

  it("is suspected where a payload begins like .NET's and breaks off", () => {
    const order = fixture("nbfx-dcs-order.bin");

    expect(nbfx().sniff?.(order)).toBe("strong");
    expect(nbfx().sniff?.(order.subarray(0, 300))).toBe("weak");
    expect(nbfx().sniff?.(new TextEncoder().encode("@string"))).toBe("no");
  });

  it("gives the tree with byte offsets when it is asked for", () => {
    const payload = bytes("40 01 'a' 02 01 'c' 40 01 'b' 99 02 'hi' 01");

    expect(decode(nbfx({ form: "tree" }), payload)).toMatchObject({
      typeName: "a",
      body: {
        root: {
          kind: "element",
          local: "a",
          offset: 0,
          children: [
            { kind: "comment", text: "c", offset: 3 },
            { kind: "element", local: "b", offset: 6, children: [{ kind: "text", value: "hi", offset: 9 }] },
          ],
        },
      },
    });
  });
});
