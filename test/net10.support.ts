import { readFileSync } from "node:fs";

const payloads: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL("../fixtures/legacy/net10/payloads.json", import.meta.url), "utf8"),
);

/** A payload that the serializers of .NET 10 wrote, by `fixtures/legacy/net10/Written.cs`. */
export function ofNet10(name: string): Uint8Array {
  const base64 = payloads[name];
  if (base64 === undefined) throw new Error(`fixtures/legacy/net10 has no payload ${name}`);
  return new Uint8Array(Buffer.from(base64, "base64"));
}
