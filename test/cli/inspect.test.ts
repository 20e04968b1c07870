import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { writeMessage } from "../../src/wire/amqp/message/write-message.ts";
import { inspectBytes, inspectHexLine } from "../../src/cli/decode/inspect-json.ts";
import { inspectFiles, inspectHexLines } from "../../src/cli/decode/inspect.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { captureTerminal, unprintable } from "./captured-terminal.support.ts";

const folder = mkdtempSync(join(tmpdir(), "sobre-inspect-"));

function saved(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const message = writeMessage({
  header: { durable: true, ttl: 60_000 },
  messageAnnotations: { "x-opt-partition-key": "eu" },
  properties: { messageId: 5n, contentType: "application/json", creationTime: new Date(0) },
  applicationProperties: { "\u001b[31mred": typed.uint(7), nested: typed.described(typed.symbol("acme:x"), 1.5) },
  body: { kind: "data", sections: [Buffer.from('{"id":1}'), Uint8Array.of(0xff)] },
});

describe("sobre inspect", () => {
  it("shows a message section by section with offsets, types, values and hex", async () => {
    const terminal = captureTerminal();

    const exitCode = await inspectFiles({ files: [saved("message.bin", message)], json: false }, terminal);

    const lines = terminal
      .text()
      .split("\n")
      .map((line) => line.trimEnd().replaceAll(/ {2,}/g, "  "));
    expect(exitCode).toBe(0);
    expect(lines.slice(1)).toEqual([
      "0x000000  header  13 bytes",
      "0x000003  list  3 items  c0 08 03",
      "0x000006  durable  boolean  true  41",
      "0x000007  priority  null  null  40",
      "0x000008  ttl  uint  60000  70 00 00 ea 60",
      "0x00000d  message-annotations  31 bytes",
      "0x000010  map  1 entry  c1 1a 02",
      '0x000028  "x-opt-partition-key"  string  "eu"  a1 02 65 75',
      "0x00002c  properties  42 bytes",
      "0x00002f  list  10 items  c0 25 0a",
      "0x000032  message-id  ulong  5  53 05",
      "0x000034  user-id  null  null  40",
      "0x000035  to  null  null  40",
      "0x000036  subject  null  null  40",
      "0x000037  reply-to  null  null  40",
      "0x000038  correlation-id  null  null  40",
      '0x000039  content-type  symbol  "application/json"  a3 10 61 70 70 6c 69 63…',
      "0x00004b  content-encoding  null  null  40",
      "0x00004c  absolute-expiry-time  null  null  40",
      "0x00004d  creation-time  timestamp  1970-01-01T00:00:00.000Z  83 00 00 00 00 00 00 00…",
      "0x000056  application-properties  44 bytes",
      "0x000059  map  2 entries  c1 27 04",
      String.raw`0x000066  "\u001b[31mred"  uint  7  52 07`,
      '0x000070  "nested"  described  00',
      '0x000071  descriptor  symbol  "acme:x"  a3 06 61 63 6d 65 3a 78',
      "0x000079  value  double  1.5  82 3f f8 00 00 00 00 00…",
      "0x000082  data  13 bytes",
      String.raw`0x000085  binary  8 bytes "{\"id\":1}"  a0 08 7b 22 69 64 22 3a…`,
      "0x00008f  data  6 bytes",
      "0x000092  binary  1 bytes  a0 01 ff",
      "",
    ]);
    expect(unprintable(terminal.text())).toEqual(["\n"]);
  });

  it("prints typed JSON per file and reports what could not be read", async () => {
    const terminal = captureTerminal();
    const files = [
      saved("value.bin", Buffer.from("c003015205", "hex")),
      saved("cut.bin", message.subarray(0, 40)),
      join(folder, "missing.bin"),
    ];

    const exitCode = await inspectFiles({ files, json: true }, terminal);

    const [value, cut] = terminal
      .text()
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(value).toEqual({ file: files[0], ok: true, value: { t: "list", v: [{ t: "uint", v: 5 }] } });
    expect(cut).toMatchObject({ file: files[1], ok: false, code: "TruncatedPayload" });
    expect(terminal.errors()).toContain("missing.bin: no such file");
    expect(exitCode).toBe(2);
  });

  it("answers every line of hex with one line", async () => {
    const terminal = captureTerminal();

    const exitCode = await inspectHexLines(terminal, Readable.from("54 05\n54055406\n\nzz\n5405"));

    const answers = terminal
      .text()
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(answers).toEqual([
      { ok: true, value: { t: "int", v: 5 } },
      {
        ok: true,
        values: [
          { t: "int", v: 5 },
          { t: "int", v: 6 },
        ],
      },
      expect.objectContaining({ ok: false, code: "InvalidArgument" }),
      expect.objectContaining({ ok: false, code: "InvalidArgument" }),
      { ok: true, value: { t: "int", v: 5 } },
    ]);
    expect(exitCode).toBe(1);
  });

  it("describes every committed vector as its typed description", () => {
    for (const [name, member] of [
      ["values", "value"],
      ["messages", "sections"],
    ] as const) {
      for (const vector of fixture(name)) {
        const inspected = inspectHexLine(String(vector["hex"]));

        expect(inspected, String(vector["id"])).toEqual({ ok: true, [member]: vector[member] });
      }
    }
  });

  it.each([
    ["values", Buffer.alloc(200_000, 0x40)],
    ["items of a list", Buffer.concat([Buffer.from("d000030d4400030d40", "hex"), Buffer.alloc(200_000, 0x40)])],
    [
      "items of a list and what is behind it",
      Buffer.concat([Buffer.from("d000030d4400030d40", "hex"), Buffer.alloc(200_000, 0x40), Buffer.of(0x41)]),
    ],
  ])("shows the first of very many %s and says that there are more", async (_what, bytes) => {
    const terminal = captureTerminal();

    const exitCode = await inspectFiles({ files: [saved("many.bin", bytes)], json: false }, terminal);

    const lines = terminal.text().trimEnd().split("\n");
    expect(exitCode).toBe(0);
    expect(lines.at(-1)).toContain("at most 10000 rows are shown");
    expect(lines).toHaveLength(10_002);
  });

  it("says what is wrong with sections that do not form a message", () => {
    const symbol = `00a310${Buffer.from("amqp:header:list").toString("hex")}45`;

    const failures = ["00537045", "0080000000000000007045", symbol].map((header) => inspectHexLine(header.repeat(2)));

    expect(failures).toMatchObject([
      { ok: false, code: "DecodeFailed", offset: 4 },
      { ok: false, code: "DecodeFailed", offset: 11 },
      { ok: false, code: "DecodeFailed", offset: 20 },
    ]);
  });

  it("shows broken bytes as far as they go", async () => {
    const terminal = captureTerminal();
    const hostile = fixture("hostile").map(({ id, hex }) =>
      saved(`${String(id)}.bin`, Buffer.from(String(hex), "hex")),
    );

    const exitCode = await inspectFiles({ files: hostile, json: false }, terminal);

    expect(exitCode).toBe(1);
    expect(terminal.text()).toContain("DecodeFailed: ");
    expect(inspectBytes(new Uint8Array(0))).toMatchObject({ ok: false, code: "TruncatedPayload" });
  });
});

function fixture(name: string): readonly Readonly<Record<string, unknown>>[] {
  const path = new URL(`../../fixtures/amqp/${name}.jsonl`, import.meta.url);
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
