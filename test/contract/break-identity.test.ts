import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";
import { seeded } from "../random.support.ts";
import { plantBreaks } from "./planted-breaks.support.ts";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});
const text = { type: "string" };
const integer = { type: "integer" };
const kind = (name: string, more: object) => object({ kind: { const: name }, ...more });

const union = (x: object, y: object) => ({ oneOf: [kind("a", { x }), kind("b", { y })] });

const tree = (v: object) => ({
  ...object({ a: { $ref: "#/$defs/n" }, b: { $ref: "#/$defs/n" } }),
  $defs: { n: { type: "object", properties: { v, kids: { type: "array", items: { $ref: "#/$defs/n" } } } } },
});

const number = (more: object) => ({ type: "object", properties: { n: { type: "number", ...more } } });

/** The hashes of the findings by the reader's pointer, and the verdict on the rest. */
async function breaks(older: unknown, newer: unknown) {
  const { findings, rest } = await checkCompatibility({ format: "json-schema", older, newer });
  return { hashes: findings.map(({ newerPointer, hash }) => `${newerPointer} ${hash}`).toSorted(), rest };
}

const at = (pointer: string) => expect.stringMatching(new RegExp(`^${pointer.replaceAll("$", "\\$")} [0-9a-f]{64}$`));

describe("a second break", () => {
  it.each(["anyOf", "oneOf"])("in another alternative of %s has a finding of its own", async (keyword) => {
    const writer = { [keyword]: [object({ x: text }), object({ y: text })] };
    const one = await breaks(writer, { [keyword]: [object({ x: integer }), object({ y: text })] });
    const two = await breaks(writer, { [keyword]: [object({ x: integer }), object({ y: integer })] });

    const first = `#/${keyword}/0/properties/x/type`;
    expect(one.hashes).toContainEqual(at(first));
    expect(two).toEqual({ hashes: [at(first), at(`#/${keyword}/1/properties/y/type`)], rest: "safe" });
    expect(one.hashes).toContain(two.hashes[0]);
  });

  it("in another alternative with a discriminator has a finding of its own", async () => {
    const one = await breaks(union(text, text), union(integer, text));
    const two = await breaks(union(text, text), union(integer, integer));

    expect(two).toEqual({
      hashes: [one.hashes[0], at("#/oneOf/1/properties/y/type")],
      rest: "safe",
    });
  });

  it("where a definition is used a second time has a finding of its own", async () => {
    const uses = (v: object, b: object = { $ref: "#/$defs/d" }) => ({
      ...object({ a: { $ref: "#/$defs/d" }, b }),
      $defs: { d: object({ v }) },
    });
    const one = await breaks(uses(text, object({ v: integer })), uses(integer));
    const two = await breaks(uses(text), uses(integer));

    expect(one).toEqual({ hashes: [at("#/$defs/d/properties/v/type")], rest: "safe" });
    expect(two.hashes).toHaveLength(2);
    expect(new Set(two.hashes).size).toBe(2);
    expect(two.hashes).toContain(one.hashes[0]);
  });

  it("at every depth of a recursive definition is one, and one more for another use of it", async () => {
    expect(await breaks(tree(text), tree(integer))).toEqual({
      hashes: [at("#/$defs/n/properties/v/type"), at("#/$defs/n/properties/v/type")],
      rest: "safe",
    });
  });

  it.each<readonly [string, (values: readonly string[]) => object]>([
    ["not", (values) => ({ not: { properties: { a: { enum: values } } } })],
    ["contains", (values) => ({ properties: { a: text, l: { contains: { enum: values } } } })],
    ["propertyNames", (values) => ({ propertyNames: { not: { enum: values } } })],
    ["a list of other values", (values) => ({ properties: { a: { enum: values } } })],
  ])("within the same %s changes the hash", async (_, reader) => {
    const writer = { type: "object", properties: { a: text, l: { type: "array" } } };
    const one = await breaks(writer, { ...writer, ...reader(["a"]) });
    const two = await breaks(writer, { ...writer, ...reader(["a", "l"]) });

    expect(one.hashes.length * two.hashes.length).toBeGreaterThan(0);
    expect(two.hashes.filter((hash) => one.hashes.includes(hash))).toEqual([]);
  });

  it("behind the same condition has a finding of its own", async () => {
    const writer = object({ k: text, a: text, b: text });
    const given = (then: object) => ({
      ...writer,
      if: { properties: { k: { const: "q" } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: then },
    });
    const one = await breaks(writer, given({ a: integer }));
    const two = await breaks(writer, given({ a: integer, b: integer }));

    expect(two).toEqual({ hashes: [one.hashes[0], at("#/then/properties/b/type")], rest: "safe" });
  });

  it("of a wider writer at the same place changes the hash", async () => {
    const one = await breaks(number({ minimum: 0 }), number({ minimum: 5 }));
    const two = await breaks(number({ minimum: -5 }), number({ minimum: 5 }));

    expect(one.hashes).not.toEqual(two.hashes);
  });
});

describe("a break", () => {
  it("keeps its hash where members come in another order, or texts about them change", async () => {
    const one = await breaks({ properties: { a: text, b: text } }, { properties: { a: integer, b: text } });
    const two = await breaks(
      { title: "x", properties: { b: text, a: { description: "y", ...text } } },
      { properties: { b: text, a: integer } },
    );

    expect(two.hashes).toEqual(one.hashes);
  });

  it("is found in schemas made by code, where several places are one object", async () => {
    const shared = object({ v: integer });

    expect(
      (await breaks(object({ a: object({ v: text }), b: object({ v: text }) }), object({ a: shared, b: shared })))
        .hashes,
    ).toEqual([at("#/properties/a/properties/v/type"), at("#/properties/b/properties/v/type")]);
  });

  it("has the hash that it has alone, whatever other breaks there are: waiving all but one leaves that one", async () => {
    let planted = 0;
    for (let seed = 0; seed < 10; seed++) planted += await plantBreaks(seeded(seed));

    expect(planted).toBeGreaterThan(25);
  });
});
