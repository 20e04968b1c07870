interface Order {
  readonly [field: string]: unknown;
}

/** An order of 450 bytes as JSON: what services send each other every day. */
export const order: Order = {
  id: "ORD-2026-000481",
  placed: "2026-11-03T10:15:00Z",
  customer: {
    id: 48_213,
    name: "Nuria García",
    vip: true,
    address: { street: "Calle Mayor 1", city: "Madrid", zip: "28013", country: "ES" },
  },
  lines: [
    { sku: "A-100", quantity: 2, price: 12.5 },
    { sku: "B-220", quantity: 1, price: 199.99 },
    { sku: "C-031", quantity: 10, price: 0.35 },
  ],
  total: 228.49,
  currency: "EUR",
  tags: ["gift", "express"],
  channel: "web-checkout-v2-spain-central",
  weight: 4.2,
};

/** The same order for Protobuf, with a 64-bit number, as bigint. */
export const protobufOrder: Order = { ...order, number: 9_007_199_254_740_993n };

export const orderProto = `syntax = "proto3"; package bench;
message Order {
  string id = 1; string placed = 2; Customer customer = 3; repeated Line lines = 4; double total = 5; string currency = 6;
  repeated string tags = 7; string channel = 8; double weight = 9; int64 number = 10;
}
message Customer { uint32 id = 1; string name = 2; bool vip = 3; Address address = 4; }
message Address { string street = 1; string city = 2; string zip = 3; string country = 4; }
message Line { string sku = 1; uint32 quantity = 2; double price = 3; }`;
