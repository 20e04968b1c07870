import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type CapturedTerminal, captureTerminal, unprintable } from "./captured-terminal.ts";
import { run } from "../../src/cli/program.ts";

const mailbox = fileURLToPath(new URL("../../fixtures/mailbox", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "sobre-decode-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const fixture = (name: string): string => join(mailbox, name);

function file(name: string, content: string | Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

async function sobre(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly terminal: CapturedTerminal }> {
  const terminal = captureTerminal();
  const code = await run(args, { version: "1.2.3", mailbox }, terminal);
  return { code, terminal };
}

const linesOf = (terminal: CapturedTerminal): readonly unknown[] =>
  terminal
    .text()
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("sobre decode", () => {
  it("prints what read a payload and its value", async () => {
    const { code, terminal } = await sobre("decode", fixture("long.amqp"));

    expect(code).toBe(0);
    expect(terminal.text()).toBe(
      `${fixture("long.amqp")}  read by amqp after msgpack failed\n{\n  "$int64": "9007199254740993"\n}\n`,
    );
  });

  it("reads each format without a content type", async () => {
    const names = ["order.json", "order.msgpack", "map.amqp", "greeting.txt", "utf16-bom.json", "empty.bin"];

    const { code, terminal } = await sobre("decode", "--json", ...names.map(fixture));

    expect(code).toBe(0);
    expect(linesOf(terminal)).toMatchObject(
      ["json", "msgpack", "amqp", "text", "json", "empty"].map((codec) => ({ ok: true, codec, contentType: null })),
    );
  });

  it("prints the documented members in their order", async () => {
    const { terminal } = await sobre("decode", "--json", "-t", "application/json", fixture("truncated.json"));

    expect(terminal.text()).toMatch(
      /^\{"file":"[^"]+","ok":false,"codec":null,"contentType":"application\/json","value":null,"warnings":\[\],"attempts":\[\{"codec":"json","outcome":"failed","code":"TruncatedPayload","offset":200,"message":"[^"]+"\},\{"codec":"text","outcome":"vetoed","code":"DecodeFailed","message":"[^"]+"\},.*\],"error":\{"code":"Unreadable","message":".+"\}\}\n$/,
    );
  });

  it("does not take arbitrary bytes for anything, unless they are declared as bytes", async () => {
    const guessed = await sobre("decode", "--json", fixture("noise.bin"));
    const declared = await sobre("decode", "--json", "-t", "application/octet-stream", fixture("noise.bin"));

    expect(guessed.code).toBe(1);
    expect(linesOf(guessed.terminal)).toMatchObject([{ ok: false, error: { code: "Unreadable" } }]);
    expect(declared.code).toBe(0);
    expect(linesOf(declared.terminal)).toMatchObject([
      { ok: true, codec: "bytes", value: { $bytes: expect.any(String) } },
    ]);
  });

  it("takes text for text, and broken JSON for neither", async () => {
    const note = file("note.txt", "[INFO] 2 orders, 3 lines\n");
    const broken = file("broken.json", '{"id":"P-001","lines":[');

    const { terminal } = await sobre("decode", "--json", "-t", "application/json", note, broken);
    const guessed = await sobre("decode", "--json", note, broken);

    for (const lines of [linesOf(terminal), linesOf(guessed.terminal)]) {
      expect(lines).toMatchObject([
        { ok: true, codec: "text", value: "[INFO] 2 orders, 3 lines\n" },
        { ok: false, error: { message: expect.stringContaining("JSON") } },
      ]);
    }
  });

  it("tells people what an unreadable payload looks like, and every attempt", async () => {
    const { code, terminal } = await sobre("decode", fixture("address.ser"));

    expect(code).toBe(1);
    expect(terminal.text()).toContain("it looks like Java object serialization (application/x-java-serialized-object)");
    for (const codec of ["json", "text", "msgpack", "amqp"]) expect(terminal.text()).toContain(`\n  ${codec} `);
  });

  it("goes on after a missing file and ends with 2", async () => {
    const { code, terminal } = await sobre("decode", "--json", "nowhere.bin", scratch, fixture("seven.txt"));

    expect(code).toBe(2);
    expect(terminal.errors()).toBe(`sobre: nowhere.bin: no such file\nsobre: ${scratch}: is a folder, not a file\n`);
    expect(linesOf(terminal)).toMatchObject([
      { file: "nowhere.bin", ok: false, attempts: [], error: { code: "ENOENT" } },
      { file: scratch, ok: false, error: { code: "EISDIR" } },
      { file: fixture("seven.txt"), ok: true, value: 7 },
    ]);
  });

  it("reads Protobuf with a schema and a type, and asks for them otherwise", async () => {
    const order = fixture("order.protobuf");
    const schema = ["--proto", fixture("shop.proto")];

    const named = await sobre("decode", "--json", ...schema, "--message-type", "shop.Order", order);
    const declared = await sobre("decode", "--json", ...schema, "-t", "application/protobuf; proto=shop.Order", order);
    const unknown = await sobre("decode", "--json", "-t", "application/protobuf", order);

    expect(linesOf(named.terminal)).toMatchObject([{ ok: true, codec: "protobuf", value: { id: "P-003" } }]);
    expect(linesOf(declared.terminal)).toMatchObject([{ ok: true, codec: "protobuf", value: { id: "P-003" } }]);
    expect(linesOf(unknown.terminal)).toMatchObject([
      { ok: false, attempts: [{ code: "UnknownMessageType" }, {}, {}, {}, {}] },
    ]);
  });

  it("shows nothing that a terminal obeys", async () => {
    const hostile = file("hostile.json", JSON.stringify({ a: "\u009b2J\u202e", "\u001b[2J": "\u0007" }));

    const people = await sobre("decode", hostile);
    const machine = await sobre("decode", "--json", hostile);

    expect(unprintable(people.terminal.text())).toEqual(["\n"]);
    expect(linesOf(machine.terminal)).toMatchObject([{ value: { a: "\u009b2J\u202e", "\u001b[2J": "\u0007" } }]);
  });

  it("reads a charset, and warns of what it tolerated", async () => {
    const { terminal } = await sobre(
      "decode",
      "--json",
      "-t",
      "application/json; =; charset=iso-8859-1",
      fixture("latin1.json"),
    );

    expect(linesOf(terminal)).toMatchObject([
      { ok: true, codec: "json", value: { nombre: "Lucía" }, warnings: [expect.stringContaining("parameter")] },
    ]);
  });

  it.each([
    [["decode"], "missing required argument 'FILE'"],
    [["decode", "--jsn", "a"], "unknown option '--jsn' (Did you mean --json?)"],
    [["decode", "-", "-"], "standard input (-) can be read only once"],
    [["decode", "--message-type", "a.B", "x"], "--message-type needs --proto"],
    [["decode", "--proto", "nowhere.proto", "x"], "nowhere.proto: no such file"],
    [
      ["decode", "--proto", fixture("shop.proto"), "--message-type", "a.B", "x"],
      'Option type names "a.B", which is not in the schema.',
    ],
    [["encode", "x"], "required option '-t, --to <CT>' not specified"],
    [["encode", "--to", "nonsense", "x"], "--to: "],
    [["encode", "--to", "application/json", "nowhere.json"], "nowhere.json: no such file"],
    [["tour", "nowhere"], "nowhere/manifest.json: no such file"],
    [["frobnicate"], "unknown command 'frobnicate'"],
  ])("tells of misuse in one line: %j", async (args, complaint) => {
    const { code, terminal } = await sobre(...args);

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toMatch(/^sobre: [^\n]+\n$/);
    expect(terminal.errors()).toContain(complaint);
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

  it("ends with 1 for a value that the format cannot hold, or that is no rendering", async () => {
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
  it.each([[["--help"]], [["tour", "--help"]], [["decode", "--help"]], [["encode", "--help"]]])(
    "of %j fits a terminal of 80 by 24 and tells the exit codes",
    async (args) => {
      const { code, terminal } = await sobre(...args);

      const lines = terminal.text().trimEnd().split("\n");
      expect(code).toBe(0);
      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(terminal.text()).toContain("Exit codes: 0 ");
      expect(terminal.text()).toContain("Examples:\n");
    },
  );

  it("is the complaint when no command is named", async () => {
    const { code, terminal } = await sobre();

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toContain("Usage: sobre");
  });

  it("has the version beside it", async () => {
    const { code, terminal } = await sobre("--version");

    expect({ code, text: terminal.text() }).toEqual({ code: 0, text: "1.2.3\n" });
  });
});
