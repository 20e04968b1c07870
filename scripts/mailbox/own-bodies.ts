import { readFileSync } from "node:fs";
import { Packr } from "msgpackr";
import protobuf from "protobufjs";

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

/** UTF-8 text. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const packr = new Packr({ useRecords: false, variableMapSize: true });

/** An order as MessagePack, with its `$` rendering. */
export const packedOrder: { readonly payload: Uint8Array; readonly value: unknown } = {
  payload: packr.pack({ id: "P-002", customer: { name: "Lucía Gómez", city: "Madrid" }, total: 119.98, paid: true }),
  value: { id: "P-002", customer: { name: "Lucía Gómez", city: "Madrid" }, total: 119.98, paid: true },
};

/** A stock count as MessagePack: a 64-bit integer, bytes and a time. */
export const packedStock: { readonly payload: Uint8Array; readonly value: unknown } = {
  payload: packr.pack({
    sku: "A-1",
    units: 9007199254740993n,
    counted: new Date("2025-01-02T03:04:05.000Z"),
    checksum: bytes("c0ffee"),
  }),
  value: {
    sku: "A-1",
    units: { $int64: "9007199254740993" },
    counted: { $dateTime: "2025-01-02T03:04:05.000Z", kind: "utc", ticks: "638713838450000000" },
    checksum: { $bytes: "wP/u" },
  },
};

/** A list as MessagePack. */
export const packedList: { readonly payload: Uint8Array; readonly value: unknown } = {
  payload: packr.pack(["A-1", "B-2", null, -7, 2.5, false]),
  value: ["A-1", "B-2", null, -7, 2.5, false],
};

const { root } = protobuf.parse(readFileSync(new URL("../../fixtures/mailbox/shop.proto", import.meta.url), "utf8"));

const protobufBody = (type: string, body: Readonly<Record<string, unknown>>): Uint8Array => {
  const reflected = root.lookupType(type);
  return reflected.encode(reflected.fromObject(body)).finish();
};

/** An order as Protobuf `shop.Order`, with its `$` rendering. */
export const protobufOrder: { readonly payload: Uint8Array; readonly value: unknown } = {
  payload: protobufBody("shop.Order", {
    id: "P-003",
    customer: { name: "Iñaki Etxeberria", city: "Bilbao", tags: ["vip", "eu"] },
    lines: [
      { sku: "A-1", quantity: 2, price: 9.99 },
      { sku: "B-2", quantity: 1, price: 100 },
    ],
    total: 119.98,
    placed: 1735787045000n,
    status: "SHIPPED",
    ledger: 9007199254740993n,
    signature: bytes("c0ffee"),
  }),
  value: {
    id: "P-003",
    customer: { name: "Iñaki Etxeberria", city: "Bilbao", tags: ["vip", "eu"] },
    lines: [
      { sku: "A-1", quantity: 2, price: 9.99 },
      { sku: "B-2", quantity: 1, price: 100 },
    ],
    total: 119.98,
    placed: { $int64: "1735787045000" },
    status: "SHIPPED",
    ledger: { $int64: "9007199254740993" },
    signature: { $bytes: "wP/u" },
  },
};

/** `shop.Scan` with the code "ORD-0042": the same bytes are a MessagePack array of ten small integers. */
export const protobufScan: {
  readonly payload: Uint8Array;
  readonly value: unknown;
  readonly asMessagePack: unknown;
} = {
  payload: protobufBody("shop.Scan", { code: "ORD-0042" }),
  value: { code: "ORD-0042" },
  asMessagePack: [1, 8, 79, 82, 68, 45, 48, 48, 52, 50],
};

/** An AMQP map, as written by `proton.Data.put_object` of qpid-proton 0.37. */
export const amqpMap: { readonly payload: Uint8Array; readonly source: string } = {
  payload: bytes(
    "d10000006e0000000ea103736b75a103412d31a1087175616e7469747960000ca10570726963657241180000" +
      "a1056261746368980f8fad5bd9cb469fa16570867728950ea107636f756e746564830000019424f86088" +
      "a1057368656c66a304422d3037a105756e697473800020000000000001",
  ),
  source: "qpid-proton 0.37, Data.put_object of a map with one value of each of seven types",
};

/** 64 bytes of an xorshift generator: what an encrypted body looks like. */
export function noise(): Uint8Array {
  let state = 0x9e3779b9;
  return Uint8Array.from({ length: 64 }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}
