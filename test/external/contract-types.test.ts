import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { PairComparison } from "../../src/contract/json-schema/pair-comparison.ts";
import { type Subject, subjectOf } from "../../src/contract/subjects/subject.ts";
import { typesModule } from "../../src/contract/types/subject-types.ts";
import { jsonSchema } from "../../src/core/json-schema/json-schema.ts";
import { isDeclared } from "../proof/contract/declared-value.ts";
import { dialects, inDialect } from "../proof/contract/in-dialect.ts";
import { isValid } from "../proof/contract/plain-validator.ts";
import { RandomSchema, type SchemaObject } from "../proof/contract/random-schema.ts";
import { Random } from "../proof/engine/random.ts";
import { protoFile, protoValues, shapes } from "./contract-types.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "sobre-types-"));
mkdirSync(join(project, "node_modules"));
symlinkSync(root, join(project, "node_modules/sobre"), "dir");
symlinkSync(join(root, "node_modules/@types"), join(project, "node_modules/@types"), "dir");
writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));

afterAll(() => rmSync(project, { recursive: true }));

/** The complaints of the compiler about a program that uses the types of subjects. */
function complaints(name: string, subjects: readonly Subject[], program: readonly string[]): string {
  writeFileSync(join(project, `${name}-types.ts`), marked(typesModule(subjects)));
  writeFileSync(
    join(project, `${name}.ts`),
    [`import type * as types from "./${name}-types.ts";`, exact, ...program].join("\n"),
  );
  writeFileSync(
    join(project, `${name}.json`),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: true,
        noUnusedLocals: false,
        isolatedDeclarations: false,
        rootDir: "/",
        skipLibCheck: true,
      },
      files: [`${name}.ts`],
      include: [],
    }),
  );
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", join(project, `${name}.json`), "--pretty", "false"], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    return said.split("\n").slice(0, 20).join("\n");
  }
}

function subjectWith(name: string, schema: unknown): Subject {
  const text = JSON.stringify(schema);
  return subjectOf(name, {}, [
    { version: "1.0", format: "json-schema", file: `${name}/1.0.schema.json`, text, parts: [], schema },
  ]);
}

/**
 * Gives every object the member `$`, as the values here have it: TypeScript refuses an object that has none of the members
 * of a type whose members are all optional.
 */
function marked(module: string): string {
  const [types = "", ...registered] = module.split(/^(?=declare module)/m);
  const shown = types
    .replaceAll("{\n", "{\n  readonly $?: 0;\n")
    .replaceAll("readonly [name: string]:", "readonly [name: string]: 0 |");
  return [shown, ...registered].join("");
}

/** Passes a value on, so that it is not a literal, in which members that the type leaves out would be a mistake. */
const exact = "declare function exact<const Value>(value: Value): Value;";

function assigned(name: string, type: string, value: string): string {
  return `export const ${name}: types.${type} = exact(${value});`;
}

function written(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Uint8Array) return `(new Uint8Array([${value.join()}]) as Uint8Array)`;
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `[${JSON.stringify(name)}]: ${written(member)}`);
  return `{ ${["$: 0", ...members].join()} }`;
}

/** Values that writers of a schema send. */
function valuesOf(schema: SchemaObject, make: RandomSchema): readonly unknown[] {
  const comparison = {
    writer: schema,
    reader: schema,
    declared: true,
    formats: "annotation",
    budget: 500_000,
  } as const;
  const plain = Array.from({ length: 30 }, () => make.value(0));
  try {
    const samples = new PairComparison(comparison, { siblings: false }).samples().slice(0, 12);
    return [...samples, ...samples.flatMap((value) => [make.varied(value), make.varied(value)]), ...plain];
  } catch {
    return plain;
  }
}

describe("the types of schema files", () => {
  it("admit every value of the shapes that services send, and none of another shape", () => {
    const lines = shapes.flatMap(({ name, type, schema, accepted, refused }) => {
      const { validate } = jsonSchema(schema)["~standard"];
      for (const value of accepted) expect(validate(value), `${name}: ${written(value)}`).not.toHaveProperty("issues");
      for (const value of refused) expect(validate(value), `${name}: ${written(value)}`).toHaveProperty("issues");
      return [
        ...accepted.map((value, at) => assigned(`${type}${at}`, type, written(value))),
        ...refused.flatMap((value, at) => [
          `// @ts-expect-error -- refused`,
          assigned(`${type}X${at}`, type, written(value)),
        ]),
      ];
    });

    expect(shapes.length).toBeGreaterThan(12);
    expect(
      complaints(
        "shapes",
        shapes.map(({ name, schema }) => subjectWith(name, schema)),
        lines,
      ),
    ).toBe("");
  });

  it("admit every value that a validator of its own accepts of random schemas of five dialects", () => {
    const seed = 1 + Math.floor(Math.random() * 1_000_000);
    const subjects: Subject[] = [];
    const lines: string[] = [];
    for (let at = 0; at < 400; at++) {
      const random = new Random(seed + at);
      const make = new RandomSchema(random);
      const dialect = random.pick(dialects) ?? "2020-12";
      const schema = inDialect(make.document(), dialect);
      const subject = subjectWith(`random-${seed + at}`, schema);
      if (isBroken(subject)) continue;
      subjects.push(subject);
      valuesOf(schema, make)
        .filter((value) => isSent(schema, value, dialect))
        .slice(0, 15)
        .forEach((value, index) =>
          lines.push(assigned(`r${seed + at}_${index}`, `Random${seed + at}`, written(value))),
        );
    }

    expect(lines.length).toBeGreaterThan(1500);
    expect(complaints("random", subjects, lines), `seed ${seed}`).toBe("");
  }, 240_000);

  it("admit what the codec reads of messages of Protobuf, and no other members", () => {
    const serializer = createSerializer({ codecs: [protobuf({ protos: protoFile })] });
    const text = protoFile;
    const file = { version: "1.0", format: "protobuf", file: "shop/1.0.proto", text, parts: [], schema: text } as const;
    const lines = protoValues.map((body, at) => {
      const contentType = "application/protobuf; messageType=shop.Order";
      const read = serializer.deserialize(serializer.serialize({ body, contentType }));
      expect(read.ok).toBe(true);
      return assigned(`p${at}`, "ShopV1Order", written(read.ok ? read.body : undefined));
    });
    const wrong = [
      "// @ts-expect-error -- two members of one oneof",
      `export const both: types.ShopV1Order["payment"] = { card: "1", cash: 2n } as const;`,
      "// @ts-expect-error -- a number where a bigint is read",
      `export const number: types.ShopV1Order["total"] = 1;`,
    ];

    expect(complaints("proto", [subjectOf("shop", {}, [file])], [...lines, ...wrong])).toBe("");
  });
});

function isBroken(subject: Subject): boolean {
  try {
    typesModule([subject]);
    return false;
  } catch {
    return true;
  }
}

function isSent(schema: SchemaObject, value: unknown, dialect: (typeof dialects)[number]): boolean {
  try {
    return isDeclared(schema, value) && isValid(schema, value, { dialect, asserts: false });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
