import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileBodySchema } from "../../src/core/json-schema/ajv.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { migrate } from "../../src/migration/index.ts";
import { MessageMigration } from "../../src/migration/migrate-message.ts";
import { SourceMessageReader } from "../../src/migration/read/read-message.ts";
import { createTarget } from "../../src/migration/target/target.ts";
import { TypeProfiles } from "../../src/migration/infer/type-profile.ts";
import { envelopesIn, jsonIn, writing } from "./written.support.ts";
import { foreign, payloadOf, serializer, shapeOf, sourceOf } from "./samples.support.ts";

const { output } = writing();

interface Kept {
  readonly payloads: readonly { readonly [name: string]: string }[];
}

const read = (path: string): Kept =>
  JSON.parse(readFileSync(new URL(`../../fixtures/legacy/${path}`, import.meta.url), "utf8"));
const dotnet = globSync("*.bin", { cwd: new URL("../../fixtures/legacy/dotnet/", import.meta.url) });

/** Every committed payload by its name. */
const samples: readonly (readonly [string, Uint8Array])[] = [
  ...dotnet.map((name) => [name, payloadOf(name)] as const),
  ...(["nrbf", "java"] as const).flatMap((family) =>
    read(`${family}/values.json`).payloads.map(
      ({ name = "" }) => [`${family} ${name}`, foreign(family, name)] as const,
    ),
  ),
  ...read("shapes/shapes.json").payloads.map(
    ({ shape = "", family = "" }) => [`${shape} ${family}`, shapeOf(shape, family)] as const,
  ),
];

/** The messages that the schemas of their types refuse, with what is wrong. */
async function refused(messages: Parameters<typeof sourceOf>[0], format: "json" | "tagged-json"): Promise<unknown> {
  const file = output();
  const { report, schemaFiles } = await migrate({
    source: sourceOf(messages),
    serializer,
    target: { format },
    output: file,
  });
  const schema = schemaFiles().find(({ path }) => path.endsWith(".schema.json"));
  if (schema === undefined || report.types.length !== 1) return [];
  const check = compileBodySchema(JSON.parse(schema.text), { formats: "assertion" });
  return envelopesIn(file).flatMap((envelope) => check(jsonIn(envelope)).problems);
}

/** One of each form that a schema has to allow for. */
const forms = [
  "json-dcjs-arrays.bin",
  "nbfx-dcs-order.bin",
  "xml-dcs-nullables-set.bin",
  "java date",
  "java localdate",
  "nrbf byte2d",
  "nrbf datetimes",
  "nrbf float-special",
  "DataSet nrbf",
  "integral doubles nrbf",
];

describe("an inferred schema", () => {
  it("is held against every message in the run itself", async () => {
    const payload = payloadOf("nbfx-dcs-order.bin");

    const { report } = await migrate({ source: sourceOf([payload, payload]), serializer, target: { format: "json" } });
    const packed = await migrate({ source: sourceOf([payload]), serializer, target: { format: "msgpack" } });

    expect(report).toMatchObject({ schemaChecks: 2, losses: [], verdict: "clean" });
    expect(packed.report.schemaChecks).toBe(0);
  });

  it("makes a message that it refuses a loss", () => {
    const profiles = new TypeProfiles();
    const target = createTarget({ format: "json" });
    const envelope = createEnvelope({ payload: payloadOf("nbfx-dcs-order.bin") });
    const message = { id: "m", order: 0n, done: 1, content: { ok: true, envelope } } as const;
    const reader = new SourceMessageReader({ serializer, openJsonText: true, hasContract: () => false });
    const result = reader.read(envelope);
    if (result.ok) profiles.note(result);
    const migration = new MessageMigration({
      serializer,
      openJsonText: true,
      hasContract: () => false,
      target,
      profiles,
      hex: false,
      samples: false,
      schemaChecks: () => () => ["$.Total"],
    });

    expect(migration.migrate(message).entry).toMatchObject({
      outcome: "migrated",
      schemaChecked: true,
      losses: [["refused-by-schema", "$.Total"]],
    });
  });

  it.each(forms)("accepts what was written of %s", async (name) => {
    const payload = samples.find(([one]) => one === name)?.[1] ?? new Uint8Array();

    expect(payload.length).toBeGreaterThan(0);
    expect(await refused([payload], "json")).toEqual([]);
  });
});
