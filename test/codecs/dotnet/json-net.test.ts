import { describe, expect, it } from "vitest";
import { readJson } from "../../../codecs/dotnet/json/read-json.ts";
import { jsonNet } from "../../../codecs/dotnet/index.ts";
import { resolveDecodeLimits } from "../../../src/core/codec/limits.ts";
import { collectJson } from "../../../src/migration/verify/json-values.ts";
import { SourceValues } from "../../../src/migration/verify/source-values.ts";
import { scratchFolder, sobre } from "../../cli/calls.support.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "../../refusal.support.ts";
import { decode, shown } from "./decoding.support.ts";

const { scratch, file } = scratchFolder();
const reader = jsonNet();
const order = JSON.stringify({
  $id: "1",
  $type: "Shop.Order, Shop",
  Customer: { $id: "2", $type: "Shop.Customer, Shop", Name: "Lucía", Orders: { $id: "3", $values: [{ $ref: "1" }] } },
  Lines: {
    $type: "System.Collections.Generic.List`1[[Shop.Line, Shop]], mscorlib",
    $values: [
      { $type: "Shop.Line, Shop", Qty: 2, Price: 1.5 },
      { $type: "Shop.Gift, Shop", Qty: 1, For: { $ref: "2" } },
    ],
  },
  Raw: { $type: "System.Byte[], mscorlib", $value: "AQI=" },
  Tags: { $type: "System.Collections.Generic.Dictionary`2[[System.String],[System.Int32]], mscorlib", a: 1 },
});
const plain = order.replace('{"$ref":"1"}', '"none"');

describe("JSON with the metadata of Json.NET", () => {
  it("is read with its types, lists and references, cycles included", () => {
    const decoded = decode(reader, order);
    const body: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object("body" in decoded && decoded.body);

    expect(Reflect.get(Object(body["Customer"]?.["Orders"]), 0)).toBe(body);
    expect(body["Lines"]?.[1]).toMatchObject({ For: body["Customer"] });
    expect("typeName" in decoded && decoded.typeName).toBe("Shop.Order");
    expect(shown(reader, '{"$type":"A.B, A","x":1}')).toEqual({ $type: "A.B", x: 1 });
    expect(shown(reader, order.replace("AQI=", "no base64"))).toMatchObject({ Raw: "no base64" });
  });

  it.each([
    ['{"a":1}', "has no metadata"],
    ['{"$id":"1","a":{"$ref":"2"}}', "does not come before it"],
  ])("refuses %s, which is other JSON", (text, message) => {
    expect(refusal(() => decode(reader, text))).toMatchObject({
      code: "DecodeFailed",
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['{"$id":"1","a":{"$ref":"1","Qty":2}}', '"Qty"'],
    ['{"$id":"1","a":{"$ref":"1","$id":"2"}}', '"$id":"2"'],
    ['{"$type":"A","$values":[1],"Qty":2}', '"Qty"'],
    ['{"$type":5,"$id":"1","$values":[1]}', '"$type"'],
    ['{"$type":"A","$value":7,"Qty":2}', '"Qty"'],
    ['{"$values":[1],"$value":7}', '"$value"'],
  ])("refuses %s at %s, which would be lost", (text, member) => {
    expect(refusal(() => decode(reader, text))).toMatchObject({
      code: "DecodeFailed",
      offset: text.indexOf(member),
    });
  });

  it("keeps members with the names of metadata and values of another kind, and verifies them", async () => {
    const text = '{"$id":"1","$type":3,"a":{"$id":4,"$values":5},"b":{"$ref":6},"c":{"$value":[7]}}';

    const { code, terminal } = await sobre("migrate", file("kinds.json", text), "--input", "payloads", "--json-net");

    expect(decode(reader, text)).toEqual({
      body: { $type: 3, a: { $id: 4, $values: 5 }, b: { $ref: 6 }, c: { $value: [7] } },
    });
    expect([code, terminal.text()]).toEqual([0, expect.stringContaining("Clean")]);
  });

  it("is verified without passing over members besides metadata", () => {
    const text = '{"$id":"1","a":{"$ref":"1","b":2},"c":{"$values":[3],"d":4},"e":{"$value":5,"f":6},"g":{"$type":7}}';
    const values = new SourceValues();

    collectJson(
      readJson(text, resolveDecodeLimits({}), (index) => index),
      values,
      { typed: false, jsonNet: true },
    );

    expect(values.isShared).toBe(false);
    expect(values.values.map(({ path }) => path).toSorted()).toEqual([
      "$.a.$ref",
      "$.a.b",
      "$.c.$values[]",
      "$.c.d",
      "$.e.$value",
      "$.e.f",
      "$.g.$type",
    ]);
  });

  it("is resolved by migrate and decode on demand, and verified against its tokens", async () => {
    const path = file("order.json", plain);
    const out = join(scratch, "out.ndjson");
    const options = ["--input", "payloads", "--json-net", "--type-member", "kind", "--report", join(scratch, "r.json")];

    const asWritten = await sobre("decode", path);
    const resolved = await sobre("decode", path, "--json-net", "--content-type", "application/json");
    const { code } = await sobre("migrate", path, "--out", out, ...options);

    expect(asWritten.terminal.text()).toContain("$values");
    expect(resolved.terminal.text()).toMatch(/read by json-net[^]*"\$type": "Shop\.Order"/);
    expect(code).toBe(5);
    expect(JSON.parse(readFileSync(join(scratch, "r.json"), "utf8"))).toMatchObject({
      losses: [{ kind: "shared-reference" }, { kind: "shared-reference" }],
    });
    const { payload }: { readonly payload: string } = JSON.parse(readFileSync(out, "utf8"));
    expect(JSON.parse(payload)).toEqual({
      kind: "Order",
      Customer: { kind: "Customer", Name: "Lucía", Orders: ["none"] },
      Lines: [
        { kind: "Line", Qty: 2, Price: 1.5 },
        { kind: "Gift", Qty: 1, For: { kind: "Customer", Name: "Lucía", Orders: ["none"] } },
      ],
      Raw: "AQI=",
      Tags: { a: 1 },
    });
  });

  it("is clean without references", async () => {
    const path = file("line.json", '{"$type":"Shop.Line, Shop","Qty":2,"Of":{"$values":[1,2.50]},"Raw":{"$value":7}}');

    const { code, terminal } = await sobre("migrate", path, "--input", "payloads", "--json-net");

    expect([code, terminal.text()]).toEqual([0, expect.stringContaining("Clean")]);
  });
});
