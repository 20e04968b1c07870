import { describe, expect, it } from "vitest";
import { checkEntityName, parseAddress } from "../../../src/core/engine/address.ts";

describe("an address", () => {
  it("is cut before its case is folded, since some letters have another length in lower case", () => {
    const { key, name, subQueue } = parseAddress("aİ/$DeadLetterQueue");

    expect({ name, subQueue }).toEqual({ name: "aİ", subQueue: "deadLetter" });
    expect(key).toBe("aİ".toLowerCase());
  });
});

describe("the name of an entity", () => {
  it.each(["a//b", "a/../b", "a..b"])("cannot be %s", (name) => {
    expect(() => checkEntityName(name)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });

  it.each(["a/b", "a.b", "a"])("can be %s", (name) => {
    expect(() => checkEntityName(name)).not.toThrow();
  });
});
