import { describe, expect, it } from "vitest";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { annotate } from "../../src/core/values/index.ts";
import { migrateAll, payloadOf } from "./samples.support.ts";
import { writing } from "./written.support.ts";

const { migrated } = writing();
const target = { format: "json", typeMember: "kind" } as const;
const text = (value: unknown): Uint8Array => new Uint8Array(Buffer.from(JSON.stringify(value)));
const reader = nbfx();

const readers = legacy();
const ofDotnet = createSerializer({ codecs: readers, fallback: readers, whenUnknown: "fallback" });

/** Reads JSON in which `@Name` members annotate the type of their object. */
const annotated = createSerializer({
  codecs: [
    {
      ...reader,
      name: "annotated",
      accepts: [],
      sniff: () => "strong",
      decode: (payload) => ({ body: JSON.parse(Buffer.from(payload).toString(), revive), typeName: "Pets" }),
    },
  ],
  fallback: ["annotated"],
  whenUnknown: "fallback",
});
function revive(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("@" in value)) return value;
  const { "@": typeName, ...members } = value;
  return annotate(members, { typeName: String(typeName) });
}

describe("the member that names the types of objects", () => {
  it.each(["json-dcjs-animal-declared-dog.bin", "nbfx-dcs-animal-declared-dog.bin", "xml-xs-animal-declared-dog.bin"])(
    "is written for %s, and is part of its schema",
    async (name) => {
      const { envelopes, report } = await migrated([payloadOf(name)], { target, serializer: ofDotnet });

      expect(report).toMatchObject({ outcomes: { migrated: 1, failed: 0, lossy: 0 } });
      expect(Buffer.from(envelopes[0]?.payload ?? []).toString()).toContain('"kind":"Dog"');
    },
  );

  it("takes the place of the loss of types where objects at one path have several", async () => {
    const pets = [
      { "@": "{urn:pets}Dog", name: "Rex" },
      { "@": "{urn:pets}Cat", name: "Tom" },
    ];

    const lost = await migrateAll([text(pets)], { serializer: annotated });
    const { report, schemaFiles } = await migrateAll([text(pets)], { serializer: annotated, target });

    expect(lost.report.losses).toMatchObject([{ kind: "type-name", path: "$[]" }]);
    expect([report.verdict, report.schemaChecks]).toEqual(["clean", 1]);
    const files = Object.fromEntries(schemaFiles().map(({ path, text: file }) => [path.replace(/^.*\//, ""), file]));
    expect(files["0.0.schema.json"]).toContain('"kind"');
    expect(files["Pets.ts"]).toContain('readonly kind?: "Dog" | "Cat";');
  });

  it.each([
    [
      ["{urn:a}Dog", "{urn:b}Dog"],
      ["{urn:a}Dog", "{urn:b}Dog"],
    ],
    [
      ["Pets.Dog, Pets, Version=1.0.0.0", "Pets.Cat, Pets"],
      ["Dog", "Cat"],
    ],
    [
      ["com.pets.Dog", "com.pets.Shelter+Cat"],
      ["Dog", "Cat"],
    ],
    [
      ["System.Tuple`1[[Pets.Dog, Pets]]", "Dog"],
      ["System.Tuple`1[[Pets.Dog, Pets]]", "Dog"],
    ],
  ])("is just long enough to distinguish %j", async (names, kinds) => {
    const body = text(names.map((name, index) => ({ "@": name, index })));

    const { report, envelopes } = await migrated([body], { serializer: annotated, target });

    expect(report.verdict).toBe("clean");
    expect(JSON.parse(Buffer.from(envelopes[0]?.payload ?? []).toString())).toEqual(
      kinds.map((kind, index) => ({ kind, index })),
    );
  });

  it("does not replace a member of that name, and is for JSON only", async () => {
    const { report } = await migrateAll([text({ "@": "Dog", kind: "small" })], { serializer: annotated, target });

    expect(report.failures).toMatchObject([
      {
        step: "write",
        code: "UnsupportedValue",
        messages: [{ message: expect.stringContaining("choose another name") }],
      },
    ]);
    await expect(migrateAll([], { target: { format: "msgpack", typeMember: "kind" } })).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining("target.typeMember"),
    });
  });
});
