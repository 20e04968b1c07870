import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { deliveryFromJson } from "../../src/core/engine/index.ts";
import { linesOf, sobre } from "./calls.support.ts";
import { bury, idsIn, type Place, queuePlaces, put, text, unreadable } from "./queue-place.support.ts";

const place = queuePlaces();
const folder = mkdtempSync(join(tmpdir(), "sobre-queues-"));

afterAll(() => rmSync(folder, { recursive: true }));

describe("sobre peek", () => {
  it("shows messages with what the codecs make of them, and takes none", async () => {
    const { engine, run } = place();
    await put(engine, "orders", text('{"id":1}', "a"), unreadable("b"));

    const { code, terminal } = await run("peek", "orders");

    expect(code).toBe(1);
    expect(terminal.text()).toMatch(/^#1 {2}a {2}\S+ {2}application\/json {2}read by json\n\{"id":1\}\n/);
    expect(terminal.text()).toMatch(/#2 {2}b {2}\S+ {2}application\/json {2}not read\n {2}json +DecodeFailed/);
    expect(await idsIn(engine, "orders")).toEqual(["a", "b"]);
  });

  it("begins at a sequence number, and writes a line of JSON per message with its envelope", async () => {
    const { engine, run } = place();
    await put(engine, "orders", text("1", "a"), text("2", "b"), text("3", "c"));

    const { code, terminal } = await run("peek", "orders", "--from", "2", "--max", "1", "--json");

    const [line] = linesOf(terminal);
    expect(code).toBe(0);
    expect(line).toMatchObject({ sequenceNumber: "2", deliveryCount: 0, ok: true, codec: "json", value: 2 });
    expect(linesOf(terminal)).toHaveLength(1);
    expect(line).toMatchObject({ envelope: { brokerProperties: { messageId: "b" } } });
  });

  it("shows one session of a queue", async () => {
    const { engine, run } = place();
    await put(engine, "groups", text("1", "a", "s"), text("2", "b", "t"));

    const { terminal } = await run("peek", "groups", "--session", "t", "--json");

    expect(linesOf(terminal)).toMatchObject([{ value: 2 }]);
  });

  it("says on standard error that there is nothing", async () => {
    const { code, terminal } = await place().run("peek", "orders");

    expect([code, terminal.text(), terminal.errors()]).toEqual([0, "", "sobre: orders has no message to show\n"]);
  });
});

describe("sobre peek of a message type", () => {
  it.each<readonly [string, string, Readonly<Record<string, string | number>>]>([
    ["application/json", "shop.order v2", { "sobre-type": "shop.order", "sobre-version": 2 }],
    ["application/json;type=shop.order;version=3", "shop.order v3", {}],
    ["application/json", "shop.order", { "sobre-type": "shop.order" }],
  ])("of the content type %s shows %s", async (contentType, shown, applicationProperties) => {
    const { engine, run } = place();
    const payload = new TextEncoder().encode("1");
    const brokerProperties = { messageId: "a", contentType };
    await put(engine, "orders", createEnvelope({ payload, brokerProperties, applicationProperties }));

    const { terminal } = await run("peek", "orders");

    expect(terminal.text()).toContain(`#1  ${shown}  a  `);
  });
});

describe("sobre send --body", () => {
  it("sends one message with its properties", async () => {
    const { engine, run } = place();
    const properties = ["--property", "tenant=a=b", "--property", "tries:=3", "--property", 'big:={"$int64":"5"}'];
    const broker = ["messageId=m-1", "subject=order", "timeToLive=1h"].flatMap((one) => ["--broker-property", one]);

    const { code, terminal } = await run("send", "orders", "--body", '{"id": 7}', ...properties, ...broker);

    const [delivery] = await engine.peek("orders", { maxMessages: 1 });
    expect([code, terminal.text()]).toEqual([0, "1 sent to orders: 9 bytes of application/json\n"]);
    expect(new TextDecoder().decode(delivery?.envelope.payload)).toBe('{"id": 7}');
    expect(delivery?.envelope).toMatchObject({
      brokerProperties: { contentType: "application/json", messageId: "m-1", subject: "order", timeToLive: 3_600_000 },
      applicationProperties: { tenant: "a=b", tries: 3, big: 5n },
    });
  });

  it.each<readonly [string, readonly string[], string, Uint8Array]>([
    ["text that is no JSON", ["hello"], "text/plain", new TextEncoder().encode("hello")],
    [
      "JSON with a content type of its own",
      ["1", "application/cloudevents+json"],
      "application/cloudevents+json",
      Uint8Array.of(0x31),
    ],
    [
      "MessagePack from JSON",
      ['{"id":7}', "application/msgpack"],
      "application/msgpack",
      Uint8Array.of(0x81, 0xa2, 0x69, 0x64, 7),
    ],
  ])("sends %s", async (_what, [body = "", contentType], declared, payload) => {
    const { engine, run } = place();
    const type = contentType === undefined ? [] : ["--content-type", contentType];

    const { code } = await run("send", "orders", "--body", body, ...type);

    const [delivery] = await engine.peek("orders", { maxMessages: 1 });
    expect(code).toBe(0);
    expect(delivery?.envelope.brokerProperties.contentType).toBe(declared);
    expect(Array.from(delivery?.envelope.payload ?? [])).toEqual(Array.from(payload));
  });

  it.each<readonly [readonly string[], string]>([
    [["--body", "1", "file.ndjson"], "either --body or a FILE"],
    [[], "either --body or a FILE"],
    [["--body", "{", "--content-type", "application/json"], "--body is not JSON"],
    [["--body", "{", "--content-type", "application/msgpack"], "--body must be JSON"],
    [["--body", "1", "--content-type", "image/png"], "No codec writes image/png"],
    [["--body", "1", "--property", "x"], "--property must be NAME=TEXT"],
    [["--body", "1", "--property", "x:=[1]"], "applicationProperties.x"],
    [["--body", "1", "--broker-property", "colour=red"], "colour"],
    [["file.ndjson", "--property", "x=1"], "applies to --body only"],
  ])("refuses %j in one line, and sends nothing", async (args, words) => {
    const { engine, run } = place();

    const { code, terminal } = await run("send", "orders", ...args);

    expect([code, terminal.errors()]).toEqual([2, expect.stringContaining(words)]);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
    expect(await idsIn(engine, "orders")).toEqual([]);
  });

  it("sends nothing with --dry-run, and says what the broker refused", async () => {
    const { engine, run } = place();

    const dry = await run("send", "orders", "--body", "1", "--dry-run");
    const lost = await run("send", "lost", "--body", "1");

    expect([dry.code, dry.terminal.text()]).toEqual([0, "1 would be sent to orders: 1 bytes of application/json\n"]);
    expect(await idsIn(engine, "orders")).toEqual([]);
    expect([lost.code, lost.terminal.errors()]).toEqual([1, expect.stringContaining("lost")]);
  });
});

describe("sobre receive", () => {
  it("completes what it has written, and leaves the rest", async () => {
    const { engine, run } = place();
    await put(engine, "orders", text("1", "a"), text("2", "b"), text("3", "c"));

    const { code, terminal } = await run("receive", "orders", "--max", "2", "--json");

    expect(code).toBe(0);
    expect(linesOf(terminal)).toMatchObject([{ value: 1 }, { value: 2 }]);
    expect(await idsIn(engine, "orders")).toEqual(["c"]);
  });

  it("releases what no codec reads, and takes it when all of it is kept", async () => {
    const { engine, run, path } = place();
    await put(engine, "orders", unreadable("broken"), text("1", "fine"));

    const shown = await run("receive", "orders", "--max", "5", "--wait", "0");
    const after = await idsIn(engine, "orders");
    const kept = await run("receive", "orders", "--max", "5", "--wait", "0", "--out", path("out"));

    expect([shown.code, kept.code]).toEqual([1, 1]);
    expect(after).toEqual(["broken"]);
    expect(await idsIn(engine, "orders")).toEqual([]);
    const written = readFileSync(path("out"), "utf8").trimEnd();
    expect(deliveryFromJson(JSON.parse(written)).envelope.brokerProperties.messageId).toBe("broken");
  });

  it("releases everything with --no-complete, with a delivery counted", async () => {
    const { engine, run } = place();
    await put(engine, "orders", ...Array.from({ length: 12 }, (_, index) => text(String(index), `m${index}`)));

    const { terminal } = await run("receive", "orders", "--max", "100", "--wait", "0", "--no-complete", "--json");

    expect(linesOf(terminal)).toHaveLength(12);
    const left = await engine.peek("orders", { maxMessages: 100 });
    expect(left.map(({ deliveryCount }) => deliveryCount)).toEqual(Array.from({ length: 12 }, () => 1));
  });

  it("receives from a session, by its id or the next one", async () => {
    const { engine, run } = place();
    await put(engine, "groups", text("1", "a", "s"), text("2", "b", "t"));

    const named = await run("receive", "groups", "--session", "t", "--json");
    const next = await run("receive", "groups", "--next-session", "--json");

    expect(linesOf(named.terminal)).toMatchObject([{ value: 2 }]);
    expect(linesOf(next.terminal)).toMatchObject([{ value: 1 }]);
  });
});

async function withDeadLetters(): Promise<Place> {
  const own = place();
  await put(own.engine, "orders", text('{"id":1}', "a"), unreadable("b"));
  await bury(own.engine, "orders", "Bad");
  await bury(own.engine, "orders", "Worse");
  return own;
}

describe("sobre dlq", () => {
  it("counts the reasons of dead letters, and then lists them", async () => {
    const { run } = await withDeadLetters();

    const { code, terminal } = await run("dlq", "list", "orders");
    const asJson = await run("dlq", "list", "orders", "--json");

    expect(code).toBe(0);
    expect(terminal.text()).toMatch(/^orders has 2 dead letters: 1 Bad, 1 Worse\n\n#\d+ {2}\S+Z {2}a {2}Bad: why\n/);
    expect(linesOf(asJson.terminal)).toMatchObject([{ deadLetterReason: "Bad" }, { deadLetterReason: "Worse" }]);
  });

  it("shows one with its properties and every attempt at it", async () => {
    const { engine, run } = await withDeadLetters();
    const [, second] = await engine.peek("orders/$DeadLetterQueue", { maxMessages: 2 });

    const { code, terminal } = await run("dlq", "show", "orders", String(second?.sequenceNumber));
    const missing = await run("dlq", "show", "orders", "999");

    expect(code).toBe(1);
    for (const part of ["Worse: why", '  messageId: "b"', "  json               DecodeFailed"])
      expect(terminal.text()).toContain(part);
    expect([missing.code, missing.terminal.errors()]).toEqual([
      1,
      "sobre: orders/$DeadLetterQueue has no message #999\n",
    ]);
  });

  it("sends back those of a reason, and says beforehand which", async () => {
    const { engine, run } = await withDeadLetters();

    const dry = await run("dlq", "redrive", "orders", "--reason", "Bad", "--dry-run");
    const before = await idsIn(engine, "orders");
    const { code, terminal } = await run("dlq", "redrive", "orders", "--reason", "Bad");

    expect(dry.terminal.text()).toContain("2 dead letters seen: 1 would be sent, 1 skipped\n");
    expect(before).toEqual([]);
    expect(code).toBe(0);
    expect(terminal.text()).toMatch(/^sent +#\d+ +a +Bad\n2 dead letters seen: 1 sent, 1 skipped\n$/);
    const [back] = await engine.peek("orders", { maxMessages: 5 });
    expect(back?.envelope.applicationProperties).toEqual({ "sobre-redrives": 1 });
    expect(await idsIn(engine, "orders/$DeadLetterQueue")).toEqual(["b"]);
  });
});

describe("a re-drive from the command line", () => {
  it("sends a growing number, stops when they come back, and is resumed by its log", async () => {
    const { engine, run } = await withDeadLetters();
    const log = join(folder, "orders.redrive");

    const limited = await run("dlq", "redrive", "orders", "--rate", "500", "--max", "1", "--log", log);
    await writeFile(log, '{"sequenceNumber":"9","outc', { flag: "a" });
    const resumed = await run("dlq", "redrive", "orders", "--batch", "1", "--settle-time", "10ms", "--log", log);

    expect([limited.code, resumed.code]).toEqual([0, 0]);
    expect(resumed.terminal.text()).toContain("1 dead letter seen: 1 sent\n");
    expect(await idsIn(engine, "orders")).toEqual(["a", "b"]);
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    expect(lines.map((line) => /"outcome":"(\w+)"/.exec(line)?.[1])).toEqual([undefined, "sent", undefined, "sent"]);
  });

  it("names its own options where a target detects duplicates", async () => {
    const { engine, run } = place();
    await put(engine, "once", text("1", "a"));
    await bury(engine, "once", "Bad");

    const asked = await run("dlq", "redrive", "once");
    const renewed = await run("dlq", "redrive", "once", "--message-ids", "renew");

    expect(asked.code).toBe(1);
    const words = asked.terminal.text().replaceAll(/\s+/g, " ");
    expect(words).toContain(
      "Give --message-ids renew, or --message-ids keep once the duplicate detection window is over.",
    );
    expect(renewed.terminal.text()).toContain("1 dead letter seen: 1 sent\n");
  });

  it.each([
    [["--settle-time", "soon"], /--settle-time must be a time/],
    [["--rate", "0"], /--rate must be a number of at least 1/],
    [["--dry-run", "--log", "x"], /--log records what is sent/],
    [["--log", join(folder, "missing", "x")], /cannot be written/],
  ])("refuses %j", async (options, message) => {
    const { engine, run } = await withDeadLetters();

    const { code, terminal } = await run("dlq", "redrive", "orders", ...options);

    expect(code).not.toBe(0);
    expect(terminal.errors()).toMatch(message);
    expect(await idsIn(engine, "orders")).toEqual([]);
  });
});

describe("a queue command that gets no answer", () => {
  it.each([
    ["a wrong key", (own: string) => own.replace("SAS_KEY_VALUE", "other")],
    ["a port where nobody listens", (own: string) => own.replace(/:\d+;/, ":1;")],
    ["a server that speaks no TLS", (own: string) => own.replace(";UseDevelopmentEmulator=true", "")],
  ])("says in one line that it has %s", async (_what, change) => {
    const { connectionString } = place();

    const { code, terminal } = await sobre("peek", "orders", "-c", change(connectionString));

    expect(code).toBe(1);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toMatch(/^sobre: [^\n]{20,200}\n$/);
  });

  it("says which entity is missing, and never repeats a key", async () => {
    const { run, connectionString } = place();

    const missing = await run("receive", "nope");
    const broken = await sobre("peek", "orders", "-c", connectionString.replace("Endpoint=", "Endpoint"));

    expect([missing.code, missing.terminal.errors()]).toEqual([
      1,
      expect.stringMatching(/^sobre: The messaging entity 'nope' could not be found\./),
    ]);
    expect([broken.code, broken.terminal.errors()]).toEqual([2, expect.stringContaining("has no Endpoint")]);
    expect(broken.terminal.errors()).not.toContain("SAS_KEY_VALUE");
  });

  it("takes the connection string and its entity from the environment, and asks for one without", async () => {
    const { connectionString, engine } = place();
    await put(engine, "orders", text("1", "a"));

    const none = await sobre("peek", "orders");
    process.env["SERVICEBUS_CONNECTION_STRING"] = `${connectionString};EntityPath=orders`;
    const found = await sobre("peek", "--json");
    delete process.env["SERVICEBUS_CONNECTION_STRING"];

    expect([none.code, none.terminal.errors()]).toEqual([2, expect.stringContaining("give --connection-string")]);
    expect(linesOf(found.terminal)).toMatchObject([{ value: 1 }]);
  });
});
