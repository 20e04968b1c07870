import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { fixture, linesOf, mailbox, scratchFolder, sobre } from "./calls.support.ts";
import { captureTerminal } from "./captured-terminal.support.ts";

const { file } = scratchFolder();

const order = JSON.stringify({
  $ref: "#/$defs/Order",
  $defs: {
    Order: { "x-dotnet": { namespace: "urn:orders" }, properties: { Id: { "x-dotnet": "guid" } } },
    Invoice: { "x-dotnet": { namespace: "urn:orders" }, properties: { Id: { "x-dotnet": "guid" } } },
  },
});

describe("sobre encode --contracts", () => {
  const contract = file("order.json", order);
  const value = file("order-value.json", '{"Id":"0f8fad5b-d9cb-469f-a165-70867728950e"}');
  const nbfx = ["encode", "--to", "application/x-nbfx"];

  it("writes what GetBody reads, of the type that --message-type names", async () => {
    const other = file("other.json", '{"title":"Other","properties":{"X":{"type":"integer"}}}');

    const encoded = await sobre(
      ...nbfx,
      "--contracts",
      contract,
      "--contracts",
      other,
      "--message-type",
      "Invoice",
      value,
    );
    const payload = file("invoice.bin", encoded.terminal.bytes());
    const [decoded] = linesOf((await sobre("decode", "--json", "--contracts", contract, payload)).terminal);

    expect(encoded.terminal.errors()).toBe("");
    expect(decoded).toMatchObject({
      codec: "nbfx",
      type: "{urn:orders}Invoice",
      value: { Id: { $guid: "0f8fad5b-d9cb-469f-a165-70867728950e" } },
    });
  });

  it.each<readonly [args: readonly string[], message: string]>([
    [[], "The value at $ needs a contract; pass one with --contracts."],
    [
      ["--contracts", contract, "--message-type", "Nobody"],
      "No contract has the type Nobody. Name one with --message-type: Order, Invoice",
    ],
  ])("says with its own options what is missing: %j", async (args, message) => {
    const { code, terminal } = await sobre(...nbfx, ...args, value);

    expect(code).toBe(1);
    expect(terminal.errors()).toBe(`sobre: UnsupportedValue: ${message}\n`);
  });
});

describe("sobre encode", () => {
  const value = {
    id: { $int64: "9007199254740993" },
    name: "Lucía",
    list: [1, 2.5, null, true],
    nested: { $object: { $odd: "key" } },
  };

  it.each([
    ["application/json", { id: 1, name: "Lucía" }],
    ["application/json; charset=utf-16le", { id: 1, name: "Lucía" }],
    ["application/vnd.shop.order+json", [1, "a", { $int64: "9223372036854775808" }]],
    [
      "application/vnd.msgpack",
      {
        ...value,
        at: { $dateTime: "2025-01-02T03:04:05.000Z", kind: "utc", ticks: "638713838450000000" },
        raw: { $bytes: "wP/u" },
      },
    ],
    ["application/x-amqp-value", { ...value, raw: { $bytes: "wP/u" } }],
    ["text/plain; charset=iso-8859-1", "Lucía"],
    ["application/octet-stream", { $bytes: "wP/u" }],
    ['application/protobuf; messageType="shop.Scan"', { code: "ORD-0042" }],
  ])("is undone by decode: %s", async (contentType, rendering) => {
    const source = file("value.json", JSON.stringify(rendering));
    const schema = ["--proto", fixture("shop.proto")];

    const encoded = await sobre("encode", "--to", contentType, ...schema, source);
    const payload = file("payload.bin", encoded.terminal.bytes());
    const decoded = await sobre("decode", "--json", "-t", contentType, ...schema, payload);

    expect(encoded.terminal.errors()).toBe("");
    expect(encoded.code).toBe(0);
    expect(linesOf(decoded.terminal)).toMatchObject([{ ok: true, value: rendering, warnings: [] }]);
  });

  it("takes renderings that nest deeper than the value, for their $ objects", async () => {
    let rendering: unknown = 0;
    for (let level = 0; level < 120; level++) rendering = { $map: [[level, rendering]] };
    const source = file("deep.json", JSON.stringify(rendering));

    const encoded = await sobre("encode", "--to", "application/vnd.msgpack", source);
    const decoded = await sobre("decode", "--json", file("deep.bin", encoded.terminal.bytes()));

    expect(encoded.terminal.errors()).toBe("");
    expect(linesOf(decoded.terminal)).toMatchObject([{ ok: true, codec: "msgpack", value: rendering }]);
  });

  it.each(["application/json", "text/plain", "application/vnd.msgpack"])(
    "brings an empty payload back as one, which has no value: %s",
    async (contentType) => {
      const decoded = await sobre("decode", "--json", fixture("empty.bin"));
      const encoded = await sobre("encode", "--to", contentType, file("nothing.json", ""));

      expect(linesOf(decoded.terminal)).toMatchObject([{ ok: true }]);
      expect(linesOf(decoded.terminal)[0]).not.toHaveProperty("value");
      expect({ code: encoded.code, bytes: encoded.terminal.bytes() }).toEqual({ code: 0, bytes: new Uint8Array(0) });
    },
  );

  it("keeps a double that is a whole number beyond 2^53 a double", async () => {
    const payload = Uint8Array.of(0xcb, 0x43, 0x41, 0xc3, 0x79, 0x37, 0xe0, 0x80, 0x00);

    const decoded = await sobre("decode", "--json", "-t", "application/msgpack", file("double.bin", payload));
    const [line] = linesOf(decoded.terminal);
    const encoded = await sobre(
      "encode",
      "--to",
      "application/msgpack",
      file("double.json", JSON.stringify(Reflect.get(Object(line), "value"))),
    );

    expect(line).toMatchObject({ value: { $double: "1e16" } });
    expect(encoded.terminal.bytes()).toEqual(payload);
  });

  it("ends with 1 for a value that the format cannot hold, and for an invalid rendering", async () => {
    const wrong = [
      ["application/protobuf; messageType=shop.Scan", '{"code":7}', /^sobre: UnsupportedValue: /],
      ["text/plain", "[1]", /^sobre: UnsupportedValue: /],
      ["application/json", '{"$nope":1}', /^sobre: InvalidArgument: .*\$nope/],
      ["application/json", "{", /^sobre: TruncatedPayload: /],
    ] as const;

    for (const [contentType, json, complaint] of wrong) {
      const args = ["--proto", fixture("shop.proto"), file("wrong.json", json)];
      const { code, terminal } = await sobre("encode", "--to", contentType, ...args);

      expect({ code, out: terminal.text() }).toEqual({ code: 1, out: "" });
      expect(terminal.errors()).toMatch(complaint);
    }
  });

  it("keeps binary off a person's terminal", async () => {
    const terminal = { ...captureTerminal(), interactive: true };

    const code = await run(
      ["encode", "--to", "application/vnd.msgpack", file("map.json", '{"a":1}')],
      { version: "1", mailbox },
      terminal,
    );

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toContain("redirect it");
  });
});

describe("the help", () => {
  it.each([
    [["--help"]],
    [["tour", "--help"]],
    [["decode", "--help"]],
    [["encode", "--help"]],
    [["send", "--help"]],
    [["receive", "--help"]],
    [["peek", "--help"]],
    [["capture", "--help"]],
    [["ui", "--help"]],
    [["dlq", "--help"]],
    [["dlq", "list", "--help"]],
    [["dlq", "show", "--help"]],
    [["dlq", "redrive", "--help"]],
    ...["queue", "topic", "subscription", "rule"].flatMap((kind) => [
      [[kind, "--help"]],
      ...["delete", "list", "show"].map((verb) => [[kind, verb, "--help"]]),
    ]),
    [["rule", "create", "--help"]],
    [["help"]],
    [["help", "decode"]],
  ])("of %j fits a terminal of 80 by 24 and lists the exit codes", async (args) => {
    const { code, terminal } = await sobre(...args);

    const lines = terminal.text().trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines.length).toBeLessThan(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(terminal.text()).toContain("Exit codes: 0 ");
    expect(terminal.text()).toContain("Examples:\n");
  });

  it("is printed as the error when no command is named", async () => {
    const { code, terminal } = await sobre();

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toContain("Usage: sobre");
  });

  it("has the version next to it", async () => {
    const { code, terminal } = await sobre("--version");

    expect({ code, text: terminal.text() }).toEqual({ code: 0, text: "1.2.3\n" });
  });
});
