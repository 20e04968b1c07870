import { type Letter, readBy, type Source, unreadable } from "./letter.ts";

/** Letters that .NET and Java left behind, whatever they declare. */
export function legacyLetters(vector: Source, value: (id: string) => unknown): readonly Letter[] {
  return [
    { file: "dotnet-order.bin", ...vector("nbfx-dcs-order"), contentType: null, expect: readBy("nbfx", lexicalOrder) },
    {
      file: "dotnet-string.json",
      ...vector("text-nbfx-string-holding-json"),
      contentType: "application/json",
      expect: readBy("json", { key: "value", n: 42 }),
    },
    {
      file: "dotnet-lines.nrbf",
      ...vector("nrbf-list-order"),
      contentType: "application/x-nrbf",
      expect: readBy("nrbf", value("nrbf-list-order")),
    },
    {
      file: "address.ser",
      ...vector("java-pojo-address"),
      contentType: "application/x-java-serialized-object",
      expect: readBy("java", value("java-pojo-address")),
    },
    {
      file: "jms-map.bin",
      ...vector("java-linkedhashmap"),
      contentType: null,
      expect: readBy("java", value("java-linkedhashmap")),
    },
    {
      file: "dotnet-order.gz",
      ...vector("text-gzip-nbfx-order"),
      contentType: null,
      expect: readBy("nbfx", lexicalOrder),
    },
    {
      file: "order-utf16.xml",
      ...vector("text-xml-utf8-lie"),
      contentType: "application/xml",
      expect: readBy("datacontract-xml", value("text-xml-utf8-lie")),
    },
    {
      file: "order.xml",
      ...vector("text-xml-cdata-comment"),
      contentType: "text/xml",
      expect: readBy("datacontract-xml", value("text-xml-cdata-comment")),
    },
    {
      file: "dotnet-event.xml",
      ...vector("xml-xs-animal-declared-dog"),
      contentType: "application/xml",
      expect: readBy("datacontract-xml", { $type: "Dog", Name: "Rex", Barks: false }),
    },
  ];
}

/** The order of dotnet-order.bin as far as its bytes show the types: no guid, no number of its status. */
const lexicalOrder: unknown = {
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
};

/** Letters that their readers refuse: cut off, lying about its length, or made to harm. */
export function hostileLetters(vector: Source, malformed: Source): readonly Letter[] {
  const cut = (id: string, length: number): { readonly payload: Uint8Array; readonly source: string } => {
    const { payload, source } = vector(id);
    return { payload: payload.subarray(0, length), source: `${source}; the first ${length} bytes` };
  };
  return [
    {
      file: "truncated-order.bin",
      ...cut("nbfx-dcs-order", 300),
      contentType: null,
      expect: unreadable(["nbfx"], ".NET binary XML"),
    },
    {
      file: "truncated.ser",
      ...cut("java-pojo-address", 90),
      contentType: "application/x-java-serialized-object",
      expect: unreadable(["java", "msgpack"], "Java object serialization"),
    },
    {
      file: "lying.nrbf",
      ...malformed("nrbf-list-size-lie"),
      contentType: null,
      expect: unreadable(["nrbf"], ".NET BinaryFormatter"),
    },
    {
      file: "entities.xml",
      ...malformed("xml-doctype-entities"),
      contentType: "application/xml",
      expect: unreadable(["datacontract-xml"], "XML"),
    },
    {
      file: "bomb.gz",
      ...malformed("gzip-bomb-20mb"),
      contentType: "application/gzip",
      expect: unreadable(["gzip"], "gzip"),
    },
  ];
}
