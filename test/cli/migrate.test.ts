import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { dotnetString } from "../migration/samples.support.ts";
import { scratchFolder, sobre } from "./calls.support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const legacy = join(root, "fixtures/legacy");
const { scratch, file } = scratchFolder();

const steady = (text: string): string =>
  text.replaceAll(/\d+\.\d s, [\d,]+\/s/g, "0.0 s").replaceAll(`${scratch}/`, "");

describe("the page on migrating", () => {
  const page = readFileSync(join(root, "docs/migrate.md"), "utf8");
  const commands = Array.from(
    page.matchAll(/```sh\n(?<line>sobre migrate .+)\n```/g),
    ({ groups }) => groups?.["line"] ?? "",
  );
  const outputs = Array.from(page.matchAll(/```text\n(?<text>[^]+?)\n```/g), ({ groups }) => groups?.["text"] ?? "");
  const place = join(scratch, "page");
  const here = (argument: string): string =>
    /^(?:sobre|migrate|text|-.*)$/.test(argument) ? argument : join(place, argument);

  it("runs, step by step, and shows what it says", async () => {
    mkdirSync(join(place, "contracts"), { recursive: true });
    copyFileSync(join(legacy, "migrate/dlq.ndjson"), join(place, "dlq.ndjson"));
    cpSync(join(legacy, "migrate/Order.json"), join(place, "contracts/Order.json"));

    const shown: string[] = [];
    const codes: number[] = [];
    for (const command of commands) {
      const { code, terminal } = await sobre(...command.split(" ").slice(1).map(here));
      codes.push(code);
      shown.push(steady(terminal.text()).replaceAll("page/", ""));
    }

    expect(codes).toEqual([6, 6, 6, 6]);
    for (const output of outputs) expect(shown[0]).toContain(output);
    // The contract settles what was ambiguous.
    expect(shown[0]).toContain("Ambiguous");
    expect(shown[2]).not.toContain("Ambiguous");
    // JSON of another type stays what it is.
    expect(shown[2]).toMatch(/\(JSON of event, id\) +2 messages {2}json /);
    expect(readFileSync(join(place, "new.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(5);
    expect(readdirSync(join(place, "unread"))).toEqual([expect.stringMatching(/^5-[0-9a-f]{12}\.envelope\.json$/)]);
    expect(existsSync(join(place, "schemas/Order/0.0.schema.json"))).toBe(true);
    expect(readFileSync(join(place, "dlq.html"), "utf8")).toContain("<h2>Failed</h2>");
    expect(readFileSync(join(place, "dlq.ndjson"))).toEqual(readFileSync(join(legacy, "migrate/dlq.ndjson")));
  });
});

const order = (): string => file("order.bin", readFileSync(join(legacy, "dotnet/nbfx-dcs-order.bin")));

describe("sobre migrate", () => {
  it("shows by its exit code whether the result is clean, ambiguous, lossy or failed", async () => {
    const clean = await sobre("migrate", order());
    const ambiguous = await sobre("migrate", join(legacy, "dotnet/xml-xs-order.bin"));
    const lossy = await sobre("migrate", join(legacy, "dotnet/nbfx-dcs-long-array.bin"), "--int64", "number");
    const failed = await sobre("migrate", file("noise.bin", Uint8Array.of(0xc1, 0xff, 0xff)));

    expect([clean.code, ambiguous.code, lossy.code, failed.code]).toEqual([0, 4, 5, 6]);
  });

  it.each<readonly [args: readonly string[], message: string]>([
    [["migrate"], "give a SOURCE"],
    [["migrate", "nowhere"], "no such file or folder"],
    [["migrate", "x", "--bogus"], "unknown option"],
    [["migrate", "x", "--to", "yaml"], "--to"],
    [["migrate", "x", "--resume"], "--resume needs --out"],
    [["migrate", "x", "--sample", "0"], "--sample"],
    [["migrate", "x", "--report", "report.pdf"], ".html, .json or .txt"],
    [["migrate", "x", "--report", "/nowhere/report.html"], "no such file or folder"],
  ])("says in one line what is wrong, and ends with 2: %j", async (args, message) => {
    const { code, terminal } = await sobre(...args);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(message);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
    expect(terminal.text()).toBe("");
  });

  it("ends with 1 when there is nothing to migrate", async () => {
    const { code, terminal } = await sobre("migrate", scratch, "--include", "*.none");

    expect(code).toBe(1);
    expect(terminal.errors()).toContain("holds no messages of that name");
  });

  it("stops in one line when the output cannot be written, or is there already", async () => {
    const nowhere = await sobre("migrate", order(), "--out", join(scratch, "no/folder/new.ndjson"));
    const there = await sobre("migrate", order(), "--out", file("there.ndjson", "mine\n"));

    expect([nowhere.code, there.code]).toEqual([1, 2]);
    expect(nowhere.terminal.errors()).toMatch(/^sobre: .*new\.ndjson cannot be written: no such file or folder\n$/);
    expect(readFileSync(join(scratch, "there.ndjson"), "utf8")).toBe("mine\n");
  });

  it("prints the report as JSON, and writes it as text", async () => {
    const report = join(scratch, "report.txt");

    const { terminal } = await sobre("migrate", order(), "--json", "--report", report);

    expect(JSON.parse(terminal.text())).toMatchObject({
      version: 1,
      verdict: "clean",
      messages: 1,
      types: [{ subject: "Order" }],
    });
    expect(readFileSync(report, "utf8")).toContain("$.Customer.Address.Zip");
  });

  it("makes version 0 of contract tests of what it infers", async () => {
    const schemas = join(scratch, "contract-schemas");
    await sobre("migrate", order(), "--schema-out", schemas);

    const init = await sobre("contract", "init", "--schemas", schemas);
    const record = await sobre("contract", "record", "--schemas", schemas, "--fixtures", join(scratch, "golden"));
    const verify = await sobre("contract", "verify", "--schemas", schemas, "--fixtures", join(scratch, "golden"));

    expect([init.code, record.code, verify.code]).toEqual([0, expect.any(Number), expect.any(Number)]);
    expect(JSON.parse(readFileSync(join(schemas, "Order/0.0.schema.json"), "utf8"))).toMatchObject({
      title: "Order",
      type: "object",
    });
  });

  it("goes on where it was killed", async () => {
    const source = file("many.ndjson", readFileSync(join(legacy, "migrate/dlq.ndjson"), "utf8").repeat(20));
    const out = join(scratch, "killed.ndjson");
    await sobre("migrate", source, "--out", out);
    const whole = readFileSync(out);
    writeFileSync(out, whole.subarray(0, whole.length / 2));

    const { code, terminal } = await sobre("migrate", source, "--out", out, "--resume");

    expect(code).toBe(6);
    expect(readFileSync(out).equals(whole)).toBe(true);
    expect(terminal.text()).toMatch(/\d+ of them before/);
  });

  it("says where failed messages are, or how they can be kept", async () => {
    const quarantine = join(scratch, "told");
    const source = file("failing.bin", Uint8Array.of(0xc1, 0xff, 0xff));
    const to = (name: string): readonly string[] => ["migrate", source, "--out", join(scratch, name)];

    const silent = await sobre(...to("failing-1.ndjson"));
    const kept = await sobre(...to("failing-2.ndjson"), "--quarantine", quarantine);

    expect(silent.terminal.text()).toContain("--quarantine DIR keeps what failed.");
    expect(kept.terminal.text()).toContain(`They are in ${quarantine}.`);
    rmSync(quarantine, { recursive: true });
  });

  it("takes the messages of its quarantine again", async () => {
    const quarantine = join(scratch, "again");
    const source = file("one.bin", Uint8Array.of(0xc1, 0xff, 0xff));
    await sobre("migrate", source, "--quarantine", quarantine);

    const { code, terminal } = await sobre("migrate", quarantine, "--json");

    expect(code).toBe(6);
    expect(JSON.parse(terminal.text())).toMatchObject({ messages: 1, outcomes: { failed: 1 } });
    rmSync(quarantine, { recursive: true });
  });

  it("peeks at a queue over AMQP, and leaves it as it is", async () => {
    await using server = await startServer({ engine: memoryEngine({ queues: { orders: {} } }) });
    const sender = await server.engine.openSender("orders");
    await sender.send([createEnvelope({ payload: dotnetString("Hola") })]);

    const { code, terminal } = await sobre(
      "migrate",
      "--queue",
      "orders",
      "--json",
      "--connection-string",
      server.connectionString,
    );

    expect(code).toBe(0);
    expect(JSON.parse(terminal.text())).toMatchObject({ messages: 1, formats: [{ format: "nbfx" }] });
    const left = await server.engine.peek("orders", { maxMessages: 5 });
    expect(left.map(({ deliveryCount }) => deliveryCount)).toEqual([0]);
  });
});

describe("contracts with a mistake", () => {
  const xml = join(legacy, "dotnet/xml-dcs-order.bin");
  const contract = readFileSync(join(legacy, "migrate/Order.json"), "utf8");

  it("of another namespace leave open what payloads leave open, and are reported", async () => {
    const other = file("other.json", contract.replace("urn:sobre:orders:v1", "urn:sobre:order"));

    const { code, terminal } = await sobre("migrate", xml, "--contracts", other);

    expect(code).toBe(4);
    expect(terminal.text()).toContain("Order $.Total");
    expect(terminal.text().replaceAll(/\s+/g, " ")).toContain(
      "No contract describes {urn:sobre:orders:v1}Order, but one is for {urn:sobre:order}Order",
    );
  });

  it("that lack a member, or misspell it, are reported", async () => {
    const misspelt = file("misspelt.json", contract.replace('"Qty"', '"Qtty"'));

    for (const body of [xml, join(legacy, "dotnet/nbfx-dcs-order.bin"), join(legacy, "dotnet/json-dcjs-order.bin")]) {
      const { terminal } = await sobre("decode", "--contracts", misspelt, body);
      expect(terminal.text()).toContain("Line has Qty, which the contract of Line does not");
    }
    expect((await sobre("migrate", xml, "--contracts", misspelt)).code).toBe(4);
    expect((await sobre("migrate", xml, "--contracts", file("right.json", contract))).code).toBe(0);
  });

  it("leave JSON of other types as it is", async () => {
    const path = file("other-type.json", '{"x":"/Date(1)/","price":2.50}');
    const out = join(scratch, "other-type.ndjson");

    const right = file("right.json", contract);
    await sobre("migrate", path, "--input", "payloads", "--contracts", right, "--out", out);

    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ payload: '{"x":"/Date(1)/","price":2.50}' });
  });
});

describe("a migration that was cut", () => {
  it("goes on with the same contracts and time zone only, so that all messages are read alike", async () => {
    const captures = join(legacy, "migrate/dlq.ndjson");
    const out = join(scratch, "cut.ndjson");
    const contract = file("right.json", readFileSync(join(legacy, "migrate/Order.json")));
    const given = ["--contracts", contract, "--time-zone", "Europe/Madrid"];
    await sobre("migrate", captures, "--out", out, ...given);
    const whole = readFileSync(out, "utf8");
    truncateSync(`${out}.journal`, readFileSync(`${out}.journal`).byteLength - 400);

    const codes: number[] = [];
    for (const others of [[], ["--contracts", contract], [...given.slice(0, 3), "Asia/Tokyo"], given]) {
      codes.push((await sobre("migrate", captures, "--out", out, "--resume", ...others)).code);
    }

    expect(codes).toEqual([2, 2, 2, 6]);
    expect(readFileSync(out, "utf8")).toBe(whole);
  });
});

describe("options that would be ignored silently", () => {
  const captures = join(legacy, "migrate/dlq.ndjson");

  it.each([
    [[captures, "--include", "*.bin"], "holds captured messages; file names select payloads only"],
    [[captures, "--content-type", "text/plain"], "holds captured messages, which each have their own content type"],
    [
      [join(legacy, "dotnet/nbfx-dcs-order.bin"), "--include", "*.bin"],
      "is a file, but file names can only select from a folder",
    ],
    [["--queue", "q", "--include", "*.bin"], "--include applies to a SOURCE and cannot be used with --queue"],
    [
      ["--queue", "q", "--content-type", "text/plain"],
      "--content-type applies to a SOURCE and cannot be used with --queue",
    ],
    [[captures, "--schema-out", captures], "is a file, not a folder"],
    [[captures, "--schema-out", ""], "--schema-out needs a folder"],
  ])("are refused: %j", async (options, told) => {
    const { code, terminal } = await sobre("migrate", ...options);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(told);
    expect(terminal.text()).toBe("");
  });
});

describe("what breaks inside compressed data", () => {
  it("is reported as such, without bytes at which it breaks", async () => {
    const broken = file("broken.json.gz", gzipSync(`{"a":1}${" ".repeat(40)}x`));

    const { terminal } = await sobre("migrate", broken, "--json");

    const report = JSON.parse(terminal.text());
    expect(report.failures[0].messages[0]).toMatchObject({
      message: expect.stringContaining(
        "which look like gzip, nor what was inside gzip: json: TrailingBytes at byte 47",
      ),
      hex: { start: 0 },
    });
    expect(report.failures[0].messages[0]).not.toHaveProperty("offset");
  });
});
