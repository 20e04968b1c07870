import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { text } from "../../codecs/text/index.ts";
import { createSerializer, type Serializer } from "../../src/core/codec/index.ts";
import { createEnvelope, type Envelope, type EnvelopeInit } from "../../src/core/envelope/index.ts";
import { migrate, type Migration, type MigrationOptions, type MigrationSource } from "../../src/migration/index.ts";

const dotnet: string = fileURLToPath(new URL("../../fixtures/legacy/dotnet", import.meta.url));

/** The bytes of a fixture. */
export const payloadOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(dotnet, name)));

/** The bytes of a payload of `values.json`: of BinaryFormatter or of Java. */
export function foreign(family: "nrbf" | "java", name: string): Uint8Array {
  const file = new URL(`../../fixtures/legacy/${family}/values.json`, import.meta.url);
  const { payloads }: { readonly payloads: readonly { readonly name: string; readonly base64: string }[] } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const found = payloads.find((payload) => payload.name === name);
  return new Uint8Array(Buffer.from(found?.base64 ?? "", "base64"));
}

const readers = legacy();
/** Reads everything that there is. */
export const serializer: Serializer = createSerializer({
  codecs: [json(), msgpack(), text(), ...readers],
  fallback: ["json", ...readers, "text", "msgpack"],
  whenUnknown: "fallback",
});

/** Messages in memory as a source. */
export function sourceOf(messages: readonly (Uint8Array | string | EnvelopeInit)[]): MigrationSource {
  const envelopes = messages.map((message): Envelope => {
    if (typeof message === "string") return createEnvelope({ payload: new TextEncoder().encode(message) });
    return createEnvelope(message instanceof Uint8Array ? { payload: message } : message);
  });
  return {
    name: "samples",
    size: envelopes.length,
    async *messages() {
      for (const [index, envelope] of envelopes.entries()) {
        yield { id: `samples#${index}`, order: BigInt(index), done: index + 1, content: { ok: true, envelope } };
      }
    },
  };
}

/** Migrates messages without writing them. */
export function migrateAll(
  messages: Parameters<typeof sourceOf>[0],
  options: Partial<Omit<MigrationOptions, "source">> = {},
): Promise<Migration> {
  return migrate({ source: sourceOf(messages), serializer, target: { format: "json" }, ...options });
}

/** A document of DataContractSerializer as text, around some members. */
export const xml = (inside: string, root: string = "Order"): string =>
  `<${root} xmlns="urn:shop" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${inside}</${root}>`;

/** A string as `new BrokeredMessage(text)` writes it. */
export const dotnetString = (value: string): Uint8Array =>
  nbfx().encode(value, { contentType: undefined, applicationProperties: {} }).payload;

/** A folder that goes away after the tests of the file. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sobre-migration-"));
  afterAll(() => rmSync(path, { recursive: true }));
  return path;
}

/** The bytes of a payload of `shapes.json`. */
export function shapeOf(shape: string, family: string): Uint8Array {
  const file = new URL("../../fixtures/legacy/shapes/shapes.json", import.meta.url);
  const { payloads }: { readonly payloads: readonly { readonly [name: string]: string }[] } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const found = payloads.find((one) => one["shape"] === shape && one["family"] === family);
  return new Uint8Array(Buffer.from(found?.["base64"] ?? "", "base64"));
}
