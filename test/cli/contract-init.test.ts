import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { envelopeToJson } from "../../src/core/envelope/index.ts";
import { scratchFolder, sobre } from "./calls.support.ts";

const { scratch, file } = scratchFolder();
let folders = 0;

function schemasFolder(): string {
  return join(scratch, `schemas-${folders++}`);
}

function schemaIn(folder: string, path: string): unknown {
  return JSON.parse(readFileSync(join(folder, path), "utf8"));
}

const urlOf = (name: string): string => JSON.stringify(import.meta.resolve(name));

/** A module with a message type, whose newest version may have more members. */
const typed = (extra: string): string => `
  import { defineMessage } from ${urlOf("../../src/index.ts")};
  import { jsonSchema } from ${urlOf("../../src/core/json-schema/index.ts")};
  export default defineMessage("shop.order", {
    1: jsonSchema({ type: "object", properties: { total: { type: "number" } } }),
    2: jsonSchema({ type: "object", properties: { cents: { type: "integer" } ${extra} } }),
  }, { upcast: { 1: ({ total }) => ({ cents: total * 100 }) } });`;

describe("sobre contract init", () => {
  it.each([
    ["zod", `import { z } from ${urlOf("zod")}; export const order = z.object({ id: z.string() });`],
    ["arktype", `import { type } from ${urlOf("arktype")}; export const order = type({ id: "string" });`],
    [
      "no library",
      'export const order = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };',
    ],
  ])("starts from a schema of %s", async (library, text) => {
    const schemas = schemasFolder();
    const module = file(`order-${library.replace(" ", "-")}.mjs`, text);

    const { code, terminal } = await sobre("contract", "init", "--schemas", schemas, "--from", module);

    expect(code).toBe(0);
    expect(terminal.text()).toContain("1.0.schema.json");
    expect(schemaIn(schemas, "order/1.0.schema.json")).toMatchObject({
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
    });
    expect(existsSync(join(schemas, "order/subject.json"))).toBe(true);
  });

  it.each<readonly [string, string, string]>([
    [
      "date of zod",
      `import { z } from ${urlOf("zod")}; export const order = z.object({ at: z.date() });`,
      "order: zod has no JSON Schema for this type: Date cannot be represented in JSON Schema.",
    ],
    [
      "message type with a bigint of zod",
      `import { z } from ${urlOf("zod")}; import { defineMessage } from ${urlOf("../../src/index.ts")};
       export const Order = defineMessage("shop.order", { 1: z.object({ n: z.bigint() }) });`,
      "shop.order, version 1: zod has no JSON Schema for this type: BigInt cannot be represented in JSON Schema.",
    ],
  ])("says in one line what a %s lacks", async (what, text, words) => {
    const module = file(`no-${what.replaceAll(" ", "-")}.mjs`, text);

    const { code, terminal } = await sobre("contract", "init", "--schemas", schemasFolder(), "--from", module);

    expect(code).toBe(4);
    expect(terminal.errors()).toContain(words);
    expect(terminal.errors().trimEnd().split("\n")).toHaveLength(1);
  });

  it("asks for the converter of a library that needs one, and uses it once it is there", async () => {
    const module = file(
      "stock.mjs",
      `import * as v from ${urlOf("valibot")}; export default v.object({ sku: v.string() });`,
    );
    const init = () => sobre("contract", "init", "--schemas", schemas, "--from", module);
    const schemas = schemasFolder();

    const without = await init();
    mkdirSync(join(scratch, "node_modules/@valibot/to-json-schema"), { recursive: true });
    file("node_modules/@valibot/to-json-schema/package.json", '{ "type": "module", "exports": "./index.js" }');
    file(
      "node_modules/@valibot/to-json-schema/index.js",
      "export const toJsonSchema = ({ type }) => ({ title: `of ${type}` });",
    );
    const withIt = await init();

    expect([without.code, withIt.code]).toEqual([2, 0]);
    expect(without.terminal.errors()).toContain("install @valibot/to-json-schema");
    expect(schemaIn(schemas, "stock/1.0.schema.json")).toEqual({ title: "of object" });
  });

  it("writes every version of a message type, and next time only what changed", async () => {
    const schemas = schemasFolder();
    const from = (path: string) => sobre("contract", "init", "--schemas", schemas, "--from", path);

    const first = await from(file("type-a.mjs", typed("")));
    const again = await from(file("type-b.mjs", typed("")));
    const changed = await from(file("type-c.mjs", typed(", note: { type: 'string' }")));

    expect([first.code, again.code, changed.code]).toEqual([0, 0, 0]);
    expect(again.terminal.text()).toContain("shop.order: unchanged");
    expect(schemaIn(schemas, "shop.order/1.0.schema.json")).toMatchObject({
      properties: { total: { type: "number" } },
    });
    expect(existsSync(join(schemas, "shop.order/1.1.schema.json"))).toBe(false);
    expect(schemaIn(schemas, "shop.order/subject.json")).toMatchObject({ policy: { contentModel: "upcast" } });
    expect(schemaIn(schemas, "shop.order/2.1.schema.json")).toMatchObject({ properties: { note: { type: "string" } } });
  });

  it("names the line of captured messages that is not an envelope", async () => {
    const captured = file("lines.ndjson", '\n{"payload":{"id":"a"}}\n');

    const { code, terminal } = await sobre("contract", "init", "--schemas", schemasFolder(), "--messages", captured);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain("lines.ndjson, line 2: $.payload");
  });

  it("infers a schema for each type and version that captured messages name", async () => {
    const schemas = schemasFolder();
    const serializer = createSerializer({ codecs: [json(), msgpack()] });
    const line = (body: unknown, contentType: string): string =>
      JSON.stringify(
        envelopeToJson(
          serializer.serialize({
            body,
            contentType,
            applicationProperties: { "sobre-type": "scan", "sobre-version": 3 },
          }),
        ),
      );
    const captured = file(
      "captured.ndjson",
      [
        line({ id: "a", lines: [{ n: 1 }], at: new Date(0), raw: new Uint8Array([1]) }, "application/vnd.msgpack"),
        line({ id: "b", lines: [{ n: 1.5, note: null }], at: "2026-01-01T00:00:00Z", raw: "AQ==" }, "application/json"),
        "",
      ].join("\n"),
    );

    const { code } = await sobre("contract", "init", "--schemas", schemas, "--messages", captured);

    expect(code).toBe(0);
    expect(schemaIn(schemas, "scan/3.0.schema.json")).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        id: { type: "string" },
        lines: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "number" }, note: { type: "null" } },
            required: ["n"],
          },
        },
        at: { type: "string", format: "date-time" },
        raw: { type: "string" },
      },
      required: ["id", "lines", "at", "raw"],
    });
  });

  it.each([
    ["a file that is not there", ["--from", "nowhere.mjs"], "cannot be loaded"],
    ["a module without schemas", ["--from", file("empty.mjs", "export const a = 1;")], "exports no schema"],
    ["a line that is no JSON", ["--messages", file("plain.ndjson", "{")], "line 1: it is not JSON"],
    [
      "a name that leads out of the folder",
      ["--from", file("evil.mjs", 'export const x = { type: "null" };'), "--subject", "../out"],
      "is not a valid name",
    ],
  ])("refuses %s", async (_, args, said) => {
    const { code, terminal } = await sobre("contract", "init", "--schemas", schemasFolder(), ...args);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(said);
  });
});
