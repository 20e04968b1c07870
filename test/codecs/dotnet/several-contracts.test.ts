import { describe, expect, it } from "vitest";
import { type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { parseContentType } from "../../../src/core/content-type/content-type.ts";
import { annotate } from "../../../src/core/values/annotations.ts";
import { refusal } from "../../refusal.support.ts";
import { decode } from "./decoding.support.ts";

const line = {
  "x-dotnet": { namespace: "urn:orders" },
  properties: { Sku: { type: "string" }, Qty: { type: "integer" } },
};
const contracts: readonly DotnetContract[] = [
  {
    $ref: "#/$defs/Order",
    $defs: {
      Order: {
        "x-dotnet": { namespace: "urn:orders", clrName: "Acme.Order" },
        properties: { Id: { "x-dotnet": "guid" }, Lines: { items: { $ref: "#/$defs/Line" } } },
      },
      Line: line,
    },
  },
  {
    $defs: {
      Customer: { "x-dotnet": { namespace: "urn:people" }, properties: { Name: { type: "string" } } },
      Person: { "x-dotnet": { namespace: "urn:people" }, properties: { Name: { type: "string" } } },
      Line: line,
    },
  },
];
const codec = nbfx({ contracts });

function written(body: unknown, contentType?: string): readonly [typeName: string | undefined, body: unknown] {
  const type = contentType === undefined ? undefined : parseContentType(contentType);
  const decoded = decode(codec, codec.encode(body, { contentType: type, applicationProperties: {} }).payload);
  return "body" in decoded ? [decoded.typeName, decoded.body] : [undefined, undefined];
}

describe("the writer with several contracts", () => {
  it.each(["Person", "{urn:people}Person"])("writes the type that the content type names: %s", (name) => {
    expect(written({ Name: "Ana" }, `application/x-nbfx; messageType="${name}"`)).toEqual([
      "{urn:people}Person",
      { Name: "Ana" },
    ]);
  });

  it("takes CLR names, too", () => {
    const [typeName] = written({ Lines: [] }, "application/x-nbfx; messageType=Acme.Order");

    expect(typeName).toBe("{urn:orders}Order");
  });

  it("writes a value as the type that it was read as", () => {
    expect(written(annotate({ Name: "Ana" }, { typeName: "{urn:people}Customer" }))[0]).toBe("{urn:people}Customer");
  });

  it("writes the only class with exactly the members of a value, which several contracts may describe", () => {
    expect(written({ Sku: "a-1", Qty: 2 })).toEqual(["{urn:orders}Line", { Sku: "a-1", Qty: 2 }]);
  });

  it("writes scalars by their own type", () => {
    expect(written("text")[1]).toBe("text");
    expect(written(5)[1]).toBe(5);
  });

  it.each<readonly [body: unknown, contentType: string | undefined, message: string]>([
    [
      { Name: "Ana" },
      undefined,
      "The value at $ fits 2 types of the contracts. Name one by the content-type parameter messageType: Order, Line, Customer, Person",
    ],
    [{ Other: 1 }, undefined, "The value at $ fits none of the contracts"],
    [[1], undefined, "The value at $ fits none of the contracts"],
    [{ Name: "Ana" }, "application/x-nbfx; messageType=Nobody", "No contract has the type Nobody"],
  ])("refuses what it would have to guess: %j %s", (body, contentType, message) => {
    const refused = refusal(() => written(body, contentType));

    expect(refused).toMatchObject({ code: "UnsupportedValue", message: expect.stringContaining(message) });
  });
});
