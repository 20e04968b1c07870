import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { resolveDecodeLimits } from "../../../src/core/codec/index.ts";

interface Written {
  readonly name: string;
  readonly base64: string;
  readonly contract: DotnetContract;
}

const file = new URL("../../../fixtures/legacy/dotnet/written.json", import.meta.url);
const { payloads }: { readonly payloads: readonly Written[] } = JSON.parse(readFileSync(file, "utf8"));

describe("binary XML that .NET wrote", () => {
  it.each(payloads)("is written by us with the same bytes: $name", ({ base64, contract }) => {
    const codec = nbfx({ contracts: [contract], timeZone: "Europe/Madrid", keepTypes: true });
    const payload = new Uint8Array(Buffer.from(base64, "base64"));
    const context = { contentType: undefined, applicationProperties: {}, bodyKind: "data" } as const;

    const decoded = codec.decode(payload, { ...context, limits: resolveDecodeLimits() });
    const again = codec.encode("body" in decoded ? decoded.body : undefined, context);

    expect(Buffer.from(again.payload).toString("latin1")).toBe(Buffer.from(payload).toString("latin1"));
    expect("warnings" in decoded ? decoded.warnings : []).toEqual([]);
  });
});
