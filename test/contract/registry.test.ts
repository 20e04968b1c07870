import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SchemaRegistry } from "../../src/contract/exchange/schema-registry.ts";
import { ManualClock } from "../../src/core/time/manual-clock.ts";
import { sobre } from "../cli/calls.support.ts";
import { check, contractFolders } from "../cli/contract-folders.support.ts";
import { type RegistryStandIn, startRegistry } from "./registry.support.ts";

const { folderOf } = contractFolders();
const json = (schema: object, references: readonly { name: string; subject: string; version: number }[] = []) => ({
  schema: JSON.stringify(schema),
  schemaType: "JSON",
  references,
});
const order = (...required: readonly string[]) => ({
  type: "object",
  properties: { id: { type: "string" }, note: { type: "string" }, total: { $ref: "money.json" } },
  required,
});
const money = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
const toMoney = [{ name: "money.json", subject: "money", version: 1 }];
let registry: RegistryStandIn;

beforeAll(async () => {
  registry = await startRegistry(
    {
      money: [json(money)],
      order: [json(order("id", "note"), toMoney), json(order("id"), toMoney)],
      stock: [
        {
          schema: 'syntax = "proto3"; package shop; import "amount.proto"; message Moved { Amount amount = 1; }',
          schemaType: "PROTOBUF",
          references: [{ name: "amount.proto", subject: "amount", version: 1 }],
        },
      ],
      amount: [
        { schema: 'syntax = "proto3"; package shop; message Amount { int64 units = 1; }', schemaType: "PROTOBUF" },
      ],
      legacy: [{ schema: '"string"' }],
    },
    { modes: { order: "BACKWARD_TRANSITIVE", money: "NONE" } },
  );
});

/** A folder with a version of order that requires what nobody has sent before. */
const nextOrder = () => folderOf({ "order/2.0.schema.json": order("id", "note"), "order/2.0/money.json": money });

describe("sobre contract fetch", () => {
  it("writes every version of a subject with what it refers to, and the direction of its mode", async () => {
    const folder = folderOf({ "a.txt": "" });

    const { code, terminal } = await sobre(
      "contract",
      "fetch",
      "order",
      "stock",
      "-s",
      folder,
      "--registry",
      registry.url,
    );

    expect(terminal.errors()).toBe("");
    expect(code).toBe(0);
    expect(
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /\.\w+$/.test(file))
        .toSorted(),
    ).toEqual([
      "a.txt",
      "order/1.1",
      "order/1.1.schema.json",
      "order/1.1/money.json",
      "order/1.2",
      "order/1.2.schema.json",
      "order/1.2/money.json",
      "order/subject.json",
      "stock/1.1",
      "stock/1.1.proto",
      "stock/1.1/amount.proto",
      "stock/subject.json",
    ]);
    expect((await check(folder, "--strict")).code).toBe(0);
    const again = await sobre("contract", "fetch", "order", "-s", folder, "--registry", registry.url);
    expect(again.terminal.text()).toContain("0 files of 1 subjects");
  });

  it("writes the version with an id", async () => {
    const folder = folderOf({ "a.txt": "" });

    const { terminal } = await sobre("contract", "fetch", "--id", "3", "-s", folder, "--registry", registry.url);

    expect(terminal.text()).toContain(join(folder, "order/1.2.schema.json"));
    expect(terminal.text()).not.toContain("1.1");
  });

  it("refuses Avro by its name", async () => {
    const { code, terminal } = await sobre(
      "contract",
      "fetch",
      "legacy",
      "-s",
      folderOf({ "a.txt": "" }),
      "--registry",
      registry.url,
    );

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("is a schema of Avro, which is not supported");
  });

  it.each(["../../evil", "/etc/passwd", "a/../../b", "..\\evil"])("refuses a reference named %s", async (name) => {
    const hostile = await startRegistry({ a: [json({}, [{ name, subject: "b", version: 1 }])], b: [json({})] });

    const { code, terminal } = await sobre(
      "contract",
      "fetch",
      "a",
      "-s",
      folderOf({ "a.txt": "" }),
      "--registry",
      hostile.url,
    );

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("leads out of its folder");
  });

  it("refuses a subject that is not a folder, and ends on references in a ring", async () => {
    const hostile = await startRegistry({
      "../evil": [json({})],
      ring: [json({ $ref: "a.json" }, [{ name: "a.json", subject: "a", version: 1 }])],
      a: [json({ $ref: "b.json" }, [{ name: "b.json", subject: "b", version: 1 }])],
      b: [json({ $ref: "a.json" }, [{ name: "a.json", subject: "a", version: 1 }])],
    });
    const fetched = async (subject: string) =>
      sobre("contract", "fetch", subject, "-s", folderOf({ "a.txt": "" }), "--registry", hostile.url);

    expect((await fetched("../evil")).terminal.errors()).toContain("not a valid name of a folder");
    expect((await fetched("ring")).code).toBe(0);
  });
});

describe("sobre contract check --registry", () => {
  it("gives our verdict with a witness next to the registry's label", async () => {
    const { code, terminal } = await check(nextOrder(), "--registry", registry.url);

    expect(code).toBe(1);
    const text = terminal.text();
    expect(text).toContain("safe      order registry:1 → 2.0\n    the registry, BACKWARD_TRANSITIVE: incompatible");
    expect(text).toContain("breaking  order registry:2 → 2.0\n    the registry, BACKWARD_TRANSITIVE: incompatible");
    expect(text).toContain('witness {"id":""}');
  });

  it.each([
    ["BACKWARD", ["registry:2 → 2.0"]],
    ["BACKWARD_TRANSITIVE", ["registry:1 → 2.0", "registry:2 → 2.0"]],
    ["FORWARD", ["registry:2 ← 2.0"]],
    ["FORWARD_TRANSITIVE", ["registry:1 ← 2.0", "registry:2 ← 2.0"]],
    ["FULL", ["registry:2 ↔ 2.0"]],
    ["FULL_TRANSITIVE", ["registry:1 ↔ 2.0", "registry:2 ↔ 2.0"]],
    ["NONE", []],
  ])("compares by the mode %s", async (mode, expected) => {
    const own = await startRegistry(
      { order: [json(order("id", "note"), toMoney), json(order("id"), toMoney)], money: [json(money)] },
      { modes: { order: mode } },
    );

    const { terminal } = await check(nextOrder(), "--registry", own.url, "-f", "json");

    const report: { pairs: readonly { older: string; newer: string; direction: string; registry: object }[] } =
      JSON.parse(terminal.text());
    const arrow: Readonly<Record<string, string>> = { backward: "→", forward: "←", full: "↔" };
    expect(report.pairs.map(({ older, newer, direction }) => `${older} ${arrow[direction]} ${newer}`)).toEqual(
      expected,
    );
    for (const pair of report.pairs) expect(pair.registry).toEqual({ mode, isCompatible: false });
  });

  it("uses the registry's global mode where the subject has none, and refuses an unknown mode", async () => {
    const own = await startRegistry({ order: [json(order("id"), toMoney)], money: [json(money)] });
    own.answers = (path) => (path.startsWith("/config/") ? [404, '{"error_code":40408}'] : undefined);
    const known = await check(nextOrder(), "--registry", own.url);
    own.answers = (path) => (path.startsWith("/config/") ? [200, '{"compatibilityLevel":"SIDEWAYS"}'] : undefined);
    const unknown = await check(nextOrder(), "--registry", own.url);

    expect(known.terminal.text()).toContain("the registry, BACKWARD: incompatible");
    expect(unknown.code).toBe(4);
    expect(unknown.terminal.errors()).toContain("Expected one of: BACKWARD, BACKWARD_TRANSITIVE");
  });

  it("leaves the registry's own answer open where it gives none", async () => {
    const own = await startRegistry({ order: [json(order("id"), toMoney)], money: [json(money)] });
    own.answers = (path) => (path.startsWith("/compatibility/") ? [422, '{"error_code":42201}'] : undefined);

    const { code, terminal } = await check(nextOrder(), "--registry", own.url);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("the registry, BACKWARD: it does not say");
  });

  it("does not compare a version with itself once it is registered", async () => {
    const own = await startRegistry({ money: [json(money)] });

    const { terminal } = await check(folderOf({ "money/1.0.schema.json": money }), "--registry", own.url, "-f", "json");

    expect(JSON.parse(terminal.text()).pairs).toEqual([]);
  });

  it("says which subjects the registry lacks", async () => {
    const { code, terminal } = await check(folderOf({ "invoice/1.0.schema.json": money }), "--registry", registry.url);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain("invoice is not a subject of http://127.0.0.1");
  });
});

/** The error that an answer leads to. */
const failing = async (answer: readonly [number, string, object?]) => {
  const own = await startRegistry({ a: [json({})] });
  own.answers = () => answer;
  return new SchemaRegistry({ url: own.url }).versions("a").catch((error: unknown) => error);
};

describe("a schema registry", () => {
  const secret = "hunter2 &@:";
  it("takes the user and password from the URL or apart, and shows neither", async () => {
    const own = await startRegistry({ a: [json({})] }, { credentials: `me:${secret}` });
    const place = new URL(own.url);
    const withPassword = (password: string) => `http://me:${encodeURIComponent(password)}@${place.host}`;

    expect(await new SchemaRegistry({ url: withPassword(secret) }).subjects()).toEqual(["a"]);
    expect(await new SchemaRegistry({ url: own.url, credentials: `me:${secret}` }).subjects()).toEqual(["a"]);
    const { code, terminal } = await sobre(
      "contract",
      "fetch",
      "-s",
      folderOf({ "a.txt": "" }),
      "--registry",
      withPassword("wrong"),
    );
    expect(code).toBe(4);
    expect(terminal.errors()).toContain("refuses the user or password (HTTP 401, error code 401)");
    expect(`${terminal.errors()}${terminal.text()}`).not.toMatch(/wrong|me:/);
  });

  it.each<[what: string, answer: readonly [number, string, object?], code: string]>([
    ["an unknown subject", [404, '{"error_code":40401}'], "MessagingEntityNotFound"],
    ["a forbidden one", [403, "{}"], "UnauthorizedAccess"],
    ["a broken service", [500, "oops"], "ServiceCommunicationProblem"],
    ["a busy service", [503, ""], "ServiceBusy"],
    ["a page instead of JSON", [200, "<html>"], "DecodeFailed"],
    ["JSON of something else", [200, '{"a":1}'], "DecodeFailed"],
    ["a version that is not a number", [200, '["1"]'], "DecodeFailed"],
    ["a redirection", [302, "", { location: "http://127.0.0.1:1/" }], "InvalidArgument"],
    ["an endless answer", [200, "[".padEnd(17 * 2 ** 20)], "LimitExceeded"],
  ])("has an error code for %s", async (_, answer, code) => {
    expect(await failing(answer)).toMatchObject({ name: "SobreError", code });
  });

  it("that nobody runs is reported, as is one that does not answer in time", async () => {
    const clock = new ManualClock();
    const own = await startRegistry({});
    own.answers = () => {
      queueMicrotask(() => clock.advance(10_000));
      return "silence";
    };

    await expect(new SchemaRegistry({ url: "http://127.0.0.1:1" }).subjects()).rejects.toMatchObject({
      code: "ServiceCommunicationProblem",
    });
    await expect(new SchemaRegistry({ url: own.url, clock }).subjects()).rejects.toMatchObject({
      code: "ServiceTimeout",
    });
    expect(() => new SchemaRegistry({ url: "file:///etc/passwd" })).toThrow("must begin with http");
  });
});
