import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown, budget?: number) =>
  checkCompatibility({ format: "json-schema", older, newer, ...(budget === undefined ? {} : { budget }) });

const address = (...required: readonly string[]) => ({
  type: "object",
  properties: { city: { type: "string" }, zip: { type: "string" } },
  required,
});

const order = (at: object, states: readonly string[]) => ({
  type: "object",
  properties: { from: at, to: at, state: { enum: states }, lines: { type: "array", items: at } },
  required: ["from", "to", "state"],
});

const variant = (kind: string, ...required: readonly string[]) => ({
  type: "object",
  properties: { kind: { const: kind }, id: { type: "string" }, note: { type: "string" } },
  required: ["kind", ...required],
});

const union = (count: number, more: (at: number) => object = () => ({})) => ({
  oneOf: Array.from({ length: count }, (_, at) => ({
    type: "object",
    properties: { kind: { const: `kind-${at}` }, id: { type: "string" }, ...more(at) },
    required: ["kind", "id"],
  })),
});

/** A tenth of the default. */
const fewSteps = 1_000_000;

const wide = (count: number, more: object = {}, required = 0) => ({
  type: "object",
  required: Array.from({ length: required }, (_, at) => `p${at}`),
  properties: {
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string", maxLength: at + 1 }])),
    ...more,
  },
});

/** A union of variants that share the names of their members, as zod's `discriminatedUnion` of strict objects. */
const bounded = (count: number, isReversed = false): object => {
  const variants = Array.from({ length: count }, (_, at) => ({
    type: "object",
    properties: {
      kind: { type: "string", const: `kind-${at}` },
      ...Object.fromEntries(Array.from({ length: 10 }, (__, of) => [`n${of}`, { type: "integer", minimum: at }])),
    },
    required: ["kind", "n0"],
    additionalProperties: false,
  }));
  return { oneOf: isReversed ? variants.toReversed() : variants };
};

describe("the findings of a pair", () => {
  it("lists every break of a pair, one after another and in several places of a schema", async () => {
    const { findings, rest } = await compare(
      order(address("city"), ["new", "paid", "sent"]),
      order(address("city", "zip"), ["new"]),
    );

    expect(
      findings.map(({ newerPointer, witness }) => [newerPointer, Reflect.get(Object(witness?.value), "state")]),
    ).toEqual(
      expect.arrayContaining([
        ["#/properties/from/required", "new"],
        ["#/properties/to/required", "new"],
        ["#/properties/lines/items/required", "new"],
        ["#/properties/state/enum", "paid"],
        ["#/properties/state/enum", "sent"],
      ]),
    );
    expect(findings).toHaveLength(5);
    expect(rest).toBe("safe");
  });

  it("knows a break by the same hash whether or not there are others", async () => {
    const older = { type: "object", properties: { id: { type: "string" }, total: { type: "number" } } };
    const narrowed = { ...older, properties: { ...older.properties, total: { type: "integer" } } };

    const [one, two] = [await compare(older, narrowed), await compare(older, { ...narrowed, required: ["id"] })];

    expect(two.findings.map(({ hash }) => hash)).toContain(one.findings[0]?.hash);
    expect(two.findings).toHaveLength(2);
  });

  it("names the variant of a union that is gone, and the member that another one has lost", async () => {
    const older = { oneOf: [variant("sent", "id"), variant("paid", "id"), variant("late")] };
    const newer = { oneOf: [variant("sent", "id"), variant("late", "note")] };

    const { findings, rest } = await compare(older, newer);

    expect(findings.map(({ code, message, newerPointer }) => [code, message.slice(0, 60), newerPointer])).toEqual([
      ["variant-removed", 'The reader has no variant for kind "paid" at the message its', "#/oneOf"],
      ["member-required", 'The reader requires the member "note" of the message itself,', "#/oneOf/1/required"],
    ]);
    expect(rest).toBe("safe");
  });
});

describe("large schemas", () => {
  it.each([
    ["a union of 50 variants that is the same but for its title", union(50), { title: "x", ...union(50) }],
    ["a union of 50 variants with a member added to one", union(50), union(50, (at) => (at === 7 ? { n: {} } : {}))],
    [
      "a union of 50 variants with a member removed from one",
      union(50, (at) => (at === 7 ? { n: {} } : {})),
      union(50),
    ],
    ["a union of 50 variants with one added", union(50), union(51)],
    ["a union of 50 closed variants with bounds of their own and one added", bounded(50), bounded(51)],
    ["a union of 50 closed variants with bounds of their own in another order", bounded(50), bounded(50, true)],
    ["an object of 1,000 properties that is the same but for its title", wide(1000), { title: "x", ...wide(1000) }],
    ["an object of 1,000 properties with one added", wide(1000), wide(1000, { q: { type: "string" } })],
    ["an object of 1,000 properties with one removed", wide(1000, { q: { type: "string" } }), wide(1000)],
    ["an object of 1,000 required properties with an optional one added", wide(1000, {}, 1000), wide(1001, {}, 1000)],
  ])("are decided in few steps: %s is safe", async (_, older, newer) => {
    expect((await compare(older, newer, fewSteps)).verdict).toBe("safe");
  });

  it.each([
    ["a union of 50 variants with one removed", union(51), union(50), "variant-removed"],
    [
      "a union of 50 closed variants with bounds of their own and one removed",
      bounded(51),
      bounded(50),
      "variant-removed",
    ],
    [
      "an object of 1,000 properties with one narrowed",
      wide(1000),
      wide(1000, { p7: { type: "string", maxLength: 2 } }),
      "range-narrowed",
    ],
    [
      "an object of 1,000 required properties with another one required",
      wide(1000, {}, 1000),
      wide(1001, {}, 1001),
      "member-required",
    ],
  ])("are decided in few steps: %s breaks", async (_, older, newer, code) => {
    const { findings, rest } = await compare(older, newer, fewSteps);

    expect(findings.map((finding) => finding.code)).toEqual([code]);
    expect(rest).toBe("safe");
  });

  it("lists no break behind another one that ajv alone sees, where the specification accepts the message", async () => {
    const { findings } = await checkCompatibility({
      format: "json-schema",
      older: { type: "array", minItems: 0 },
      newer: { contains: true, unevaluatedItems: { maxProperties: 3 } },
    });

    expect(findings.map(({ newerPointer, witness }) => [newerPointer, witness?.value])).toEqual([["#/contains", []]]);
  });

  it("shows a message that the specification refuses, where validators that apply keywords next to $ref refuse others, too", async () => {
    const draft = { $schema: "http://json-schema.org/draft-04/schema#" };
    const older = { ...draft, properties: { a: { type: "array" } }, definitions: { one: {} } };
    const newer = {
      ...older,
      properties: {
        a: { items: [{ $ref: "#/definitions/one", required: ["b"] }], additionalItems: { type: "string" } },
      },
    };

    const { findings } = await compare(older, newer);

    expect(findings.map(({ newerPointer }) => newerPointer)).toContain("#/properties/a/additionalItems/type");
    expect(findings.map(({ newerPointer }) => newerPointer)).not.toContain("#/properties/a/items/0/required");
  });
});
