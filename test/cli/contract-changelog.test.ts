import { describe, expect, it } from "vitest";
import { sobre } from "./calls.support.ts";
import { contractFolders } from "./contract-folders.support.ts";

const { file, folderOf } = contractFolders();

const text = { type: "string" };
const order = (properties: object, required: readonly string[] = ["id"]): object => ({
  type: "object",
  properties: { id: text, ...properties },
  required,
  additionalProperties: false,
});
const line = (properties: object): object => ({ type: "array", items: { type: "object", properties } });

const proto = (fields: string): string => `syntax = "proto3"; package a; message M { ${fields} }`;
const tree = (members: object): object => ({
  $ref: "#/$defs/node",
  $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" }, ...members } } },
});

const schema = (more: object): string => JSON.stringify({ ...order({ note: text }), ...more });
const formatted = (format: string): string => JSON.stringify({ type: "string", format });

const history = {
  "order/1.0.schema.json": order({ note: text, state: { enum: ["open", "shut"] }, lines: line({ sku: text }) }),
  "order/1.1.schema.json": order({
    note: text,
    state: { enum: ["open", "shut", "lost"] },
    lines: line({ sku: text, count: { type: "integer" } }),
    paid: { type: "boolean" },
  }),
  "order/2.0.schema.json": order({ state: { enum: ["open"] }, paid: { type: "boolean" } }, ["id", "paid"]),
};

async function changelog(folder: string, ...args: readonly string[]): Promise<string> {
  const { terminal } = await sobre("contract", "changelog", "-s", folder, ...args);
  return terminal.text();
}

describe("sobre contract changelog", () => {
  it("names what each version added and changed, newest version first", async () => {
    const written = await changelog(folderOf(history));

    expect(written).toContain(
      "### 1.0 → 1.1: safe\n\n#### Added\n\n- `/lines/*/count`\n- `/paid`\n\n#### Changed\n\n- `/state`\n",
    );
    expect(written.indexOf("### 1.1 → 2.0: breaking")).toBeLessThan(written.indexOf("### 1.0 → 1.1"));
  });

  it("names what a version removed, and what breaks with its path in the witness", async () => {
    const written = await changelog(folderOf(history), "order", "--from", "1.1");

    expect(written).toContain("#### Changed\n\n- `/state`\n- `/paid`\n");
    expect(written).toContain("#### Removed\n\n- `/note`\n- `/lines`\n");
    expect(written).toMatch(/^- `member-required` at `\/`: The reader requires the member "paid"/m);
    expect(written).toMatch(/^- `values-narrowed` at `\/state`: /m);
    expect(written).not.toContain("1.0 → 1.1");
  });

  it("has no value of a witness", async () => {
    const secret = { type: "object", properties: { pin: { type: "string", enum: ["4711-secret"] } } };
    const folder = folderOf({
      "card/1.0.schema.json": secret,
      "card/1.1.schema.json": { ...secret, properties: { pin: { type: "integer" } } },
    });

    expect(await changelog(folder)).toMatch(/^- `type-narrowed` at `\/pin`/m);
    expect(await changelog(folder)).not.toContain("4711");
  });

  it("ends with exit code 0, since a break in the history is not a failure", async () => {
    expect((await sobre("contract", "changelog", "-s", folderOf(history))).code).toBe(0);
  });

  it("ends with the version that --to names", async () => {
    expect(await changelog(folderOf(history), "--to", "1.1")).not.toContain("2.0");
  });

  it("lists fields of Protobuf by number, so that a new name is a change", async () => {
    const folder = folderOf({
      "m/1.0.proto": proto("string id = 1; string note = 2; int32 gone = 3;"),
      "m/1.1.proto": `${proto("string id = 1; string remark = 2; bool paid = 4;")} enum E { NONE = 0; }`,
    });

    const written = await changelog(folder);

    expect(written).toContain("#### Added\n\n- `a.M.paid (4)`\n- `a.E`\n");
    expect(written).toContain("#### Changed\n\n- `a.M.note (2) → a.M.remark (2)`\n");
    expect(written).toContain("#### Removed\n\n- `a.M.gone (3)`\n");
    expect(written).toMatch(/^- `field-renamed` at `a\.M\.note`/m);
  });

  it("follows references, and ends where a schema refers to itself", async () => {
    const folder = folderOf({ "tree/1.0.schema.json": tree({}), "tree/1.1.schema.json": tree({ name: text }) });

    expect(await changelog(folder)).toContain("#### Added\n\n- `/name`\n");
    expect(await changelog(folder)).not.toContain("/child");
  });

  it("says so where versions differ in descriptions at most", async () => {
    const folder = folderOf({
      "order/1.0.schema.json": order({}),
      "order/1.1.schema.json": { ...order({}), description: "An order." },
    });

    expect(await changelog(folder)).toBe(
      "# Changelog\n\n## order\n\n### 1.0 → 1.1: safe\n\nNo difference in what is declared.\n",
    );
  });

  it("names a change of the format between majors", async () => {
    const folder = folderOf({ "m/1.0.schema.json": order({}), "m/2.0.proto": 'syntax = "proto3"; message M {}' });

    expect(await changelog(folder)).toContain("- The format was json-schema and is protobuf.");
  });

  it.each([
    ["an unknown subject", ["invoice"], "invoice is not a subject"],
    ["an unknown version", ["order", "--from", "0.9"], "order has no version 0.9"],
    ["a single version", ["order", "--from", "2.0"], "order has no two versions to compare"],
  ])("refuses %s", async (_, args, message) => {
    const { code, terminal } = await sobre("contract", "changelog", "-s", folderOf(history), ...args);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(message);
  });
});

describe("the next version that a report suggests", () => {
  it.each([
    ["major", "for a break", "json", schema({}), schema({ required: ["id", "note"] })],
    ["major", "while nothing is proven", "json", formatted("json-pointer"), formatted("uri-reference")],
    ["minor", "for a difference that is read", "json", schema({ required: ["id", "note"] }), schema({})],
    ["none", "for another description", "json", schema({}), schema({ description: "An order." })],
    ["minor", "for a new field", "proto", proto("int32 a = 1;"), proto("int32 a = 1; int32 b = 2;")],
    ["minor", "for a reserved number", "proto", proto("int32 a = 1;"), proto("int32 a = 1; reserved 2;")],
    ["none", "for a comment", "proto", proto("int32 a = 1;"), proto("int32 a = 1; // The amount.\n")],
  ])("is %s %s in a .%s file", async (next, _, kind, before, after) => {
    const [older, newer] = [file(`older.${kind}`, before), file(`newer.${kind}`, after)];

    const shown = async (...args: readonly string[]): Promise<string> =>
      (await sobre("contract", "compat", older, newer, ...args)).terminal.text();

    expect(await shown()).toContain(`    next version: ${next}\n`);
    expect(JSON.parse(await shown("-f", "json"))).toMatchObject({ pairs: [{ nextVersion: next }] });
    for (const format of ["junit", "github", "sarif", "markdown"])
      expect(await shown("-f", format)).toContain(`next version: ${next}`);
  });

  it.each([
    ["a break under a minor version", "order/1.1.schema.json", ["next version: major"]],
    ["a new major", "order/2.0.schema.json", []],
  ])("is said by check for %s", async (_, name, expected) => {
    const folder = folderOf({ "order/1.0.schema.json": schema({}), [name]: schema({ required: ["id", "note"] }) });

    for (const format of ["text", "github", "markdown"]) {
      const { terminal } = await sobre("contract", "check", "-s", folder, "-f", format);

      expect(terminal.text().match(/next version: \w+/g) ?? []).toEqual(expected);
    }
  });
});
