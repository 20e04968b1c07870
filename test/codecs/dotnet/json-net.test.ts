import { describe, expect, it } from "vitest";
import { jsonNet } from "../../../codecs/dotnet/index.ts";
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
