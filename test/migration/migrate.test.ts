import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TargetFormat } from "../../src/migration/index.ts";
import { dotnetString, migrateAll, payloadOf, serializer, xml } from "./samples.support.ts";
import { envelopesIn, jsonIn, writing } from "./written.support.ts";

const { migrated, output } = writing();

describe("a migration", () => {
  it("rewrites a .NET order as JSON, with its properties and where it comes from", async () => {
    const payload = payloadOf("nbfx-dcs-order.bin");

    const { report, envelopes } = await migrated([
      { payload, brokerProperties: { messageId: "m-1", sessionId: "s" }, applicationProperties: { tenant: "es" } },
    ]);

    const [envelope] = envelopes;
    expect(jsonIn(envelope)).toMatchObject({ OrderId: "P-001", Total: "119.98", PlacedAt: "2025-01-02T03:04:05Z" });
    expect(envelope?.brokerProperties).toEqual({ messageId: "m-1", sessionId: "s", contentType: "application/json" });
    expect(envelope?.applicationProperties).toMatchObject({
      tenant: "es",
      "sobre-source-codec": "nbfx",
      "sobre-source-sha256": expect.stringMatching(/^[0-9a-f]{64}$/),
      "sobre-source-type": "{urn:sobre:orders:v1}Order",
    });
    expect(report).toMatchObject({ messages: 1, verdict: "clean", outcomes: { migrated: 1, failed: 0 } });
  });

  it("opens JSON inside a .NET string, unless that is switched off", async () => {
    const message = dotnetString('{"id":9007199254740993}');

    const opened = await migrated([message]);
    const closed = await migrated([message], { openJsonText: false });

    expect(opened.bodies).toEqual([{ id: "9007199254740993" }]);
    expect(opened.report.formats).toEqual([{ format: "nbfx json", messages: 1, bytes: message.byteLength }]);
    expect(closed.bodies).toEqual(['{"id":9007199254740993}']);
  });

  it("writes bodies that are text as text, byte for byte, and others in base64", async () => {
    const kept = [Buffer.from('{ "name": "Luc\u00eda \\ud83d\ude80", "at": 1 }'), Buffer.from('["\u{1f680}\u2028"]')];
    const messages = kept.map((payload) => ({ payload, brokerProperties: { contentType: "application/json" } }));
    const [file, binary] = [output(), output()];

    await migrateAll([payloadOf("nbfx-dcs-order.bin"), ...messages], { output: file });
    await migrateAll([payloadOf("nbfx-dcs-order.bin")], { output: binary, target: { format: "msgpack" } });

    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const [order = "", ...others] = lines.map((line): unknown => Reflect.get(JSON.parse(line), "payload"));
    expect(JSON.parse(String(order))).toMatchObject({ OrderId: "P-001" });
    expect(others.map((payload) => typeof payload)).toEqual(["string", "string"]);
    expect(
      envelopesIn(file)
        .slice(1)
        .map(({ payload }) => Buffer.from(payload)),
    ).toEqual(kept);
    expect(JSON.parse(readFileSync(binary, "utf8"))).toMatchObject({ payload: { $bytes: expect.any(String) } });
  });

  it("leaves what is in the target format already as it is, byte for byte", async () => {
    const payload = new TextEncoder().encode('{ "price": 1.0 }');

    const { report, envelopes } = await migrated([
      { payload, brokerProperties: { contentType: "application/json; v=1" } },
    ]);

    expect(envelopes[0]?.payload).toEqual(payload);
    expect(envelopes[0]?.brokerProperties.contentType).toBe("application/json; v=1");
    expect(report.outcomes).toMatchObject({ kept: 1, migrated: 0 });
  });

  it("settles lists of one and empty lists by the lists of other messages", async () => {
    const line = "<Line><Sku>a</Sku><Note>x</Note></Line>";
    const { report, bodies } = await migrated([
      xml(`<Id>a</Id><Lines>${line}${line}</Lines>`),
      xml("<Id>b</Id><Lines><Line><Sku>c</Sku></Line></Lines>"),
      xml("<Id>c</Id><Lines/>"),
      xml('<Id>d</Id><Lines i:nil="true"/>'),
    ]);

    expect(bodies).toMatchObject([
      { Lines: [{ Sku: "a" }, {}] },
      { Lines: [{ Sku: "c" }] },
      { Lines: [] },
      { Lines: null },
    ]);
    expect(report.settled.map(({ kind, path, count }) => [kind, path, count])).toEqual([
      ["list-of-one", "$.Lines", 1],
      ["empty", "$.Lines", 1],
    ]);
    expect(report.verdict).toBe("clean");
  });

  it("calls a list of one ambiguous when no other message shows what it is", async () => {
    const { report, bodies } = await migrated([xml("<Id>b</Id><Lines><Line><Sku>c</Sku></Line></Lines>")]);

    expect(bodies).toEqual([{ Id: "b", Lines: { Line: { Sku: "c" } } }]);
    expect(report.ambiguities.map(({ kind, path }) => [kind, path])).toContainEqual(["list-of-one", "$.Lines"]);
    expect(report.verdict).toBe("ambiguous");
  });

  it.each<TargetFormat>(["json", "msgpack", "protobuf"])("keeps all but what it names, as %s", async (format) => {
    const names = [
      "nbfx-dcs-order.bin",
      "nbfx-dcs-allscalars.bin",
      "nbfx-dcs-arrays.bin",
      "xml-xs-order.bin",
      "nbfx-ndcs-list-order.bin",
    ];

    const { report } = await migrateAll(names.map(payloadOf), { target: { format } });

    expect(report).toMatchObject({ losses: [], failures: [], outcomes: { migrated: 5 } });
  });

  it("writes every integer of a path as text when one is beyond 2^53, or counts it as lost", async () => {
    const messages = [payloadOf("nbfx-dcs-long-array.bin")];

    const asText = await migrated(messages);
    const asNumber = await migrateAll(messages, { target: { format: "json", int64: "number" } });

    expect(asText.bodies).toEqual([["1", "-1", "-9223372036854775808"]]);
    expect(asText.report.verdict).toBe("clean");
    expect(asNumber.report).toMatchObject({ verdict: "losses", losses: [{ kind: "int64", path: "$[]", count: 1 }] });
  });

  it("names a cycle as a failure, which tagged JSON is not", async () => {
    const messages = [payloadOf("nbfx-dcs-isreference-cycle.bin")];

    const plain = await migrateAll(messages);
    const tagged = await migrateAll(messages, { target: { format: "tagged-json" } });

    expect(plain.report).toMatchObject({
      verdict: "failures",
      failures: [{ step: "write", code: "UnsupportedValue", messages: [{ path: "$.Children[0].Next" }] }],
    });
    expect(tagged.report).toMatchObject({ verdict: "clean", failures: [] });
  });

  it("refuses to write out a bomb of shared references", async () => {
    const { report } = await migrateAll([payloadOf("nbfx-ref-bomb.bin")]);

    expect(report.failures).toMatchObject([{ step: "write", code: "LimitExceeded", count: 1 }]);
  });

  it("names where reading stopped, with bytes only when they are asked for", async () => {
    const broken = payloadOf("nbfx-dcs-order.bin").subarray(0, 200);

    const silent = await migrateAll([broken]);
    const shown = await migrateAll([broken], { hex: true });

    expect(silent.report.failures).toMatchObject([
      { step: "read", code: "Unreadable", count: 1, messages: [{ sha256: expect.any(String) }] },
    ]);
    expect(silent.report.failures[0]?.messages[0]?.hex).toBeUndefined();
    expect(shown.report.failures[0]?.messages[0]?.hex?.bytes).toMatch(/^(?:[0-9a-f]{2}){1,32}$/);
  });

  it("has the same schema, whatever the order of the messages", async () => {
    const messages = [xml("<Id>a</Id><Zip>1</Zip>"), xml("<Id>b</Id><Zip>x</Zip>"), xml("<Id>c</Id>")];

    const forwards = await migrateAll(messages);
    const backwards = await migrateAll(messages.toReversed());

    expect(forwards.report.types).toEqual(backwards.report.types);
    expect(forwards.report.types[0]?.paths).toContainEqual({
      path: "$.Zip",
      kinds: { integer: 1, text: 1 },
      absent: 1,
      becomes: "string",
    });
  });
});

describe("a migration that is cut", () => {
  const messages = Array.from({ length: 6 }, (_, index) => xml(`<Id>m${index}</Id><N>${index}</N>`));
  const begin = async (): Promise<string> => {
    const file = output();
    await migrateAll(messages, { output: file });
    return file;
  };

  it("goes on wherever output or journal may end, and gives the same bytes", async () => {
    const file = await begin();
    const [whole, journal] = [readFileSync(file), readFileSync(`${file}.journal`)];
    const cuts = [
      ...Array.from({ length: Math.ceil(journal.length / 61) }, (_, index) => [whole.length, index * 61] as const),
      ...Array.from({ length: Math.ceil(whole.length / 53) }, (_, index) => [index * 53, journal.length] as const),
    ];

    let resumed = 0;
    for (const [outputEnd, journalEnd] of cuts) {
      writeFileSync(file, whole.subarray(0, outputEnd));
      writeFileSync(`${file}.journal`, journal.subarray(0, journalEnd));
      // Without its first line there is nothing to go on with.
      if (journalEnd <= journal.indexOf("\n")) continue;
      const { report } = await migrateAll(messages, { output: file, resume: true });
      resumed += report.outcomes.resumed;
      expect(readFileSync(file).equals(whole)).toBe(true);
      expect(readFileSync(`${file}.journal`).equals(journal)).toBe(true);
      expect(report.messages).toBe(6);
    }

    expect(resumed).toBeGreaterThan(cuts.length);
  });

  it("begins again when it was cut before its first message, and never over the output of something else", async () => {
    const file = await begin();
    const [whole, journal] = [readFileSync(file), readFileSync(`${file}.journal`)];

    writeFileSync(file, "");
    writeFileSync(`${file}.journal`, journal.subarray(0, 20));
    const { report } = await migrateAll(messages, { output: file, resume: true });
    const anew = readFileSync(file);
    writeFileSync(`${file}.journal`, "");
    const over = migrateAll(messages, { output: file, resume: true });

    expect(report.outcomes).toMatchObject({ resumed: 0, migrated: 6 });
    expect(anew.equals(whole)).toBe(true);
    await expect(over).rejects.toMatchObject({ code: "InvalidArgument" });
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  it("does nothing again when it was finished", async () => {
    const file = await begin();
    const before = readFileSync(file);

    const { report } = await migrateAll(messages, { output: file, resume: true });

    expect(readFileSync(file).equals(before)).toBe(true);
    expect(report.outcomes).toMatchObject({ resumed: 6, migrated: 6 });
  });

  it("refuses to write over an output, and to go on from another source or with other options", async () => {
    const file = await begin();

    // All are watched from the start: one that is refused before its turn would be an unhandled rejection.
    const refused = await Promise.allSettled([
      migrateAll(messages, { output: file }),
      migrateAll(messages, { output: file, resume: true, target: { format: "msgpack" } }),
      migrateAll(messages.with(2, xml("<Id>other</Id><N>2</N>")), { output: file, resume: true }),
    ]);

    expect(refused).toMatchObject([
      { reason: { code: "InvalidArgument" } },
      { reason: { code: "InvalidArgument" } },
      { reason: { code: "InvalidOperation" } },
    ]);
  });

  it("reads no message by another schema than before", async () => {
    const file = output();
    const lists = [xml("<L><I><a>1</a></I></L><b>x</b>"), xml("<L><I><a>1</a></I><I><a>2</a></I></L><b>x</b>")];
    await migrateAll(lists, { output: file });
    const whole = readFileSync(file);
    const journal = readFileSync(`${file}.journal`);
    const firstLines = journal.indexOf("\n", journal.indexOf("\n") + 1) + 1;
    writeFileSync(`${file}.journal`, journal.subarray(0, firstLines));

    const { report } = await migrateAll(lists, { output: file, resume: true });

    expect(report.outcomes.resumed).toBe(1);
    expect(readFileSync(file).equals(whole)).toBe(true);
  });
});

it("reads what it has written, as the serializer of a service does", async () => {
  const { envelopes } = await migrated([payloadOf("nbfx-dcs-order.bin")], { target: { format: "msgpack" } });

  const result = serializer.deserialize(envelopes[0] ?? expect.fail("nothing was written"));

  expect(result).toMatchObject({
    ok: true,
    codec: "msgpack",
    body: { OrderId: "P-001", PlacedAt: new Date("2025-01-02T03:04:05Z") },
  });
});
