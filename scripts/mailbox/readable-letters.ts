import { bodyOf, type Letter, readBy, type Source, unreadable } from "./letter.ts";
import { amqpMap, packedList, packedOrder, packedStock, protobufOrder, protobufScan } from "./own-bodies.ts";

const packed = "msgpackr, by scripts/make-mailbox.ts";
const protobufjs = "protobufjs and shop.proto, by scripts/make-mailbox.ts";
const person = { nombre: "Lucía", n: 42, e: "🚀" };

/** The value of a UTF-8 JSON payload, by JSON.parse. */
const parsed = ({ payload }: { readonly payload: Uint8Array }): unknown =>
  JSON.parse(new TextDecoder().decode(payload));

/** Messages that are JSON, whatever they declare. */
export function jsonLetters(vector: Source): readonly Letter[] {
  const order = vector("json-dcjs-order");
  const lines = vector("json-dcjs-generic-order");
  const address = vector("json-dcjs-address-noNs");
  return [
    { file: "order.json", ...order, contentType: "application/json", expect: readBy("json", parsed(order)) },
    {
      file: "big-integer.json",
      ...vector("json-dcjs-long-2p53p1"),
      contentType: "application/json",
      expect: readBy("json", { $int64: "9007199254740993" }),
    },
    {
      file: "suffix.json",
      ...lines,
      contentType: "application/vnd.shop.order+json",
      expect: readBy("json", parsed(lines)),
    },
    {
      file: "odd-case.json",
      ...address,
      contentType: 'Application/JSON ; Charset="UTF-8"',
      expect: readBy("json", parsed(address)),
    },
    {
      file: "spaces.json",
      ...vector("text-json-leading-ws"),
      contentType: "text/json",
      expect: readBy("json", person),
    },
    {
      file: "utf16.json",
      ...vector("text-utf16le-nobom-json"),
      contentType: "application/json; charset=utf-16le",
      expect: readBy("json", person),
    },
    { file: "utf16-bom.json", ...vector("text-utf16le-bom-json"), contentType: null, expect: readBy("json", person) },
    {
      file: "latin1.json",
      ...vector("text-latin1-json"),
      contentType: "application/json; charset=iso-8859-1",
      expect: readBy("json", { nombre: "Lucía" }),
    },
    { file: "no-type.json", ...vector("text-utf8-json"), contentType: null, expect: readBy("json", person) },
    {
      file: "two-types.json",
      ...vector("text-utf8-json"),
      contentType: "application/json, text/plain",
      expect: readBy("json", person),
    },
    {
      file: "unknown-type.json",
      ...address,
      contentType: "application/x-shop-audit",
      expect: readBy("json", parsed(address)),
    },
    {
      file: "really-json.msgpack",
      ...address,
      contentType: "application/vnd.msgpack",
      expect: readBy("json", parsed(address)),
    },
  ];
}

/** Messages that are compressed and say so. */
export function compressedLetters(vector: Source): readonly Letter[] {
  return [
    {
      file: "deflated.json",
      ...vector("text-rawdeflate-json"),
      contentType: "application/json",
      contentEncoding: "deflate",
      expect: readBy("json", person),
    },
    {
      file: "twice.json.gz",
      ...vector("text-gzip-gzip-json"),
      contentType: "application/json",
      contentEncoding: "gzip, gzip",
      expect: readBy("json", person),
    },
  ];
}

/** Messages that are MessagePack, whatever they declare. */
export function messagePackLetters(): readonly Letter[] {
  const { payload, value } = packedOrder;
  return [
    {
      file: "order.msgpack",
      payload,
      contentType: "application/vnd.msgpack",
      source: packed,
      expect: readBy("msgpack", value),
    },
    {
      file: "stock.msgpack",
      payload: packedStock.payload,
      contentType: "application/vnd.shop.stock+msgpack",
      source: packed,
      expect: readBy("msgpack", packedStock.value),
    },
    {
      file: "no-type.msgpack",
      payload: packedList.payload,
      contentType: null,
      source: packed,
      expect: readBy("msgpack", packedList.value),
    },
    {
      file: "really-msgpack.json",
      payload,
      contentType: "application/json",
      source: packed,
      expect: readBy("msgpack", value),
    },
  ];
}

/** Protobuf messages; two of them do not declare it. */
export function protobufLetters(): readonly Letter[] {
  const { payload, value } = protobufOrder;
  const scan = protobufScan.payload;
  return [
    {
      file: "order.protobuf",
      payload,
      contentType: "application/protobuf; messageType=shop.Order",
      source: protobufjs,
      expect: readBy("protobuf", value),
    },
    {
      file: "scan.protobuf",
      payload: scan,
      contentType: 'application/x-protobuf; proto="shop.Scan"',
      source: protobufjs,
      expect: readBy("protobuf", protobufScan.value),
    },
    {
      file: "scan-no-type.bin",
      payload: scan,
      contentType: null,
      source: `${protobufjs}; the bytes of scan.protobuf, which MessagePack reads as well`,
      expect: readBy("msgpack", protobufScan.asMessagePack),
    },
    {
      file: "property.protobuf",
      payload,
      contentType: "application/x-protobuf",
      applicationProperties: { "sobre-type": "shop.Order" },
      source: protobufjs,
      expect: readBy("protobuf", value),
    },
    {
      file: "which-type.protobuf",
      payload,
      contentType: "application/protobuf",
      source: protobufjs,
      expect: unreadable(["protobuf"]),
      repair: {
        contentType: "application/protobuf; messageType=shop.Order",
        expect: readBy("protobuf", value),
      },
    },
    {
      file: "really-protobuf.json",
      payload,
      contentType: "application/json",
      source: protobufjs,
      expect: unreadable(["json", "datacontract-json"]),
    },
  ];
}

/** AMQP value and sequence bodies. */
export function amqpLetters(vector: Source): readonly Letter[] {
  const value = (id: string): { readonly payload: Uint8Array; readonly source: string } => bodyOf(vector(id), 0x77);
  return [
    {
      file: "greeting.amqp",
      ...value("amqp-value-string"),
      contentType: null,
      bodyKind: "value",
      expect: readBy("amqp", "Hola ñ 🚀"),
    },
    {
      file: "long.amqp",
      ...value("amqp-value-long"),
      contentType: null,
      bodyKind: "value",
      expect: readBy("amqp", { $int64: "9007199254740993" }),
    },
    {
      file: "map.amqp",
      ...amqpMap,
      contentType: null,
      bodyKind: "value",
      expect: readBy("amqp", {
        sku: "A-1",
        quantity: 12,
        price: 9.5,
        batch: "0f8fad5b-d9cb-469f-a165-70867728950e",
        counted: { $dateTime: "2025-01-02T03:04:05.000Z", kind: "utc", ticks: "638713838450000000" },
        shelf: "B-07",
        units: { $int64: "9007199254740993" },
      }),
    },
    {
      file: "offset.amqp",
      ...value("amqp-described-dto"),
      contentType: null,
      bodyKind: "value",
      expect: readBy("amqp", { $dateTimeOffset: "2024-01-01T00:00:00+00:00" }),
    },
    {
      file: "sequence.amqp",
      ...bodyOf(vector("amqp-sequence"), 0x76),
      contentType: null,
      bodyKind: "sequence",
      expect: readBy("amqp", [1, "dos"]),
    },
    {
      file: "really-amqp.json",
      ...value("amqp-value-bool"),
      contentType: "application/json",
      bodyKind: "value",
      expect: readBy("amqp", true),
    },
  ];
}
