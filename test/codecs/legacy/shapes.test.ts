import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, type DotnetContract, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import type { Decoder } from "../../../src/core/codec/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { decode } from "../dotnet/decoding.support.ts";
import { isExactly, isLexically } from "../dotnet/equality.support.ts";

interface Written {
  readonly shape: string;
  readonly family: string;
  readonly base64: string;
  readonly contract?: DotnetContract;
  readonly value: unknown;
}

const { payloads }: { readonly payloads: readonly Written[] } = JSON.parse(
  readFileSync(new URL("../../../fixtures/legacy/shapes/shapes.json", import.meta.url), "utf8"),
);

const timeZone = "Europe/Madrid";

function decoderOf(family: string, contracts: readonly DotnetContract[]): Decoder {
  switch (family) {
    case "java":
      return java({ timeZone });
    case "nrbf":
      return nrbf({ timeZone });
    case "nbfx":
      return nbfx({ timeZone, contracts });
    case "json":
      return dataContractJson({ contracts });
    default:
      return dataContractXml({ contracts });
  }
}

function read(
  { family, base64 }: Written,
  contracts: readonly DotnetContract[],
): readonly [unknown, readonly string[]] {
  const decoded = decode(decoderOf(family, contracts), new Uint8Array(Buffer.from(base64, "base64")));
  return "body" in decoded ? [valueToJson(decoded.body), decoded.warnings ?? []] : [undefined, []];
}

/** Shapes of which the bytes do not hold the answer. */
const open = new Set([
  // An empty member is a list or a dictionary, and without its own namespace a list or text.
  "empty collections",
  // A char is a number, bytes are text or a list of numbers.
  "scalars that are text",
  // In JSON, keys that are Guids are text.
  "sets, enums in collections and nulls json",
]);

/** A value without the names of classes, which only some formats have. */
function unnamed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (name === "$type" ? undefined : inner)));
}

describe("shapes that Mono and OpenJDK wrote", () => {
  it("are 36 in all families", () => {
    expect(new Set(payloads.map(({ shape }) => shape)).size).toBe(36);
    expect(new Set(payloads.map(({ family }) => family))).toEqual(
      new Set(["nrbf", "ndcs", "dcs", "nbfx", "json", "xs", "java"]),
    );
  });

  it("are read to at least 85 % without contracts, where the bytes hold the answer, and none wrong without a warning", () => {
    const answered = payloads.filter(({ shape, family }) => !open.has(shape) && !open.has(`${shape} ${family}`));
    const results = answered.map((written) => ({ written, result: read(written, []) }));
    const wrong = results.filter(({ written, result: [body] }) => !isLexically(unnamed(body), unnamed(written.value)));

    expect(1 - wrong.length / answered.length).toBeGreaterThanOrEqual(0.85);
    const silent = wrong.filter(({ result: [, warnings] }) => warnings.length === 0);
    expect(silent.map(({ written, result }) => [written.shape, written.family, result[0]])).toEqual([]);
  });

  it("keep the class that a payload names", () => {
    const derived = payloads.filter(({ shape }) => shape === "a derived class");

    expect(derived.map((written) => read(written, [])[0])).toMatchObject([
      { First: { $type: "Shop.Dog" } },
      { First: { $type: "Shop.Dog" } },
    ]);
  });

  it("are read exactly with contracts", () => {
    const contracted = payloads.filter(({ contract }) => contract !== undefined);
    const wrong = contracted.filter((written) => !isExactly(read(written, [written.contract ?? {}])[0], written.value));

    expect(contracted.length).toBeGreaterThanOrEqual(12);
    expect(wrong.map(({ shape, family }) => [shape, family])).toEqual([]);
  });
});
