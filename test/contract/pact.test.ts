import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { sobre } from "../cli/calls.support.ts";
import { contractFolders } from "../cli/contract/folders.support.ts";

const { folderOf } = contractFolders();
const order = { type: "object", properties: { id: { type: "string" }, qty: { type: "integer" } }, required: ["id"] };
const proto = 'syntax = "proto3"; package shop; message Moved { int64 units = 1; }';
const moved = protobuf({ protos: proto, type: "shop.Moved" }).encode(
  { units: 300n },
  { contentType: undefined, applicationProperties: {} },
);
const movedText = Buffer.from(moved.payload).toString("base64");
const pact = (version: string, parts: object): object => ({
  consumer: { name: "billing" },
  provider: { name: "shop" },
  metadata: { pactSpecification: { version } },
  ...parts,
});

const version3 = pact("3.0.0", {
  messages: [
    {
      description: "order",
      providerStates: [{ name: "there is an order" }],
      contents: { id: "a1", qty: 2 },
      matchingRules: {
        body: {
          "$.id": { matchers: [{ match: "type" }], combine: "AND" },
          "$.qty": { matchers: [{ match: "equality" }] },
        },
        metadata: { tenant: { matchers: [{ match: "regex", regex: "\\w+" }] } },
      },
      metaData: { contentType: "application/json", tenant: "a", correlationId: "c-1", attempt: 2 },
    },
    {
      description: "moved",
      contents: movedText,
      metadata: { "content-type": "application/protobuf; messageType=shop.Moved" },
    },
  ],
});

const version4 = pact("4.0", {
  interactions: [
    {
      type: "Asynchronous/Messages",
      description: "order",
      pending: true,
      contents: { content: { id: "b" }, contentType: "application/json; charset=utf-8", encoded: false },
      metadata: { contentType: "application/json", "sobre-type": "order", "sobre-version": 1 },
      matchingRules: { body: { "$.id": { combine: "AND", matchers: [{ match: "integer" }, { match: "type" }] } } },
      generators: { body: {} },
    },
    {
      type: "Asynchronous/Messages",
      description: "a move",
      contents: { content: movedText, contentType: "application/protobuf; messageType=shop.Moved", encoded: "base64" },
      metadata: { "sobre-type": "moved" },
    },
    { type: "Synchronous/Messages", description: "asked and answered" },
    { type: "Synchronous/HTTP", description: "GET" },
  ],
});

const project = (pactFile: unknown, settings: object = {}): string =>
  folderOf({
    "schemas/order/1.0.schema.json": order,
    "schemas/order/subject.json": { codecs: ["json"], ...settings },
    "schemas/moved/1.0.proto": proto,
    "schemas/moved/subject.json": { codecs: ["protobuf"] },
    "pact.json": pactFile,
  });

async function run(folder: string, ...args: readonly string[]): Promise<readonly [code: number, text: string]> {
  const [schemas, fixtures] = [join(folder, "schemas"), join(folder, "golden")];
  const { code, terminal } = await sobre("contract", ...args, "-s", schemas, "-g", fixtures);
  return [code, terminal.text() + terminal.errors()];
}

const imported = (folder: string, ...args: readonly string[]) =>
  run(folder, "import", "pact", join(folder, "pact.json"), ...args);

const files = (folder: string): readonly string[] =>
  readdirSync(join(folder, "golden"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .toSorted();

const lostOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^not carried: (.*)$/gm), ([, part = ""]) => part);

describe("the messages of a pact", () => {
  it("of specification 3 become golden messages that verify and matrix read", async () => {
    const folder = project(version3);

    const [code, text] = await imported(folder);

    expect(text).toContain("2 messages written, 0 already there, 0 with problems");
    expect(code).toBe(0);
    expect(files(folder)).toEqual([
      "moved/1.0/protobuf/pact-billing-moved.json",
      "order/1.0/json/pact-billing-order.json",
    ]);
    expect(
      JSON.parse(readFileSync(join(folder, "golden/order/1.0/json/pact-billing-order.json"), "utf8")),
    ).toMatchObject({
      brokerProperties: { contentType: "application/json", correlationId: "c-1" },
      applicationProperties: { tenant: "a", attempt: 2 },
      expected: { id: "a1", qty: 2 },
    });
    expect(readFileSync(join(folder, "golden/moved/1.0/protobuf/pact-billing-moved.bin"))).toEqual(
      Buffer.from(moved.payload),
    );
    expect((await run(folder, "verify"))[0]).toBe(0);
    expect((await run(folder, "matrix"))[0]).toBe(0);
  });

  it("of specification 4 do, too, each for the type that its metadata name", async () => {
    const folder = project(version4);

    const [code] = await imported(folder);

    expect(code).toBe(0);
    expect(files(folder)).toEqual([
      "moved/1.0/protobuf/pact-billing-a-move.json",
      "order/1.0/json/pact-billing-order.json",
    ]);
    expect((await run(folder, "matrix"))[0]).toBe(0);
  });

  it("name every rule and interaction that they do not carry", async () => {
    const [[, third], [, fourth]] = [await imported(project(version3)), await imported(project(version4))];

    expect(lostOf(third)).toEqual([
      "order: matching rule body $.id: type",
      "order: matching rule metadata tenant: regex",
      "order: provider state there is an order",
    ]);
    expect(lostOf(fourth)).toEqual([
      "interactions[2]: Synchronous/Messages",
      "interactions[3]: Synchronous/HTTP",
      "order: matching rule body $.id: integer, type",
      "order: pending",
      "order: generators",
    ]);
  });

  const one = (message: object): object =>
    pact("3.0.0", { messages: [{ description: "order", contents: { id: "a" }, ...message }] });

  it.each<[what: string, pactFile: object, settings: object, problem: string]>([
    [
      "whose contents the schema refuses",
      one({ contents: { qty: 1 }, metadata: { contentType: "application/json" } }),
      {},
      "refused: / must have required property 'id'",
    ],
    ["without a content type", one({}), {}, "dead-lettered: UnknownContentType"],
    [
      "of a content type that nobody reads",
      one({ contents: "eA==", metadata: { contentType: "application/x-odd" } }),
      {},
      "dead-lettered: UnknownContentType",
    ],
    [
      "of a content type that the subject does not have",
      one({ contents: "gA==", metadata: { contentType: "application/msgpack" } }),
      {},
      "read by msgpack, and order has json",
    ],
    [
      "without a property that producers set",
      one({ metadata: { contentType: "application/json" } }),
      { envelope: { applicationProperties: { tenant: "a" } } },
      "the envelope has no tenant",
    ],
    [
      "with another property than producers set",
      one({ metadata: { contentType: "application/json", tenant: "b" } }),
      { envelope: { applicationProperties: { tenant: "a" } } },
      "the envelope has another tenant",
    ],
    [
      "of a version that there is none of",
      one({ metadata: { contentType: "application/json", "sobre-version": 2 } }),
      {},
      "order has no version 2",
    ],
    [
      "of an unknown type",
      one({ metadata: { contentType: "application/json", "sobre-type": "../order" } }),
      {},
      "there is no subject ../order",
    ],
    [
      "with metadata that no property holds",
      one({ metadata: { contentType: "application/json", odd: { a: 1 } } }),
      {},
      'its metadata "odd" is an object',
    ],
    [
      "whose two content types differ",
      pact("4.0", {
        interactions: [
          {
            type: "Asynchronous/Messages",
            description: "order",
            contents: { content: { id: "a" }, contentType: "application/json" },
            metadata: { contentType: "text/plain" },
          },
        ],
      }),
      {},
      "name another content type than its contents",
    ],
  ])("are not recorded %s", async (_, pactFile, settings, problem) => {
    const folder = project(pactFile, settings);

    const [code, text] = await imported(folder);

    expect(code).toBe(1);
    expect(text).toContain(problem);
    expect(text).toContain("0 messages written, 0 already there, 1 with problems");
  });

  it("stay as they were recorded, and say so when the pact has changed", async () => {
    const folder = project(version3);
    await imported(folder);
    const again = await imported(folder);
    writeFileSync(join(folder, "pact.json"), JSON.stringify(version3).replace('"tenant":"a"', '"tenant":"b"'));

    const [code, text] = await imported(folder);

    expect(again).toEqual([0, expect.stringContaining("0 messages written, 2 already there")]);
    expect(code).toBe(1);
    expect(text).toContain("it differs from the golden message 1.0/json/pact-billing-order, which stays");
  });

  it.each<[what: string, pactFile: unknown, message: string]>([
    ["of specification 2", pact("2.0.0", {}), "A pact of specification 2.0.0 is not supported"],
    ["that is none", [], "it must be an object"],
    [
      "with contents that are not Base64",
      one({ contents: "a b", metadata: { contentType: "application/protobuf" } }),
      "must be Base64",
    ],
    ["with an integer that would change", one({ contents: { qty: 2 ** 53 } }), "an integer beyond 2^53"],
    ["without a description", pact("3.0.0", { messages: [{}] }), "messages[0].description must be a text"],
  ])("are refused in a file %s", async (_, pactFile, message) => {
    const [code, text] = await imported(project(pactFile));

    expect(code).toBe(4);
    expect(text).toContain(message);
  });

  it("stay in their folder, whatever they are called", async () => {
    const folder = project(
      pact("3.0.0", {
        consumer: { name: "../.." },
        messages: ["../../evil", "a/b", "a b"].map((description) => ({
          description,
          contents: { id: "a" },
          metadata: { contentType: "application/json" },
        })),
      }),
    );

    await imported(folder, "--subject", "order");

    expect(files(folder)).toEqual([
      "order/1.0/json/pact-a-b-2.json",
      "order/1.0/json/pact-a-b.json",
      "order/1.0/json/pact-evil.json",
    ]);
  });
});
