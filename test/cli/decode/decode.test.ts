import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { fixture, linesOf, scratchFolder, sobre } from "../calls.support.ts";
import { unprintable } from "../captured-terminal.support.ts";

const { file, scratch } = scratchFolder();

describe("sobre decode", () => {
  it("prints what read a payload and its value", async () => {
    const { code, terminal } = await sobre("decode", "-t", "application/x-amqp-value", fixture("long.amqp"));

    expect(code).toBe(0);
    expect(terminal.text()).toBe(`${fixture("long.amqp")}  read by amqp\n{\n  "$int64": "9007199254740993"\n}\n`);
  });

  it("reads each format without a content type", async () => {
    const names = ["order.json", "order.msgpack", "map.amqp", "greeting.txt", "utf16-bom.json", "empty.bin"];

    const { code, terminal } = await sobre("decode", "--json", ...names.map(fixture));

    expect(code).toBe(0);
    expect(linesOf(terminal)).toMatchObject(
      ["datacontract-json", "msgpack", "amqp", "text", "json", "empty"].map((codec) => ({
        ok: true,
        codec,
        contentType: null,
      })),
    );
  });

  it("prints the documented members in their order", async () => {
    const { terminal } = await sobre("decode", "--json", "-t", "application/json", fixture("truncated.json"));

    expect(terminal.text()).toMatch(
      /^\{"file":"[^"]+","ok":false,"codec":null,"contentType":"application\/json","value":null,"warnings":\[\],"attempts":\[\{"codec":"json","outcome":"failed","code":"TruncatedPayload","offset":200,"message":"[^"]+"\},.*\],"error":\{"code":"Unreadable","message":".+"\}\}\n$/,
    );
  });

  it("prints the name of the type, where the payload has one", async () => {
    const people = await sobre("decode", fixture("dotnet-order.bin"), fixture("order.json"));
    const [order, cart] = linesOf(
      (await sobre("decode", "--json", fixture("dotnet-order.bin"), fixture("order.json"))).terminal,
    );

    expect(people.terminal.text()).toMatch(/dotnet-order\.bin {2}read by nbfx\s+\{urn:[^}]+\}\w+\n/);
    expect(order).toMatchObject({ type: expect.stringMatching(/^\{urn:.+\}\w+$/) });
    expect(cart).not.toHaveProperty("type");
  });

  it("takes base64 and hexadecimal digits, broken into lines or not", async () => {
    const payload = readFileSync(fixture("dotnet-order.bin"));
    const base64 = payload.toString("base64").replaceAll(/.{76}/g, "$&\r\n");
    const hex = payload.toString("hex").replaceAll(/../g, "$& ");

    const [own] = linesOf((await sobre("decode", "--json", fixture("dotnet-order.bin"))).terminal);
    const [one] = linesOf((await sobre("decode", "--json", "--base64", file("a.txt", base64))).terminal);
    const [other] = linesOf((await sobre("decode", "--json", "--hex", file("b.txt", `0x${hex}\n`))).terminal);

    expect(one).toEqual({ ...Object(own), file: expect.any(String) });
    expect(other).toEqual({ ...Object(own), file: expect.any(String) });
  });

  it.each<readonly [args: readonly string[], message: string]>([
    [["--hex"], "is not pairs of hexadecimal digits"],
    [["--base64"], "is not base64"],
    [["--base64", "--hex"], "--base64 and --hex exclude each other"],
    [["--time-zone", "Mars/Olympus"], "sobre: --time-zone: timeZone must be an IANA time zone"],
  ])("refuses text of another form and unknown time zones, by the names of its options: %j", async (args, message) => {
    const { code, terminal } = await sobre("decode", ...args, file("c.txt", "zz!"));

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(message);
  });

  it("reads what .NET and Java left behind", async () => {
    const names = ["dotnet-order.bin", "dotnet-lines.nrbf", "address.ser", "order-utf16.xml"];

    const { code, terminal } = await sobre("decode", "--json", ...names.map(fixture));

    expect(code).toBe(0);
    expect(linesOf(terminal)).toMatchObject(
      ["nbfx", "nrbf", "java", "datacontract-xml"].map((codec) => ({ ok: true, codec })),
    );
  });

  it("reads .NET's values exactly by a contract, and local times in their zone", async () => {
    const status = {
      "x-dotnet": { type: "enum", name: "Estado", namespace: "urn:sobre:enums", members: { "en curso": 2 } },
    };
    const money = { title: "Money", properties: { Paid: { "x-dotnet": "dateTime" }, Status: status } };
    const contract = file("Money.json", JSON.stringify(money));
    const body = file("money.json", String.raw`{"Paid":"\/Date(1735787045000+0100)\/","Status":2}`);

    const declared = await sobre("decode", "--json", "-t", "application/json", "--contracts", contract, body);
    const plain = await sobre("decode", "--json", body);

    const paid = { $dateTime: "2025-01-02T04:04:05+01:00", kind: "local", ticks: "638713874450000000" };
    expect(linesOf(declared.terminal)).toMatchObject([
      { value: { Paid: paid, Status: { $enum: "en curso", value: "2" } } },
    ]);
    expect(linesOf(plain.terminal)).toMatchObject([{ codec: "datacontract-json", value: { Paid: paid, Status: 2 } }]);
    const local = file("local.bin", Buffer.from(`4006737472696e6740`, "hex"));
    for (const misused of [
      ["--contracts", local],
      ["--contracts", "nowhere"],
      ["--contracts", scratch, "--time-zone", "Europe/Atlantis"],
      ["--time-zone", "Europe/Atlantis"],
    ]) {
      expect((await sobre("decode", ...misused, body)).code).toBe(2);
    }
  });

  it("says at which byte declared XML is broken, and does not read it as text", async () => {
    const cut = file("cut.xml", '<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><a>1</a>');
    const markup = file("markup.txt", "<b>bold</b> text");

    const { terminal } = await sobre("decode", "--json", cut, markup);

    const [broken, text] = linesOf(terminal);
    expect(broken).toMatchObject({ ok: false });
    expect(JSON.stringify(broken)).toContain("ends before its root element does, at byte 63");
    expect(text).toMatchObject({ ok: true, codec: "text" });
  });

  it("names the contract that is not understood, and where", async () => {
    const broken = file("broken.json", '{"title":"Order","properties":{"Id":{"x-dotnet":{"typ":"guid"}}}}');
    const body = file("any.json", "{}");

    const { code, terminal } = await sobre("decode", "--contracts", broken, body);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(`${broken}: The contract at $.properties.Id has x-dotnet.typ`);
  });

  it("reads the body of a whole AMQP message by what the message says of it", async () => {
    const value = file("value.bin", Buffer.from("0053704500537345005377a1036f6e65", "hex"));
    const none = file("none.bin", Buffer.from("0053704500537345", "hex"));
    const cut = file("cut.bin", Buffer.from("005370450053734500", "hex"));

    const { terminal } = await sobre("decode", "--json", value, none, cut);

    expect(linesOf(terminal)).toMatchObject([
      { ok: true, codec: "amqp", value: "one" },
      { ok: true, codec: "amqp", value: null },
      { ok: false },
    ]);
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

  it("shows what an unreadable payload looks like, and every attempt", async () => {
    const whole = await readFile(fixture("address.ser"));
    const { code, terminal } = await sobre("decode", file("cut.ser", whole.subarray(0, 40)));

    expect(code).toBe(1);
    expect(terminal.text()).toContain("it looks like Java object serialization (application/x-java-serialized-object)");
    expect(terminal.text()).toMatch(/\n {2}java +TruncatedPayload +byte \d+/);
    for (const codec of ["json", "nbfx", "text", "amqp"]) {
      expect(terminal.text().replaceAll(/\s+/g, " ")).toMatch(
        new RegExp(` others ruled out by the first bytes: [\\w, -]*${codec}`),
      );
    }
  });

  it("goes on after a missing file and ends with 2", async () => {
    const { code, terminal } = await sobre("decode", "--json", "nowhere.bin", scratch, fixture("seven.txt"));

    expect(code).toBe(2);
    expect(terminal.errors()).toBe(
      `sobre: nowhere.bin: no such file or folder\nsobre: ${scratch}: it is a folder, not a file\n`,
    );
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
      {
        ok: false,
        attempts: expect.arrayContaining([
          expect.objectContaining({
            code: "UnknownMessageType",
            message: expect.stringContaining("--proto FILE --message-type TYPE"),
          }),
        ]),
      },
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
    [["decode", "--proto", "nowhere.proto", "--message-type", "a.B", "x"], "nowhere.proto: no such file"],
    [
      ["decode", "--proto", fixture("shop.proto"), "--message-type", "a.B", "x"],
      '--message-type: Option type names "a.B", which is not in the schema.',
    ],
    [["decode", "--proto", fixture("shop.proto"), "x"], "--proto needs --message-type"],
    [["encode", "--to", "image/png", "x"], "Expected one of: application/json, application/vnd.msgpack, "],
    [["frob\u001b[31m"], String.raw`unknown command 'frob\u001b[31m'`],
    [["decode", "--\u001b[31m", "x"], String.raw`unknown option '--\u001b[31m'`],
    [["tour", "no\u001bwhere"], String.raw`no\u001bwhere/manifest.json: no such file`],
    [["encode", "x"], "required option '-t, --to <CT>' not specified"],
    [["encode", "--to", "nonsense", "x"], "--to: "],
    [["encode", "--to", "application/json", "nowhere.json"], "nowhere.json: no such file"],
    [["tour", "nowhere"], "nowhere/manifest.json: no such file"],
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["help", "frobnicate"], "unknown command 'frobnicate'"],
    [["dlq", "frobnicate", "--help"], "unknown command 'frobnicate'"],
  ])("reports misuse in one line: %j", async (args, complaint) => {
    const { code, terminal } = await sobre(...args);

    expect(code).toBe(2);
    expect(terminal.text()).toBe("");
    expect(terminal.errors()).toMatch(/^sobre: [^\n]+\n$/);
    expect(terminal.errors()).toContain(complaint);
  });
});
