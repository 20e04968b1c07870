import { readFileSync } from "node:fs";
import { XMLParser } from "fast-xml-parser";
import { Packr } from "msgpackr";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { defaultDecodeLimits } from "../../src/core/codec/index.ts";
import { compare, type Figure } from "./harness.ts";

const read = (name: string): Buffer => readFileSync(new URL(`../../fixtures/legacy/dotnet/${name}`, import.meta.url));

/** The order of 576 bytes, as JSON has it. */
const plain = {
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
  Total: "119.98",
  PlacedAt: new Date("2025-01-02T03:04:05Z"),
  Status: "en curso",
  Priority: null,
  Correlation: "deadbeef-0000-4000-8000-000000000001",
};

const warmUp = 50_000;

/** Binary XML to plain values, compared with an XML parser on the same document as text and msgpackr on the same value. */
export async function bench(): Promise<readonly Figure[]> {
  const payload = new Uint8Array(read("nbfx-dcs-order.bin"));
  const xml = read("order.xml").toString();
  const parser = new XMLParser({ ignoreAttributes: false });
  const packr = new Packr({ useRecords: false });
  const packed = packr.pack(plain);
  const decoder = nbfx();
  const context = {
    contentType: undefined,
    applicationProperties: {},
    bodyKind: "data",
    limits: defaultDecodeLimits,
  } as const;
  const contenders = {
    nbfx: (): unknown => decoder.decode(payload, context),
    "fast-xml-parser": (): unknown => parser.parse(xml),
    msgpackr: (): unknown => packr.unpack(packed),
  };
  // Optimising takes longer than a round, on a busy machine much longer.
  for (const run of Object.values(contenders)) for (let call = 0; call < warmUp; call++) run();
  const result = compare(contenders);
  return [
    {
      name: "nbfx order of 576 bytes / fast-xml-parser of its text",
      measured: result.ratio("nbfx", "fast-xml-parser"),
      bound: "most",
      target: 1 / 3,
      floor: 0.4,
      unit: "×",
    },
    {
      name: "nbfx order of 576 bytes / msgpackr.unpack of its value",
      measured: result.ratio("nbfx", "msgpackr"),
      bound: "most",
      target: 6,
      floor: 8,
      unit: "×",
    },
  ];
}
