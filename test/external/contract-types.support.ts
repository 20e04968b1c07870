/** A shape of schema with values of it, and values of other shapes. */
interface Shape {
  readonly name: string;
  readonly type: string;
  readonly schema: { readonly [keyword: string]: unknown };
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const text = { type: "string" } as const;

/** Written in place, `then` would look like the one of a promise. */
const germanZip: Readonly<Record<string, unknown>> = JSON.parse(
  '{ "then": { "properties": { "zip": { "type": "string" } }, "required": ["zip"] } }',
);

export const shapes: readonly Shape[] = [
  {
    name: "event",
    type: "Event",
    schema: {
      oneOf: [
        { type: "object", properties: { kind: { const: "placed" }, id: text }, required: ["kind", "id"] },
        {
          type: "object",
          properties: { kind: { const: "paid" }, cents: { type: "integer" } },
          required: ["kind", "cents"],
        },
      ],
    },
    accepted: [
      { kind: "placed", id: "1" },
      { kind: "paid", cents: 5 },
    ],
    refused: [{ kind: "paid", id: "1" }, { kind: "lost" }, { kind: "placed", id: 1 }],
  },
  {
    name: "with-common",
    type: "WithCommon",
    schema: {
      type: "object",
      properties: { at: text },
      required: ["at"],
      oneOf: [
        { properties: { card: text }, required: ["card"] },
        { properties: { cash: { type: "boolean" } }, required: ["cash"] },
      ],
    },
    accepted: [
      { at: "now", card: "4" },
      { at: "now", cash: true },
    ],
    refused: [{ card: "4" }, { at: "now" }, { at: "now", cash: "yes" }],
  },
  {
    name: "referring",
    type: "Referring",
    schema: {
      type: "object",
      properties: { first: { $ref: "#/$defs/line" }, lines: { type: "array", items: { $ref: "#/$defs/line" } } },
      required: ["lines"],
      $defs: { line: { type: "object", properties: { sku: text }, required: ["sku"] } },
    },
    accepted: [{ lines: [] }, { first: { sku: "a" }, lines: [{ sku: "b" }, { sku: "c" }] }],
    refused: [{ lines: [{}] }, { first: "a", lines: [] }, {}],
  },
  {
    name: "tree",
    type: "Tree",
    schema: {
      type: "object",
      properties: { name: text, children: { type: "array", items: { $ref: "#" } } },
      required: ["name"],
    },
    accepted: [{ name: "a" }, { name: "a", children: [{ name: "b", children: [] }] }],
    refused: [
      { name: "a", children: [{}] },
      { name: "a", children: [{ name: "b", children: [1] }] },
    ],
  },
  {
    name: "rings",
    type: "Rings",
    schema: {
      $ref: "#/$defs/value",
      $defs: {
        value: { anyOf: [text, { $ref: "#/$defs/list" }, { $ref: "#/$defs/map" }] },
        list: { type: "array", items: { $ref: "#/$defs/value" } },
        map: { type: "object", additionalProperties: { $ref: "#/$defs/value" } },
      },
    },
    accepted: ["a", [], ["a", ["b"]], { x: ["y", { z: "" }] }],
    refused: [1, [1], { x: null }],
  },
  {
    name: "enums",
    type: "Enums",
    schema: {
      type: "object",
      properties: { state: { enum: ["open", "closed", null, 3, true, { x: [1] }] }, one: { const: [1, "a"] } },
      required: ["state"],
    },
    accepted: [{ state: "open" }, { state: null }, { state: 3 }, { state: { x: [1] } }, { state: true, one: [1, "a"] }],
    refused: [{ state: "lost" }, { state: false }, { state: 4 }, { state: { x: [2] } }, { state: 3, one: [1, "b"] }],
  },
  {
    name: "nullable",
    type: "Nullable",
    schema: {
      type: "object",
      properties: { note: { type: ["string", "null"] }, other: { anyOf: [{ type: "integer" }, { type: "null" }] } },
      required: ["note"],
    },
    accepted: [{ note: null }, { note: "a", other: null }, { note: "", other: 2 }],
    refused: [{}, { note: 1 }, { note: null, other: "a" }],
  },
  {
    name: "maps",
    type: "Maps",
    schema: {
      type: "object",
      properties: { id: text, optional: { type: "boolean" } },
      required: ["id"],
      patternProperties: { "^x-": { type: "array", items: { type: "integer" } } },
      additionalProperties: { type: "number" },
    },
    accepted: [{ id: "a" }, { id: "a", total: 5, "x-list": [1] }, { id: "a", optional: true, other: 0.5 }],
    refused: [{ total: 5 }, { id: "a", other: { deep: 1 } }],
  },
  {
    name: "counts",
    type: "Counts",
    schema: { type: "object", additionalProperties: { type: "integer" } },
    accepted: [{}, { a: 1, b: 2 }],
    refused: [{ a: "1" }, [], null],
  },
  {
    name: "wide",
    type: "Wide",
    schema: {
      type: "object",
      properties: { number: { type: "integer", format: "int64" }, digits: { type: "string", format: "int64" } },
      required: ["number"],
    },
    accepted: [{ number: 5 }, { number: 2n ** 60n }, { number: -1, digits: "9223372036854775807" }],
    refused: [{ number: "5" }, { number: 1, digits: true }],
  },
  {
    name: "tuple",
    type: "Tuple",
    schema: { type: "array", prefixItems: [text, { type: "integer" }, { type: "boolean" }], minItems: 3, items: false },
    accepted: [["a", 1, true]],
    refused: [[], ["a", 1], [1, 1, true], ["a", "b", true], ["a", 1, true, null]],
  },
  {
    name: "old-tuple",
    type: "OldTuple",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "array",
      items: [text, { type: "object", properties: { n: { type: "number" } } }],
      minItems: 2,
      additionalItems: false,
    },
    accepted: [
      ["a", { n: 1 }],
      ["a", {}],
    ],
    refused: [["a"], [1, {}], ["a", { n: "1" }], ["a", {}, 1]],
  },
  {
    name: "all-of",
    type: "AllOf",
    schema: {
      allOf: [{ $ref: "#/$defs/base" }, { type: "object", properties: { extra: text }, required: ["extra"] }],
      $defs: { base: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
    },
    accepted: [{ id: 1, extra: "a" }],
    refused: [{ id: 1 }, { extra: "a" }, { id: "1", extra: "a" }],
  },
  {
    name: "conditions",
    type: "Conditions",
    schema: {
      type: "object",
      properties: { country: text },
      required: ["country"],
      if: { properties: { country: { const: "DE" } } },
      ...germanZip,
      else: { properties: { postcode: text }, required: ["postcode"] },
    },
    accepted: [
      { country: "DE", zip: "1" },
      { country: "GB", postcode: "2" },
    ],
    refused: [{ country: "GB" }, { country: "DE", zip: 1 }],
  },
  {
    name: "depending",
    type: "Depending",
    schema: {
      type: "object",
      properties: { card: text },
      dependentSchemas: { card: { properties: { holder: text }, required: ["holder"] } },
    },
    accepted: [{}, { card: "4", holder: "a" }],
    refused: [{ card: "4" }, { card: 4, holder: "a" }],
  },
  {
    name: "old-draft",
    type: "OldDraft",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [text, { type: "integer" }], additionalItems: false, minItems: 2, maxItems: 2 },
      },
      required: ["pair"],
    },
    accepted: [{ pair: ["a", 1] }],
    refused: [{ pair: ["a"] }, { pair: [1, "a"] }, {}],
  },
  {
    name: "no-object",
    type: "NoObject",
    schema: { type: "object", properties: {}, additionalProperties: false },
    accepted: [{}],
    refused: [{ a: 1 }, "a"],
  },
];

/** A file with every kind of field. */
export const protoFile = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Order {
  message Payment { oneof by { string card = 1; int64 cash = 2; Voucher voucher = 3; } }
  enum State { STATE_UNSPECIFIED = 0; STATE_OPEN = 1; }
  oneof x_y { int32 left_ = 16; int32 _right = 17; }
  string id = 1;
  uint64 total = 2;
  optional sint32 discount = 3;
  State state = 4;
  repeated State history = 5;
  map<string, Payment> payments = 6;
  map<int64, bytes> blobs = 7;
  Payment payment = 8;
  bytes raw = 9;
  double weight = 10;
  bool gift = 11;
  repeated Order parts = 12;
  google.protobuf.Timestamp at = 13;
  string ship_to = 14;
  optional bool a_1_b = 15;
}
message Voucher { fixed64 number = 1; }
`;

export const protoValues: readonly Readonly<Record<string, unknown>>[] = [
  {},
  {
    id: "a",
    total: 2n ** 63n,
    discount: -4,
    state: "STATE_OPEN",
    history: ["STATE_UNSPECIFIED", 7],
    payments: { a: { card: "4" }, b: { voucher: { number: 1n } }, c: {} },
    blobs: { "-1": Uint8Array.of(1) },
    payment: { cash: -1n },
    raw: Uint8Array.of(0, 255),
    weight: 0.5,
    gift: true,
    parts: [{ id: "b" }, { parts: [{}] }],
    at: { seconds: 1n, nanos: 5 },
    shipTo: "home",
    a_1B: true,
    left_: 1,
  },
];
