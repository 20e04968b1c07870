import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dataContractXml, nbfx } from "../../../codecs/dotnet/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { legacy } from "../../../codecs/legacy/index.ts";
import { createSerializer, defaultDecodeLimits, type DeserializeResult } from "../../../src/core/codec/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { refusal } from "../../refusal.support.ts";
import { bytes, decode, fixture, shown } from "./decoding.support.ts";

interface Written {
  readonly name: string;
  readonly contentType: string;
  readonly base64: string;
}

const written: readonly Written[] = readFileSync(
  new URL("../../../fixtures/legacy/wcf/wcf.ndjson", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line): Written => JSON.parse(line));

function payloadOf(name: string): Uint8Array {
  return new Uint8Array(Buffer.from(written.find((one) => one.name === name)?.base64 ?? "", "base64"));
}

const readers = legacy();
const serializer = createSerializer({ codecs: [json(), ...readers], fallback: readers, whenUnknown: "fallback" });

function read(payload: Uint8Array, contentType?: string): DeserializeResult {
  return serializer.deserialize(createEnvelope({ payload, brokerProperties: { contentType } }));
}

function story({ attempts }: DeserializeResult): readonly string[] {
  return attempts.filter(({ outcome }) => outcome !== "vetoed").map(({ codec, outcome }) => `${codec} ${outcome}`);
}

const action = { "@mustUnderstand": "1", "#text": "http://tempuri.org/IOrders/SubmitOrder" };
const order = {
  At: { $dateTime: "2025-01-02T03:04:05Z", kind: "utc", ticks: "638713838450000000" },
  Id: "11111111-2222-3333-4444-555555555555",
  Lines: [
    { Price: { $decimal: "9.99" }, Qty: 2, Sku: "A-1" },
    { Price: { $decimal: "100" }, Qty: 1, Sku: "B-2" },
  ],
  Note: "Lucía",
  Photo: { $bytes: "AQL/" },
  Weight: 2.5,
};
const soap = "{http://www.w3.org/2003/05/soap-envelope}";
const operation = {
  Header: {
    $type: `${soap}Header`,
    Action: action,
    To: { "@mustUnderstand": "1", "#text": "net.msmq://localhost/orders" },
    MessageID: "urn:uuid:deadbeef-0000-4000-8000-000000000001",
  },
  Body: { $type: `${soap}Body`, SubmitOrder: { order, priority: 1 } },
};

describe("messages of WCF in binary XML", () => {
  it("reads the example of MC-NBFS 3 by the static dictionary", () => {
    const example = bytes(
      "56 02 0b 01 61 06 0b 01 73 04 56 08 44 0a 1e 00 82 99 06 'action' 01 56 0e 40 09 'Inventory' 81 01 01",
    );

    expect(shown(nbfx(), example)).toEqual({
      Header: { $type: `${soap}Header`, Action: { "@mustUnderstand": "1", "#text": "action" } },
      Body: { $type: `${soap}Body`, Inventory: 0 },
    });
  });

  it("reads the example of MC-NBFSE 3 by its string table", () => {
    const example = bytes(
      "11 06 'action' 09 'Inventory' 56 02 0b 01 61 06 0b 01 73 04 56 08 44 0a 1e 00 82 ab 01 01 56 0e 42 03 81 01 01",
    );

    expect(shown(nbfx(), example)).toMatchObject({
      Header: { Action: { "#text": "action" } },
      Body: { Inventory: 0 },
    });
  });

  it.each(["application/soap+msbin1", undefined, "application/octet-stream"])(
    "reads what a client wrote, declared as %s, with its headers, by the type of its body",
    (contentType) => {
      const result = read(payloadOf("operation"), contentType);

      expect(result).toMatchObject({
        ok: true,
        codec: "nbfx",
        typeName: "{http://tempuri.org/}SubmitOrder",
        warnings: [],
      });
      expect(result.ok && valueToJson(result.body)).toEqual(operation);
    },
  );

  it.each(["application/soap+msbinsession1", undefined])(
    "reads the first message of a session, declared as %s, by the strings in front of it",
    (contentType) => {
      const result = read(payloadOf("first of a session"), contentType);

      expect(result).toMatchObject({ ok: true, codec: "nbfx", typeName: "{http://tempuri.org/}SubmitOrder" });
      expect(result.ok && valueToJson(result.body)).toEqual(operation);
    },
  );

  it("refuses a later message of a session without the strings of the earlier ones, and reads it with them", () => {
    const later = payloadOf("second of a session");
    const contentType = "application/soap+msbinsession1";
    const names = "order,http://schemas.datacontract.org/2004/07/Shop,http://www.w3.org/2001/XMLSchema-instance";
    const session = [
      ...names.split(","),
      "At",
      "Id",
      "Lines",
      "Line",
      "Price",
      "Qty",
      "Sku",
      "Note",
      "Photo",
      "Weight",
    ];

    expect(refusal(() => decode(nbfx(), later, { contentType }))).toMatchObject({
      code: "DecodeFailed",
      message: expect.stringContaining('pass the strings as the option "session"'),
    });
    expect(decode(nbfx({ session }), later, { contentType })).toEqual(
      decode(nbfx(), payloadOf("first of a session"), { contentType }),
    );
  });

  it("applies a contract to the body", () => {
    const contract = {
      title: "Order",
      "x-dotnet": { defaultNamespace: "http://schemas.datacontract.org/2004/07/Shop" },
      properties: { Id: { "x-dotnet": "guid" }, Note: { type: "string" } },
    } as const;

    expect(shown(nbfx({ contracts: [contract] }), payloadOf("data contract"))).toMatchObject({
      Body: { Order: { Id: { $guid: order.Id }, Note: "Lucía" } },
    });
  });

  it("reads a body without parts and a fault, and text XML in the same form", () => {
    expect(shown(nbfx(), payloadOf("empty"))).toMatchObject({ Body: { $type: `${soap}Body` } });
    expect(shown(nbfx(), payloadOf("fault"))).toMatchObject({ Body: { Fault: { Code: { Value: "Sender" } } } });
    expect(
      shown(
        dataContractXml(),
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Ping xmlns="urn:p"><n>5</n></Ping></e:Body></e:Envelope>',
      ),
    ).toMatchObject({ Body: { Ping: { n: 5 } } });
  });

  it("counts long strings of a session wherever they are named, so that few bytes cannot become a terabyte", () => {
    const long = "x".repeat(100_000);
    const table = Buffer.concat([Buffer.from([0xa0, 0x8d, 0x06]), Buffer.from(long)]);
    const size = Buffer.from([0x80 | (table.length & 0x7f), 0x80 | ((table.length >> 7) & 0x7f), table.length >> 14]);
    const items = Buffer.from(bytes("40 01 'i' ab 01".replaceAll("  ", " ")));
    const payload = Buffer.concat([
      size,
      table,
      bytes("56 02 0b 01 73 04 56 0e"),
      ...Array.from({ length: 2_000 }, () => items),
      bytes("01 01"),
    ]);

    expect(refusal(() => decode(nbfx(), payload, { limits: { maxItems: 100_000 } })).code).toBe("LimitExceeded");
  });

  it("is sure of a SOAP envelope alone", () => {
    expect(nbfx().sniff?.(payloadOf("operation"))).toBe("strong");
    expect(nbfx().sniff?.(payloadOf("first of a session"))).toBe("strong");
    expect(nbfx().sniff?.(payloadOf("operation").subarray(0, 40))).toBe("weak");
    expect(nbfx().sniff?.(bytes("56 02 01"))).toBe("weak");
    expect(nbfx().sniff?.(new TextEncoder().encode("Verona"))).toBe("no");
  });
});

const document = { a: [1, 2.5], b: "Lucía" };

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("byte arrays of .NET", () => {
  it.each(["", " in text XML"])("are opened where they hold JSON, XML or base64 of it%s", (form) => {
    const outer = form === "" ? "nbfx" : "datacontract-xml";

    const inJson = read(payloadOf(`bytes of JSON${form}`));
    const inXml = read(payloadOf(`bytes of XML${form}`));
    const inBase64 = read(payloadOf(`bytes of base64 of JSON${form}`));
    const xmlInBase64 = read(payloadOf(`bytes of base64 of XML${form}`));

    expect(inJson).toMatchObject({ ok: true, body: document, codec: "json" });
    expect(story(inJson)).toEqual([`${outer} unwrapped`, "json read"]);
    expect(inXml).toMatchObject({ ok: true, body: { id: 7 }, codec: "datacontract-xml" });
    expect(story(inXml)).toEqual([`${outer} unwrapped`, "datacontract-xml read"]);
    expect(inBase64).toMatchObject({ ok: true, body: document, codec: "json" });
    expect(story(inBase64)).toEqual([`${outer} unwrapped`, "base64 unwrapped", "json read"]);
    expect(story(xmlInBase64)).toEqual([`${outer} unwrapped`, "base64 unwrapped", "datacontract-xml read"]);
  });

  it.each(["bytes", "bytes of text", "bytes that begin like JSON", "bytes that begin like XML"])(
    "stay bytes where they hold nothing that is read: %s",
    (name) => {
      const result = read(payloadOf(name));

      expect(result).toMatchObject({ ok: true, codec: "nbfx" });
      expect(result.ok && result.body).toBeInstanceOf(Uint8Array);
    },
  );

  it("record the attempt to open them", () => {
    expect(story(read(payloadOf("bytes that begin like XML")))).toEqual([
      "nbfx unwrapped",
      "datacontract-xml failed",
      "nbfx failed",
      "nbfx read",
    ]);
  });

  it("are read as they are by the bare codec, and opened under a type that says JSON", () => {
    const payload = payloadOf("bytes of JSON");

    expect(decode(nbfx(), payload)).toMatchObject({ body: expect.any(Uint8Array) });
    expect(decode(nbfx(), payload, { contentType: "application/json" })).toMatchObject({
      unwrapped: expect.any(Uint8Array),
    });
    expect(decode(nbfx({ unwrapJson: false }), payload, { contentType: "application/json" })).toMatchObject({
      body: expect.any(Uint8Array),
    });
    expect(
      createSerializer({
        codecs: legacy({ unwrapBytes: false }),
        fallback: legacy({ unwrapBytes: false }),
        whenUnknown: "fallback",
      }).deserialize(createEnvelope({ payload })),
    ).toMatchObject({ body: expect.any(Uint8Array) });
  });

  it("are opened in base64 of their own, as a stream has it, but words are not", () => {
    expect(read(utf8(Buffer.from(JSON.stringify(document)).toString("base64")))).toMatchObject({ body: document });
    expect(read(utf8("word"))).toMatchObject({ ok: false });
    expect(decode(nbfx(), fixture("nbfx-dcs-order.bin"), { limits: defaultDecodeLimits })).toMatchObject({ body: {} });
  });
});
