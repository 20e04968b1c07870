import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { checkCompatibility, protosOf, readMessageType } from "../../src/contract/index.ts";
import { compileJsonSchema } from "../../src/core/json-schema/ajv.ts";
import { folderFiles } from "../../src/contract/subjects/subject-files.ts";
import { readSubjects } from "../../src/contract/subjects/subject.ts";
import { check, contractFolders } from "../cli/contract-folders.support.ts";
import { sobre } from "../cli/calls.support.ts";

const { folderOf } = contractFolders();
const subjectsOf = (files: Readonly<Record<string, unknown>>) => readSubjects(folderFiles(folderOf(files)));
const schemaOf = (files: Readonly<Record<string, unknown>>): unknown =>
  subjectsOf(files)
    .find(({ name }) => name === "order")
    ?.versions.at(-1)?.schema;
const outside = mkdtempSync(join(tmpdir(), "outside-"));

afterAll(() => rmSync(outside, { recursive: true }));

const money = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
const order = (total: object, more: object = {}) => ({
  ...more,
  type: "object",
  properties: { total },
  required: ["total"],
});

/** Whether a schema takes an order with an amount in cents, and refuses one without. */
function takesMoney(schema: unknown): boolean {
  const problemsOf = compileJsonSchema(typeof schema === "object" && schema !== null ? { ...schema } : true);
  return problemsOf({ total: { cents: 1 } }).length === 0 && problemsOf({ total: { cents: "1" } }).length > 0;
}

/** Schemas that differ in a letter of Latin-1, which lenient reading would replace alike. */
const latin = (letter: string): Buffer => Buffer.from(`{"const":"caf${letter}"}`, "latin1");

describe("files that are not UTF-8", () => {
  it("are refused as versions, here and in a commit, instead of being compared with their letters replaced", async () => {
    const folder = folderOf({ "order/1.0.schema.json": {}, "order/1.1.schema.json": {} });
    writeFileSync(join(folder, "order/1.0.schema.json"), latin("é"));
    writeFileSync(join(folder, "order/1.1.schema.json"), latin("è"));
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
    git("init");
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-m", "Add the schemas");

    const here = await check(folder);
    for (const minor of [0, 1]) writeFileSync(join(folder, `order/1.${minor}.schema.json`), '{"const":"café"}');
    const committed = await check(folder, "--against", "git:HEAD");

    for (const { code, terminal } of [here, committed]) {
      expect(code).toBe(4);
      expect(terminal.errors()).toBe("sobre: order/1.0.schema.json is not valid UTF-8. Save it as UTF-8.\n");
    }
  });

  it.each(["json", "yaml", "proto"])("are refused by compat: .%s", async (suffix) => {
    const folder = folderOf({ "a.txt": "" });
    const [older, newer] = ["é", "è"].map((letter, at) => {
      const path = join(folder, `${at}.${suffix}`);
      writeFileSync(path, suffix === "proto" ? Buffer.from(`// ${letter}`, "latin1") : latin(letter));
      return path;
    });

    const { code, terminal } = await sobre("contract", "compat", older ?? "", newer ?? "");

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("0." + suffix + " is not valid UTF-8");
  });

  it("are read where they begin with a byte order mark", async () => {
    const folder = folderOf({ "order/1.0.schema.json": '\u{feff}{"const":1}', "order/1.1.schema.json": '{"const":1}' });

    expect((await check(folder)).code).toBe(0);
  });
});

describe("JSON Schemas of several files", () => {
  it.each<[how: string, reference: string, shared: object]>([
    ["a path", "../shared/money.schema.json", money],
    ["a path with a pointer", "../shared/money.schema.json#/$defs/money", { $defs: { money } }],
    [
      "a path with an anchor",
      "../shared/money.schema.json#amount",
      { $defs: { money: { ...money, $anchor: "amount" } } },
    ],
    ["an $id", "https://example.org/money", { $id: "https://example.org/money", ...money }],
    [
      "an $id inside another file",
      "https://example.org/all#/$defs/a",
      { $id: "https://example.org/all", $defs: { a: { $ref: "money" }, b: { $id: "money", ...money } } },
    ],
  ])("refer to each other by %s", (_, reference, shared) => {
    const schema = schemaOf({
      "order/1.0.schema.json": order({ $ref: reference }),
      "shared/money.schema.json": shared,
    });

    expect(takesMoney(schema)).toBe(true);
  });

  it("refer to each other in a ring, and from one shared file to the next", () => {
    const schema = schemaOf({
      "order/1.0.schema.json": order({ $ref: "../shared/a.json" }, { $id: "https://example.org/orders/1" }),
      "shared/a.json": { allOf: [{ $ref: "b.json#/definitions/x" }] },
      "shared/b.json": {
        definitions: {
          x: { $ref: "#/definitions/y" },
          y: { ...money, properties: { cents: { type: "integer" }, of: { $ref: "../order/1.0.schema.json" } } },
        },
      },
    });

    expect(takesMoney(schema)).toBe(true);
  });

  it("keep their meaning when members are named like keywords", () => {
    const properties = { default: { $ref: "../shared/money.json" }, $ref: { type: "string" }, $id: { type: "string" } };
    const schema = schemaOf({ "order/1.0.schema.json": { properties }, "shared/money.json": money });
    const problemsOf = compileJsonSchema({ ...Object(schema) });

    expect(problemsOf({ default: { cents: "1" } })).not.toEqual([]);
    expect(problemsOf({ $ref: 1 })).not.toEqual([]);
    expect(problemsOf({ default: { cents: 1 }, $ref: "a", $id: "b" })).toEqual([]);
  });

  it("break where a shared type breaks, at its place in the shared file", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": order({ $ref: "../shared/money-1.json" }),
      "order/1.1.schema.json": order({ $ref: "../shared/money-2.json" }),
      "shared/money-1.json": money,
      "shared/money-2.json": {
        ...money,
        properties: { ...money.properties, currency: { type: "string" } },
        required: ["cents", "currency"],
      },
    });

    const { code, terminal } = await check(folder);

    expect(code).toBe(1);
    expect(terminal.text()).toMatch(/shared\/money-2\.json:\d+:3 member-required/);
    expect(terminal.text()).toContain('witness {"total":{"cents":0}}');
  });

  it("have their shared files locked with them", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": order({ $ref: "../shared/money.json" }),
      "shared/money.json": money,
    });
    await sobre("contract", "release", "-s", folder);

    writeFileSync(join(folder, "shared/money.json"), JSON.stringify({ ...money, required: [] }));
    const { code, terminal } = await check(folder, "--against", "lock");

    expect(code).toBe(1);
    expect(terminal.text()).toContain(
      "order/1.0.schema.json, or a file that it refers to (shared/money.json), was released and has been edited",
    );
  });

  it("make a message type", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": order({ $ref: "../shared/money.json" }),
      "shared/money.json": money,
    });

    const type = readMessageType(folder, "order");
    const read = async (body: unknown): Promise<unknown> => type.read(body, 1);

    await expect(read({ total: { cents: 1 } })).resolves.toMatchObject({ total: { cents: 1 } });
    await expect(read({ total: {} })).rejects.toThrow("cents");
    expect(type.versions).toEqual([1]);
  });

  it.each<[what: string, files: Readonly<Record<string, unknown>>, message: string]>([
    [
      "leads outside the folder",
      { "order/1.0.schema.json": order({ $ref: "../../secret.json" }) },
      "leads outside the folder",
    ],
    ["is an absolute path", { "order/1.0.schema.json": order({ $ref: "/etc/passwd" }) }, "leads outside the folder"],
    [
      "is a file: URL",
      { "order/1.0.schema.json": order({ $ref: "file:///etc/passwd" }) },
      "does not resolve to a file",
    ],
    [
      "would be fetched",
      { "order/1.0.schema.json": order({ $ref: "https://example.org/x" }) },
      "schemas are never fetched",
    ],
    [
      "leads to a folder",
      { "order/1.0.schema.json": order({ $ref: "../shared" }), "shared/a.txt": "" },
      "Cannot read shared",
    ],
    [
      "leads to nothing in the file",
      { "order/1.0.schema.json": order({ $ref: "a.json#/none" }), "order/a.json": money },
      "leads to nothing in order/a.json",
    ],
    [
      "is the identifier of two files",
      {
        "order/1.0.schema.json": order({ $ref: "https://e.org/m" }),
        "order/a.json": { $id: "https://e.org/m" },
        "order/b.json": { $id: "https://e.org/m" },
      },
      "order/a.json and order/b.json both have the identifier",
    ],
    [
      "leads to another dialect",
      {
        "order/1.0.schema.json": order({ $ref: "a.json" }, { $schema: "https://json-schema.org/draft/2020-12/schema" }),
        "order/a.json": { $schema: "http://json-schema.org/draft-07/schema#" },
      },
      "order/a.json: its $schema differs",
    ],
    [
      "leads to dynamic references",
      { "order/1.0.schema.json": order({ $ref: "a.json" }), "order/a.json": { $dynamicAnchor: "x" } },
      "dynamic or recursive",
    ],
  ])("are refused where a reference %s", (_, files, message) => {
    expect(() => subjectsOf(files)).toThrow(message);
  });

  it("are refused where a link leads outside the folder", () => {
    const folder = folderOf({ "order/1.0.schema.json": order({ $ref: "a.json" }) });
    writeFileSync(join(outside, "a.json"), "{}");
    symlinkSync(join(outside, "a.json"), join(folder, "order/a.json"));

    expect(() => readSubjects(folderFiles(folder))).toThrow("order/a.json is a link that leads outside the folder");
  });

  it("are subjects, too, in folders that are called like versions", () => {
    const subjects = subjectsOf({
      "api/1.0/order/1.0.schema.json": money,
      "pay/2.0.schema.json": order({ $ref: "m.json" }),
      "pay/2.0/m.json": money,
    });

    expect(subjects.map(({ name }) => name)).toEqual(["api/1.0/order", "pay"]);
  });

  it("are recorded, verified and read across versions", async () => {
    const folder = folderOf({
      "s/order/1.0.schema.json": order({ $ref: "../shared/money.json" }),
      "s/order/1.1.schema.yaml": "allOf: [{ $ref: 1.0.schema.json }]\nproperties: { note: { type: string } }",
      "s/shared/money.json": money,
      ...Object.fromEntries(
        Object.entries(protos).map(([name, text]) => [`s/${name.replace("order", "moved")}`, text]),
      ),
      "s/moved/subject.json": { codecs: ["protobuf"] },
    });
    const at = ["-s", join(folder, "s")];
    const run = async (name: string) => (await sobre("contract", name, ...at, "-g", join(folder, "g"))).code;
    const types = await sobre("contract", "types", ...at);

    expect([await run("record"), await run("verify"), await run("matrix"), types.code]).toEqual([0, 0, 0, 0]);
    expect(types.terminal.text()).toMatch(/cents/);
  });

  it("differ from those of a git reference when a shared file was edited", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": order({ $ref: "../shared/money.json" }),
      "shared/money.json": money,
    });
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
        cwd: folder,
        stdio: "ignore",
      });
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    writeFileSync(join(folder, "shared/money.json"), JSON.stringify({ ...money, required: ["cents", "currency"] }));

    const { code, terminal } = await check(folder, "--against", "git:HEAD");

    expect(code).toBe(1);
    expect(terminal.text()).toContain("a file that it refers to has been edited: shared/money.json");
    expect(terminal.text()).toMatch(/shared\/money\.json:\d+:\d+ member-required/);
  });

  it.each(["latest", "01.1", "1.01", "1.10000000000000000001"])(
    "are still refused when a schema is neither a version nor referred to: %s.schema.json",
    (name) => {
      expect(() => subjectsOf({ "order/1.0.schema.json": money, [`order/${name}.schema.json`]: money })).toThrow(
        "no version refers to it",
      );
    },
  );
});

const protos = {
  "order/1.0.proto": `syntax = "proto3"; package shop; import "google/type/money.proto"; import "google/protobuf/timestamp.proto";
    import "shared/line.proto"; message Order { google.type.Money total = 1; google.protobuf.Timestamp at = 2; repeated Line lines = 3; }`,
  "imports/google/type/money.proto": `syntax = "proto3"; package google.type; import "google/protobuf/descriptor.proto"; message Money { int64 units = 1; } message Unused { int32 a = 1; }`,
  "shared/line.proto": `syntax = "proto3"; package shop; import public "google/type/money.proto"; message Line { google.type.Money price = 1; }`,
};

/** A second version, whose money is another one. */
const changed = (text: string): string =>
  folderOf({
    ...protos,
    "order/1.1.proto": protos["order/1.0.proto"].replace("google/type/money", "v2/money"),
    "imports/v2/money.proto": text,
    "shared/line.proto": protos["shared/line.proto"].replace(/import public.*?;/, ""),
  });

describe(".proto files with imports", () => {
  it("find them next to the subjects, and the well-known types anywhere", () => {
    const [version] = subjectsOf(protos).flatMap(({ versions }) => versions);
    const codec = protobuf({ protos: protosOf(version ?? { file: "", schema: "" }), type: "shop.Order" });
    const context = { contentType: undefined, applicationProperties: {} };

    const { payload } = codec.encode({ total: { units: 3n }, lines: [{ price: { units: 4n } }] }, context);

    expect(version?.parts.map(({ file }) => file)).toEqual(["imports/google/type/money.proto", "shared/line.proto"]);
    expect(Buffer.from(payload).toString("hex")).toBe("0a0208031a040a020804");
  });

  it("break where an imported message breaks, and not for one that nothing leads to", async () => {
    const [same, broken] = [
      await check(changed('syntax = "proto3"; package google.type; message Money { int64 units = 1; }')),
      await check(changed('syntax = "proto3"; package google.type; message Money { string units = 1; }')),
    ];

    expect(same.terminal.errors()).toBe("");
    expect([same.code, broken.code]).toEqual([0, 1]);
    expect(broken.terminal.text()).toContain("imports/v2/money.proto:1:");
  });

  it("name an import that is missing", async () => {
    const { code, terminal } = await check(
      folderOf({ "order/1.0.proto": protos["order/1.0.proto"], "order/1.1.proto": protos["order/1.0.proto"] }),
    );

    expect(code).toBe(4);
    expect(terminal.errors()).toContain('"google/type/money.proto", "shared/line.proto"');
  });

  it.each([
    "api",
    "type",
    "source_context",
    "any",
    "duration",
    "empty",
    "field_mask",
    "struct",
    "timestamp",
    "wrappers",
  ])("know google/protobuf/%s.proto", async (name) => {
    const message: Readonly<Record<string, string>> = {
      source_context: "SourceContext",
      field_mask: "FieldMask",
      wrappers: "Int64Value",
    };
    const type = message[name] ?? `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const text = `syntax = "proto3"; package a; import "google/protobuf/${name}.proto"; message M { google.protobuf.${type} m = 1; }`;

    const { verdict } = await checkCompatibility({ format: "protobuf", older: text, newer: text });

    expect(verdict).toBe("safe");
    expect(() => protobuf({ protos: text, type: "a.M" })).not.toThrow();
  });

  it("are written with the version that a source begins", async () => {
    const source = folderOf({
      "order.proto": protos["order/1.0.proto"],
      "google/type/money.proto": protos["imports/google/type/money.proto"],
      "shared/line.proto": protos["shared/line.proto"],
    });
    const folder = join(source, "schemas");

    const { code } = await sobre("contract", "init", "-s", folder, "--from", join(source, "order.proto"));

    expect(code).toBe(0);
    const [version] = readSubjects(folderFiles(folder)).flatMap(({ versions }) => versions);
    expect(version?.parts.map(({ file }) => file)).toEqual([
      "order/1.0/google/type/money.proto",
      "order/1.0/shared/line.proto",
    ]);
  });
});
