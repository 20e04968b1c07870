import { cpSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readMessageType, writeMessageType } from "../../src/contract/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";
import { jsonSchemaOf } from "../../src/contract/subjects/schema-source.ts";
import { refusal } from "../refusal.support.ts";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";

const schemas = fileURLToPath(new URL("../../schemas", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sobre-schemas-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const Order = defineMessage(
  "acme.order",
  {
    1: jsonSchema({ type: "object", properties: { total: { type: "number" } }, required: ["total"] }),
    2: z.object({ cents: z.int() }),
  },
  { upcast: { 1: ({ total }) => ({ cents: total * 100 }) } },
);

describe("a message type in files", () => {
  it("is read from a subject's folder: each major a version, its greatest minor the schema", async () => {
    const Placed = readMessageType("schemas", "orders.placed");
    const schema: unknown = JSON.parse(readFileSync(join(schemas, "orders.placed/1.1.schema.json"), "utf8"));

    expect(Placed).toMatchObject({ name: "orders.placed", versions: [1] });
    expect(jsonSchemaOf(Placed.schemaOf(1))).toEqual(schema);
    expect(refusal(() => Placed.read("no order", 1)).code).toBe("ValidationFailed");
  });

  it("is written and read again as the same type", async () => {
    const written = writeMessageType(folder, Order);

    const Again = readMessageType<{ readonly cents: number }>(folder, "acme.order", {
      upcast: { 1: ({ total }: { readonly total: number }) => ({ cents: total * 100 }) },
    });

    expect(written).toEqual(["acme.order/1.0.schema.json", "acme.order/2.0.schema.json"]);
    expect(Again.versions).toEqual([1, 2]);
    expect(await Again.read({ total: 1.5 }, 1)).toEqual({ cents: 150 });
    expect(refusal(() => Again.read({ cents: 1.5 }, 2))).toMatchObject({ code: "ValidationFailed", path: "$.cents" });
  });

  it("leaves what was released as it is, and writes what has changed as the next minor", () => {
    writeMessageType(folder, Order);
    const released = readFileSync(join(folder, "acme.order/2.0.schema.json"), "utf8");
    const Changed = defineMessage("acme.order", { 2: z.object({ cents: z.int(), note: z.string().optional() }) });

    const again = writeMessageType(folder, Order);
    const changed = writeMessageType(folder, Changed);

    expect(again).toEqual([]);
    expect(changed).toEqual(["acme.order/2.1.schema.json"]);
    expect(writeMessageType(folder, Changed)).toEqual([]);
    expect(readFileSync(join(folder, "acme.order/2.0.schema.json"), "utf8")).toBe(released);
  });

  it("counts minors as numbers", () => {
    mkdirSync(join(folder, "a"));
    for (const minor of [2, 9, 10]) writeFileSync(join(folder, `a/1.${minor}.schema.json`), `{"const":${minor}}`);
    const Ten = defineMessage("a", { 1: jsonSchema({ const: 10 }) });

    expect(writeMessageType(folder, Ten)).toEqual([]);
    expect(readMessageType(folder, "a").read(10, 1)).toBe(10);
    expect(writeMessageType(folder, defineMessage("a", { 1: jsonSchema({ const: 11 }) }))).toEqual([
      "a/1.11.schema.json",
    ]);
  });

  it.each<readonly [string, (path: string) => unknown, string]>([
    ["a folder that is not there", (path) => readMessageType(path, "lost"), "Cannot read the folder"],
    ["a subject that leads elsewhere", (path) => readMessageType(path, "../orders.placed"), "must be a folder inside"],
    [
      "a type whose name leads elsewhere",
      (path) => writeMessageType(path, defineMessage("../up", { 1: jsonSchema(true) })),
      "inside",
    ],
    ["a file that is no JSON", (path) => readMessageType(path, "broken"), "broken/1.0.schema.json is not JSON"],
    [
      "a file that is no schema",
      (path) => readMessageType(path, "list"),
      "list/1.0.schema.json does not contain a JSON Schema",
    ],
    ["a subject of other schemas", (path) => readMessageType(path, "stock.moved"), "at least one version"],
    [
      "a library without JSON Schema",
      (path) => writeMessageType(path, defineMessage("a", { 1: v.string() })),
      "valibot",
    ],
  ])("refuses %s", (_what, act, told) => {
    cpSync(join(schemas, "stock.moved"), join(folder, "stock.moved"), { recursive: true });
    for (const [name, text] of [
      ["broken", "{"],
      ["list", "[]"],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "1.0.schema.json"), text);
    }

    const error = refusal(() => act(folder));

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain(told);
  });
});
