import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

interface Bundle {
  /** Gzipped. */
  readonly bytes: number;
  readonly text: string;
  /** Folders of the packages in it, and our own files. */
  readonly inputs: readonly string[];
  /** Modules of Node that it imports. */
  readonly builtins: readonly string[];
}

async function bundle(code: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    // The package finds itself from there; this folder is a package of its own.
    stdin: { contents: code, resolveDir: `${import.meta.dirname}/..`, loader: "ts" },
    conditions: ["sobre-source"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    external: ["node:*"],
    write: false,
    metafile: true,
  });
  const text = outputFiles[0]?.text ?? "";
  const [output] = Object.values(metafile.outputs);
  const builtins = [...new Set(output?.imports.map(({ path }) => path))].toSorted();
  return {
    bytes: gzipSync(text, { level: 9 }).byteLength,
    text,
    inputs: Object.keys(output?.inputs ?? {}),
    builtins,
  };
}

describe("a browser bundle", () => {
  it("of envelope and JSON codec has at most 7 KB gzipped, no Node API and no name of AMQP", async () => {
    const { bytes, text } = await bundle(
      'import { createEnvelope } from "sobre"; import { json } from "sobre/codecs/json"; console.log(createEnvelope, json);',
    );

    expect(text).toContain("application/json");
    expect(text).not.toMatch(/\bBuffer\b|\bprocess\.|node:/);
    expect(text).not.toContain("x-opt-");
    expect(bytes).toBeLessThanOrEqual(7 * 1024);
  });

  it("of a message type of zod, sent and received, has no validator of JSON Schema", async () => {
    const code = `
      import { z } from "zod";
      import { createClient, createSerializer, defineMessage, json, memoryEngine } from "sobre";
      const Order = defineMessage("acme.order", { 1: z.object({ id: z.int() }) });
      const client = createClient({ engine: memoryEngine(), serializer: createSerializer({ codecs: [json()] }) });
      client.createSender("orders").sendMessages(Order.message({ id: 7 }));
      client.createReceiver("orders", { messageTypes: [Order] });`;

    const { inputs } = await bundle(code);
    const withJsonSchema = await bundle(
      `import { jsonSchema } from "sobre/json-schema"; console.log(jsonSchema(true)); ${code}`,
    );

    expect(
      inputs.filter((input) => /node_modules\/(?:ajv|fast-uri)\/|src\/core\/(?:json-schema|regex)/.test(input)),
    ).toEqual([]);
    expect(withJsonSchema.inputs.join()).toMatch(/node_modules\/ajv\/.*src\/core\/regex\//);
  });

  it.each<readonly [string, string, readonly string[]]>([
    ["compression", "sobre/stages", ["node:buffer", "node:zlib"]],
    ["encryption", "sobre/stages", ["node:crypto"]],
    ["claimCheck", "sobre/stages", ["node:crypto"]],
    ["filePayloadStore", "sobre/stages", ["node:crypto", "node:fs/promises", "node:path"]],
    ["cloudEvents", "sobre/cloud-events", []],
    ["registryIds", "sobre/message", []],
    ["createClient, memoryEngine", "sobre", []],
  ])("of %s of %s needs of Node what its documentation says", async (names, from, needed) => {
    const { builtins } = await bundle(`import { ${names} } from "${from}"; console.log(${names});`);

    expect(builtins).toEqual(needed);
    const docs = readFileSync(new URL("../../docs/stages.md", import.meta.url), "utf8");
    if (needed.length > 0) expect(docs).toMatch(/`sobre\/stages` need Node/);
  });
});
