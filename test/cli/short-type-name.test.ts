import { describe, expect, it } from "vitest";
import { shortTypeName } from "../../src/cli/display.ts";

describe("the short name of a type", () => {
  it.each([
    ["{urn:orders:v1}Order", "Order"],
    ["Order", "Order"],
    ["java.util.LinkedHashMap", "LinkedHashMap"],
    ["com.acme.Shop$Order", "Shop$Order"],
    [
      "System.Collections.Generic.List`1[[Acme.Line, Acme, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null]]",
      "List<Line>",
    ],
    ["System.Int32[]", "Int32[]"],
    ["shop.Order", "Order"],
  ])("of %s is %s", (name, short) => {
    expect(shortTypeName(name)).toBe(short);
  });
});
