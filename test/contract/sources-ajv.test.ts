import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type Arbitrary, assert, constantFrom, letrec, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { readSubjects } from "../../src/contract/subjects/subject.ts";
import { isObject } from "../../src/core/values/plain-object.ts";

const place = "https://schema.invalid/";
const names = ["order/1.0.schema.json", "order/a.json", "shared/b.json", "shared/deep/c.json"];

/** References from each file to the definitions of every other, by path. */
const references = (from: string): readonly string[] =>
  names.flatMap((to) => {
    const steps = from.split("/").length - 1;
    const path = to === from ? "" : `${"../".repeat(steps)}${to}`;
    return [`${path}#/definitions/x`, `${path}#/definitions/y%25~1z`, `${path}#here`];
  });

/** A schema of a file, whose references lead down a ladder of members, so that validation ends. */
function schemaIn(file: string): Arbitrary<unknown> {
  const { schema } = letrec((tie) => ({
    schema: constantFrom<unknown>(
      { type: "integer" },
      { type: "string" },
      { type: "object" },
      true,
      { $ref: "r" },
      { $ref: "r" },
    ).chain((leaf) =>
      record({ a: tie("leaf"), b: tie("leaf"), own: constantFrom(leaf) }).map(({ a, b, own }) =>
        isObject(own) && "$ref" in own ? { type: "object", properties: { a, default: b }, minProperties: 0 } : own,
      ),
    ),
    leaf: constantFrom<unknown>({ type: "integer" }, { type: "object" }, ...references(file).map(($ref) => ({ $ref }))),
  }));
  return schema;
}

const files = (): Arbitrary<Readonly<Record<string, unknown>>> =>
  record(
    Object.fromEntries(
      names.map((name) => [
        name,
        record({ x: schemaIn(name), y: schemaIn(name), own: schemaIn(name), here: schemaIn(name) }).map(
          ({ x, y, own, here }) => ({
            definitions: {
              x,
              "y%/z": y,
              [anchorName]: isObject(here) ? { ...here, $anchor: "here" } : { $anchor: "here" },
            },
            allOf: [own],
          }),
        ),
      ]),
    ),
  );
const anchorName = "anchored";

const leaves: readonly unknown[] = [1, "a", {}, [], null];
const pairs = leaves.flatMap((a) => leaves.map((b) => ({ a, default: b })));
const values: readonly unknown[] = [
  ...leaves,
  ...pairs,
  ...pairs.map((a) => ({ a })),
  ...pairs.map((b) => ({ default: b })),
];

describe("a schema of several files", () => {
  it("takes what a validator takes that has loaded every file", () => {
    const settings = { strict: false, meta: false, validateSchema: false } as const;
    const counts = { accepted: 0, refused: 0 };
    assert(
      property(files(), (schemas) => {
        const [subject] = readSubjects(
          { list: () => names, read: (file) => JSON.stringify(schemas[file]) },
          // A file that no other one refers to is refused otherwise.
          { skipUnread: true },
        );
        const whole = new Ajv2020(settings);
        for (const [name, schema] of Object.entries(schemas))
          whole.addSchema({ $id: `${place}${name}`, ...Object(schema) });
        const expected = whole.getSchema(`${place}${names[0] ?? ""}`);
        const bundled = new Ajv(settings).compile(Object(subject?.versions[0]?.schema));

        for (const value of values) {
          const isAccepted = expected?.(value) === true;
          counts[isAccepted ? "accepted" : "refused"]++;
          expect(bundled(value), JSON.stringify(value)).toBe(isAccepted);
        }
      }),
      { numRuns: 60 },
    );
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(200);
  });
});
