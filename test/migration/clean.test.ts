import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { type EnvelopeInit, envelopeFromJson } from "../../src/core/envelope/index.ts";
import { createQuarantine } from "../../src/migration/index.ts";
import { folder, foreign, shapeOf, xml } from "./samples.support.ts";
import { jsonIn, writing } from "./written.support.ts";

/** As the command reads, which knows .NET's JSON by its marks. */
const serializer = await commandSerializer({});
const { migrated: migratedWith } = writing();
const migrated: typeof migratedWith = (messages, options = {}) => migratedWith(messages, { serializer, ...options });

describe("bodies inside others", () => {
  it.each([
    ["gzip", gzipSync("plain text"), "application/gzip"],
    ["deflate", deflateRawSync("plain text"), "application/x-deflate"],
  ])("are text where the message declares %s", async (layer, payload, contentType) => {
    const { bodies, report } = await migrated([{ payload, brokerProperties: { contentType } }]);

    expect(bodies).toEqual(["plain text"]);
    expect(report.formats.map(({ format }) => format)).toEqual([`${layer} text`]);
  });

  it.each(["PACT", "PADS", "PACKAGED", "H4sI", "VgIL"])(
    "are none in %s, which is text and base64 as well",
    async (word) => {
      const { bodies, report } = await migrated([{ payload: Buffer.from(word) }]);

      expect(bodies).toEqual([word]);
      expect(report.formats.map(({ format }) => format)).toEqual(["text"]);
    },
  );

  it("are text where the text looks like another wrapping", async () => {
    const payload = deflateSync("hChello world");

    const { bodies, report } = await migrated([{ payload }]);

    expect(bodies).toEqual(["hChello world"]);
    expect(report.formats.map(({ format }) => format)).toEqual(["zlib text"]);
  });

  it("fail by the error of their own reader where base64 holds part of a Java object", async () => {
    const cut = Buffer.from(foreign("java", "anon").slice(0, -5)).toString("base64");

    const { report } = await migrated([cut]);

    expect(report.failures.map(({ step }) => step)).toEqual(["read"]);
    expect(report.failures[0]?.messages[0]?.message).toContain("java: TruncatedPayload");
  });
});

describe("numbers of .NET's JSON", () => {
  const bodies = ['{"Amount":10.00,"When":"\\/Date(1459042215123)\\/"}', '{"Amount":3,"When":"\\/Date(0)\\/"}'];

  it("stay numbers, however many zeros they have", async () => {
    const { bodies: written, report } = await migrated(bodies);

    expect(written).toMatchObject([{ Amount: 10 }, { Amount: 3 }]);
    expect(report.types[0]?.paths).toContainEqual(expect.objectContaining({ path: "$.Amount", becomes: "number" }));
    expect(report.verdict).toBe("clean");
  });

  it("are text at every place of a path with --decimal text, which is reported", async () => {
    const { envelopes, report } = await migrated(bodies, { target: { format: "json", decimal: "text" } });

    expect(envelopes.map(jsonIn)).toMatchObject([{ Amount: "10.00" }, { Amount: "3" }]);
    expect(report.losses.map(({ kind, path }) => [kind, path])).toEqual([["number-as-text", "$.Amount"]]);
  });

  it("are lost where no double has all of their digits", async () => {
    const { bodies: written, report } = await migrated(['{"A":123456789012345678.25,"When":"\\/Date(0)\\/"}']);

    expect(written).toMatchObject([{ A: 123_456_789_012_345_680 }]);
    expect(report.losses.map(({ kind, path }) => [kind, path])).toEqual([["decimal", "$.A"]]);
  });

  it("are lost where a double has 17 other digits, and not where .NET wrote it with 17", async () => {
    const lost = await migrated(['{"A":12345678901234.567,"When":"\\/Date(0)\\/"}']);
    const kept = await migrated(['{"A":0.79999999999999993,"B":NaN}']);

    expect(lost.report.losses.map(({ kind, path }) => [kind, path])).toEqual([["decimal", "$.A"]]);
    expect(kept.bodies).toEqual([{ A: 0.7999999999999999, B: "NaN" }]);
    expect(kept.report.verdict).toBe("clean");
  });

  it.each(["1.5e-400", "4e-324", "1.234567e-320"])(
    "are lost where the nearest double is another: %s",
    async (number) => {
      const { report } = await migrated([`{"A":${number}}`], { target: { format: "msgpack" } });

      expect(report.losses.map(({ kind, path }) => [kind, path])).toEqual([["unverified", "$.A"]]);
    },
  );

  it.each(["0.00", "-0.0", "0e9", "5e-324"])("are kept where a double is as small: %s", async (number) => {
    const { report } = await migrated([`{"A":${number}}`], { target: { format: "msgpack" } });

    expect(report.verdict).toBe("clean");
  });

  it("keep the sign of zero in Protobuf", async () => {
    const { report } = await migrated(['{"Z":-0,"When":"\\/Date(0)\\/"}'], { target: { format: "protobuf" } });

    expect(report.failures).toEqual([]);
    expect(report.types.flatMap(({ paths }) => paths)).toContainEqual(
      expect.objectContaining({ path: "$.Z", becomes: "number" }),
    );
  });

  it("are found again as big integers, and next to texts of the same number", async () => {
    const { bodies: written, report } = await migrated([
      '{"B":{"_bits":[1,2],"_sign":-1},"L":[{"Key":"","Value":1}],"When":"\\/Date(0)\\/"}',
    ]);

    expect(written).toMatchObject([{ B: "-8589934593", L: { "": 1 } }]);
    expect(report.ambiguities.map(({ kind, path }) => [kind, path])).toEqual([["entries", "$.L"]]);
    expect(report.verdict).toBe("ambiguous");
  });

  it("are one type with those of the same members only", async () => {
    const { bodies: written, report } = await migrated([
      '{"Id":9007199254740993,"When":"\\/Date(0)\\/"}',
      '{"Id":5,"Other":"\\/Date(0)\\/"}',
    ]);

    expect(written).toMatchObject([{ Id: "9007199254740993" }, { Id: 5 }]);
    expect(report.types.map(({ name }) => name)).toEqual(["(JSON of Id, When)", "(JSON of Id, Other)"]);
  });
});

describe("dictionaries of .NET's JSON", () => {
  const entry = '{"Key":"a","Value":1}';

  it("takes empty lists for dictionaries where the other messages have these", async () => {
    const { report, bodies } = await migrated([`{"Id":1,"By":[${entry}]}`, '{"Id":2,"By":[]}']);

    expect(bodies).toEqual([
      { Id: 1, By: { a: 1 } },
      { Id: 2, By: {} },
    ]);
    expect(report.settled.map(({ kind, path }) => [kind, path])).toEqual([["empty-list", "$.By"]]);
    expect(report.ambiguities.map(({ kind, path }) => [kind, path])).toEqual([["entries", "$.By"]]);
  });

  it("asks whether a list of keys and values is a dictionary: ordinary JSON has such lists, too", async () => {
    const { report, bodies } = await migrated([
      '{"Tags":[{"Key":"team","Value":"a"},{"Key":"stage","Value":"b"}]}',
      '{"Id":1,"Map":[{"Key":7,"Value":2}]}',
    ]);

    expect(bodies[0]).toEqual({ Tags: { team: "a", stage: "b" } });
    expect(report.ambiguities.map(({ kind, path, count }) => [kind, path, count])).toEqual([
      ["entries", "$.Tags", 1],
      ["entries", "$.Map", 1],
    ]);
    expect(report.verdict).toBe("ambiguous");
  });

  it("asks whether an empty list is a dictionary where no message shows it", async () => {
    const { report } = await migrated([String.raw`{"When":"\/Date(1459042215123)\/","By":[]}`]);

    expect(report.ambiguities.map(({ kind, path }) => [kind, path])).toEqual([["empty-list", "$.By"]]);
  });

  it("never reads an empty list as a dictionary where another message has items, and asks nothing about ordinary JSON", async () => {
    const lists = await migrated([`{"Id":1,"By":[${entry}]}`, '{"Id":2,"By":[]}', '{"Id":2,"By":[5]}']);
    const plain = await migrated(['{"Id":2,"By":[]}']);

    expect(lists.bodies[1]).toEqual({ Id: 2, By: [] });
    expect(plain.report.verdict).toBe("clean");
  });
});

it("finds what is declared in another charset", async () => {
  const { bodies, report } = await migrated([
    {
      payload: new Uint8Array(Buffer.from('{"n":"é"}', "latin1")),
      brokerProperties: { contentType: "application/json; charset=iso-8859-1" },
    },
  ]);

  expect(bodies).toEqual([{ n: "é" }]);
  expect(report.verdict).toBe("clean");
});

it("finds local times of BinaryFormatter in the zone of their senders, wherever it runs", async () => {
  const options = { serializer: await commandSerializer({ timeZone: "Asia/Kathmandu" }) };
  const { bodies, report } = await migrated([foreign("nrbf", "datetimes")], options);

  expect(JSON.stringify(bodies)).toContain("+05:45");
  expect(report.losses).toEqual([]);
});

it("reads what is declared as bytes, as JMS declares it, by what it is", async () => {
  const { bodies, report } = await migrated([
    { payload: foreign("nrbf", "auto"), brokerProperties: { contentType: "application/octet-stream" } },
  ]);

  expect(report.formats).toMatchObject([{ format: "nrbf" }]);
  expect(bodies[0]).toBeTypeOf("object");
});

it("writes a dictionary that is null as Protobuf's null", async () => {
  const entries = "<M xmlns:a='http://schemas.microsoft.com/2003/10/Serialization/Arrays'>";
  const entry = "<a:KeyValueOfstringint><a:Key>x</a:Key><a:Value>1</a:Value></a:KeyValueOfstringint>";

  const { report } = await migrated([xml(`${entries}${entry}</M><Z>1</Z>`), xml('<M i:nil="true"/><Z>1</Z>')], {
    target: { format: "protobuf" },
  });

  expect(report.failures).toEqual([]);
});

it("writes no dead-letter marks into a message that is not a dead letter, and keeps them in the quarantine", async () => {
  const marks = { DeadLetterReason: "MaxDeliveryCountExceeded", DeadLetterErrorDescription: "ten times" };
  const payloads = [foreign("nrbf", "auto"), new Uint8Array([0xac, 0xed, 0, 5])];
  const messages = payloads.map((payload): EnvelopeInit => ({ payload, applicationProperties: marks }));
  const place = folder();

  const { envelopes } = await migrated(messages, {
    quarantine: createQuarantine(place),
  });

  const [kept = ""] = readdirSync(place);
  const quarantined = envelopeFromJson(JSON.parse(readFileSync(join(place, kept), "utf8")));
  expect(envelopes[0]?.applicationProperties).not.toHaveProperty("DeadLetterReason");
  expect(envelopes[0]?.applicationProperties["sobre-source-dead-letter-reason"]).toBe("MaxDeliveryCountExceeded");
  expect(quarantined.applicationProperties).toMatchObject({
    DeadLetterReason: "Undecodable",
    "sobre-source-dead-letter-reason": "MaxDeliveryCountExceeded",
    "sobre-source-dead-letter-description": "ten times",
  });
});

it("reads the control characters that .NET's writer gives as references", async () => {
  const { bodies, report } = await migrated([xml("<Code>]d2010&#x1D;21ABC</Code><Z>a</Z>")]);

  expect(bodies).toEqual([{ Code: "]d2010\u001d21ABC", Z: "a" }]);
  expect(report.verdict).toBe("clean");
});

it("writes floats in the digits that they need, and enums of BinaryFormatter as their numbers", async () => {
  const { bodies } = await migrated([foreign("nrbf", "holder")]);

  expect(bodies[0]).toMatchObject({ c: 4, nc: 1, cs: [1, 4] });
});

const typesOf = async (messages: Parameters<typeof migrated>[0], options = {}): Promise<readonly string[]> => {
  const { report } = await migrated(messages, options);
  return report.types.flatMap(({ paths }) => paths.map(({ path, becomes }) => `${path} ${becomes}`));
};

describe("doubles that are whole numbers", () => {
  it.each([
    ["nrbf", ["$.A number", "$.D[] number", "$.E[] number"]],
    ["java", ["$.a number", "$.c[] number"]],
  ])("are numbers and no integers in the schema, as %s has their type", async (family, paths) => {
    const shape = family === "java" ? "doubles" : "integral doubles";

    expect(await typesOf([shapeOf(shape, family)])).toEqual(expect.arrayContaining(paths));
  });

  it("are numbers and no integers in the schema, as a contract has their type", async () => {
    const contract = { title: "O", properties: { A: { "x-dotnet": "double" }, B: { items: { "x-dotnet": "float" } } } };
    const contracted = await commandSerializer({ contracts: [contract] });
    const options = { serializer: contracted, hasContract: (): boolean => true };

    expect(await typesOf(["<O><A>5</A><B><float>1</float><float>2</float></B></O>"], options)).toEqual(
      expect.arrayContaining(["$.A number", "$.B[] number"]),
    );
    expect(await typesOf(['{"A":5,"B":[1,2]}'], options)).toEqual(
      expect.arrayContaining(["$.A number", "$.B[] number"]),
    );
  });
});
