import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

async function bundle(code: string): Promise<{ readonly bytes: number; readonly text: string }> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: "ts" },
    conditions: ["sobre-source"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    write: false,
  });
  const text = outputFiles[0]?.text ?? "";
  return { bytes: gzipSync(text, { level: 9 }).byteLength, text };
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
});
