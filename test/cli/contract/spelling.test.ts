import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sobre } from "../calls.support.ts";
import { check, contractFolders, newer, older } from "./folders.support.ts";

const { file, folderOf } = contractFolders();
const mark = "\u{FEFF}";

function orderWith(schema: object, settings: object = {}): string {
  return folderOf({
    "order/1.0.schema.json": older,
    "order/1.1.schema.json": { ...older, ...schema },
    "order/subject.json": settings,
  });
}

describe("a misspelt keyword", () => {
  it.each([
    [{ propertes: {} }, "order/1.1.schema.json#/propertes", "properties"],
    [{ Required: ["id"] }, "order/1.1.schema.json#/Required", "required"],
    [{ ref: "#" }, "order/1.1.schema.json#/ref", "$ref"],
    [{ properties: { id: { minLenght: 2 } } }, "order/1.1.schema.json#/properties/id/minLenght", "minLength"],
    [{ anyOf: [true, { adittionalProperties: { tpye: "string" } }] }, "#/anyOf/1/adittionalProperties/tpye", "type"],
  ])("is a warning with its place, the keyword that was meant and a hash: %j", async (schema, place, meant) => {
    const { code, terminal } = await check(orderWith(schema));

    expect(code).toBe(0);
    expect(terminal.text()).toMatch(/^warning {3}order\n {2}.*keyword-misspelt$/m);
    expect(terminal.text()).toContain(place);
    expect(terminal.text()).toContain(`It looks like \`${meant}\`.`);
  });

  it.each<readonly [object]>([
    [{ "x-propertes": 1 }],
    [{ properties: { id: { type: "string" }, requird: { type: "string" } } }],
    [{ const: { propertes: 1 } }],
    [{ discriminator: { propertyName: "a" }, example: {}, widget: "text" }],
  ])("is not seen in names of members, values and words that resemble no keyword: %j", async (schema) => {
    expect((await check(orderWith(schema))).terminal.text()).not.toContain("keyword-misspelt");
  });

  it("is a warning in every format, and is left out where policy.ignore names it", async () => {
    const folder = orderWith({ propertes: {} });
    const formatted = await Promise.all(["github", "sarif", "junit", "json"].map((one) => check(folder, "-f", one)));
    const ignored = await check(orderWith({ propertes: {} }, { policy: { ignore: ["keyword-misspelt"] } }));

    const [github = "", sarif = "", junit = "", json = ""] = formatted.map(({ terminal }) => terminal.text());
    expect(github).toMatch(/^::warning file=.*keyword-misspelt/m);
    expect(sarif).toContain('"ruleId":"keyword-misspelt","level":"warning"');
    expect(junit).toContain('failures="0"');
    expect(JSON.parse(json)).toMatchObject({ changes: [{ code: "keyword-misspelt", severity: "warning" }] });
    expect(ignored.terminal.text()).not.toContain("keyword-misspelt");
  });
});

describe("a byte order mark", () => {
  it("is read in every file of a contract", async () => {
    const marked = (value: unknown): string => mark + JSON.stringify(value);
    const folder = folderOf({
      "order/1.0.schema.json": marked(newer),
      "order/1.1.schema.json": marked(older),
      "order/subject.json": marked({ owner: "shop" }),
      "stock/1.0.proto": `${mark}syntax = "proto3"; message Moved { int32 n = 1; }`,
      "waivers.json": marked([]),
      "lock.json": marked({ schemas: {} }),
    });
    const [before, after] = [file("before.json", marked(newer)), file("after.json", marked(older))];

    const { terminal } = await check(folder);
    expect(terminal.errors()).toBe("");
    expect(terminal.text()).toContain("1 safe");
    expect((await sobre("contract", "compat", before, after)).code).toBe(0);
    expect((await sobre("contract", "init", "--from", before, "-s", join(folder, "new"))).code).toBe(0);
    expect((await sobre("contract", "types", "-s", folder)).code).toBe(0);
  });

  it("is read in what git has", async () => {
    const folder = folderOf({ "order/1.0.schema.json": mark + JSON.stringify(newer) });
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "a schema");

    const { code, terminal } = await check(folder, "--against", "git:HEAD");

    expect(code).toBe(0);
    expect(terminal.text()).toContain("checked 1 pair");
  });
});

describe("the only subject of a repository", () => {
  it.each(["with its folder", "and nothing else"])("is missed when it was deleted %s", async (how) => {
    const folder = folderOf({ "schemas/order/1.0.schema.json": newer });
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "a schema");
    rmSync(join(folder, how === "with its folder" ? "schemas" : "schemas/order"), { recursive: true });

    const { code, terminal } = await check(join(folder, "schemas"), "--against", "git:HEAD");

    expect(code).toBe(1);
    expect(terminal.text()).toContain("subject-deleted");
  });
});

describe("an invalid schema", () => {
  it.each<[what: string, name: string, text: string, told: string]>([
    [
      "a type that does not exist",
      "order/1.1.schema.json",
      '{"type":"objct"}',
      "The JSON Schema is invalid: type must",
    ],
    ["a list, which is no list of versions", "order/1.1.schema.json", "[true]", "A JSON Schema must be an object"],
    ["a file of Protobuf that ends early", "sent/1.1.proto", "message M {", "The Protobuf schema cannot be read"],
  ])("is refused with the name of its file: %s", async (_, name, text, told) => {
    const valid = { "order/1.0.schema.json": "{}", "sent/1.0.proto": 'syntax = "proto3"; message M {}' };
    const folder = folderOf({ ...valid, [name]: text });
    const before = join(folder, name.replace("1.1", "1.0"));

    const checked = await check(folder);
    const compared = await sobre("contract", "compat", before, join(folder, name));

    expect([checked.code, compared.code]).toEqual([4, 4]);
    expect(checked.terminal.errors()).toContain(`sobre: ${name}: ${told}`);
    expect(compared.terminal.errors()).toContain(`sobre: ${join(folder, name)}: ${told}`);
  });
});
