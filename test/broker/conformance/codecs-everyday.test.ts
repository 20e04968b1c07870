import { describe, expect, it } from "vitest";
import { bytes } from "../../../codecs/bytes/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { text } from "../../../codecs/text/index.ts";
import { type CodecTarget, codecSuite, runCodecCase } from "../../../src/broker/conformance/index.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

const utf8 = (content: string): Uint8Array => new TextEncoder().encode(content);

const order = {
  id: "ord-2026-000123",
  customer: { name: "Ana García", email: "ana@example.com", vip: true },
  lines: [
    { sku: "AB-1001", quantity: 2, price: 39.95 },
    { sku: "ZZ-0001", quantity: 24, price: -0 },
  ],
  total: 9007199254740993n,
  notes: null,
};

const unsupportedText = [{ body: () => 1 }, { body: Symbol("s") }, { body: { a: 1 } }, { body: 5 }].map(({ body }) => ({
  body,
  path: "$",
}));

const jsonTarget: CodecTarget = {
  codec: json(),
  samples: [order, [], {}, "a string of some length", 0, -1.5, true, null, [[1], [2, { a: [] }]], 2 ** 60],
  nestedPayload: (depth) => utf8("[".repeat(depth) + "]".repeat(depth)),
  hostile: [
    '{"__proto__":{"polluted":true}}',
    '{"\\u005f\\u005fproto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":1e999}',
    "\ufeff",
    "[".repeat(100_000),
    '{"a":'.repeat(100_000),
  ].map(utf8),
};

const targets: Readonly<Record<string, CodecTarget>> = {
  json: jsonTarget,
  "json in UTF-16": {
    ...jsonTarget,
    contentType: "application/json; charset=utf-16",
    nestedPayload: () => Uint8Array.of(0),
  },
  "json in US-ASCII": { ...jsonTarget, contentType: "application/problem+json; charset=us-ascii" },
  text: {
    codec: text(),
    samples: ["a string of some length", "Zürich\r\n\t€ 😀", ""],
    emptyBody: "",
    nested: "flat",
    many: "flat",
    unsupported: unsupportedText,
  },
  bytes: {
    codec: bytes(),
    samples: [utf8("bytes of some length"), Uint8Array.of(0, 255)],
    emptyBody: new Uint8Array(0),
    nested: "flat",
    many: "flat",
    unsupported: unsupportedText,
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
