import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { MsgpackExtension } from "../../../src/core/values/msgpack-extension.ts";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { type CodecTarget, codecSuite, runCodecCase } from "../../../src/broker/conformance/index.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

const fixtures = join(import.meta.dirname, "../../../fixtures/codecs");
const proto = protobuf({ protos: readFileSync(join(fixtures, "every.proto"), "utf8") });
const golden: { payloads: readonly { body: unknown }[] } = JSON.parse(
  readFileSync(join(fixtures, "protobuf.json"), "utf8"),
);
const strings = protobuf({
  protos:
    'syntax = "proto3"; message Strings { repeated string many = 1; } message Nested { Nested nested = 1; int32 number = 2; }',
});

const order = {
  id: "ord-2026-000184",
  customer: { name: "Ana García", vip: true, limit: null },
  lines: [{ sku: "TEA-0042", quantity: -3, price: 12.5, weight: -0 }],
  version: 9007199254740993n,
  least: -(2n ** 63n),
  at: new Date("2026-05-17T09:31:22.418Z"),
  exactly: new Instant(1_779_010_282_418_000_001n),
  signature: Uint8Array.of(0, 1, 254, 255),
  byNumber: new Map<unknown, unknown>([[1, "one"]]),
  foreign: new MsgpackExtension(42, Uint8Array.of(1)),
};

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

const msgpackTarget: CodecTarget = {
  codec: msgpack(),
  samples: [
    order,
    [],
    {},
    "Darjeeling, first flush",
    "",
    0,
    -0,
    -1.5,
    2 ** 40,
    2 ** 60,
    true,
    null,
    [[1], [2, { a: [] }]],
  ],
  nestedPayload: (depth) => new Uint8Array(depth).fill(0x91),
  hostile: [
    Uint8Array.of(0x81, 0xa9, ...text("__proto__"), 0x81, 0xa8, ...text("polluted"), 0xc3),
    Uint8Array.of(0xd4, 0x72, 0x40, 0x91, 0xa9, ...text("__proto__"), 0x80),
    Uint8Array.of(0xc7, 0x08, 0x78, 0x92, 0xa4, ...text("(a+)"), 0xa1, 0x67),
    Uint8Array.of(0xd6, 0x69, 0, 0, 0, 1, 0x91, 0xd6, 0x70, 0, 0, 0, 1),
    Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff),
    Uint8Array.of(0xc1),
    new Uint8Array(100_000).fill(0x91),
    new Uint8Array(100_000).fill(0x81),
  ],
};

const targets: Readonly<Record<string, CodecTarget>> = {
  msgpack: msgpackTarget,
  "msgpack that keeps __proto__": {
    ...msgpackTarget,
    codec: msgpack({ protoKey: "keep" }),
    contentType: "application/vnd.acme.order+msgpack",
  },
  protobuf: {
    codec: proto,
    contentType: "application/protobuf; messageType=golden.Every",
    samples: golden.payloads.map(({ body }) => valueFromJson(body)),
    emptyBody: valueFromJson(golden.payloads[0]?.body),
    knownTypeOnly: true,
    hostile: [
      // A map whose only key is __proto__, and nesting that nothing closes.
      Uint8Array.of(0xa2, 0x02, 0x0b, 0x0a, 0x09, ...text("__proto__")),
      Uint8Array.from({ length: 100_000 }, (_, index) => (index % 3 === 2 ? 0x7f : index % 3 === 1 ? 0x02 : 0x9a)),
      new Uint8Array(100_000).fill(0x0b),
    ],
    unsupported: [
      { body: () => 1, path: "$" },
      { body: { aString: 1 }, path: "$.aString" },
      { body: { inner: { inner: { nobody: true } } }, path: "$.inner.inner.nobody" },
    ],
  },
  "protobuf by application property": {
    codec: strings,
    contentType: "application/x-protobuf",
    applicationProperties: { "sobre-type": "Strings" },
    samples: [{ many: ["Darjeeling, first flush", ""] }, { many: [] }],
    emptyBody: { many: [] },
    knownTypeOnly: true,
    many: (count) => ({ many: Array.from({ length: count }, () => "item") }),
  },
  "protobuf of nested messages": {
    codec: strings,
    contentType: "application/protobuf; proto=Nested",
    samples: [{ nested: { number: 1 }, number: 2 }],
    emptyBody: { number: 0 },
    knownTypeOnly: true,
    nested(depth) {
      let body: object = { number: 1 };
      for (let level = 1; level < depth; level++) body = { nested: body, number: 0 };
      return body;
    },
    nestedPayload: (depth) => new Uint8Array(depth).fill(0x0b),
  },
};

describe.each(Object.entries(targets))("the codec %s", (_, target) => {
  it.each(codecSuite.map((codecCase) => [codecCase.name, codecCase] as const))(
    "keeps the promise %s",
    (__, codecCase) => {
      const result = runCodecCase(codecCase, target);

      if (result.outcome === "failed") throw result.error;
      expect(["passed", "skipped"]).toContain(result.outcome);
    },
  );
});
