import { describe, expect, it } from "vitest";
import { type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { codecSuite, type CodecTarget, runCodecCase } from "../../../src/broker/conformance/index.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

/** Elements inside one another, `depth` of them, none of which ends. */
const nestedPayload = (depth: number): Uint8Array =>
  Uint8Array.from({ length: depth * 3 }, (_, index) => [0x40, 0x01, 0x61][index % 3] ?? 0);

const hostile: readonly Uint8Array[] = [
  "400161995f5f70726f746f5f5f",
  "4001619cffffff7f61626301",
  "40ffffffff07616263",
  "4001610340016201 8dffffffff07",
  `400161${"a0".repeat(5000)}`,
].map((digits) => new Uint8Array(Buffer.from(digits.replaceAll(" ", ""), "hex")));

const node: DotnetContract = {
  $ref: "#/$defs/Node",
  $defs: {
    Node: {
      properties: {
        Label: { type: "string" },
        Next: { $ref: "#/$defs/Node" },
        Numbers: { type: "array", items: { type: "integer" } },
      },
    },
  },
};

const chain = (depth: number): unknown => {
  let value: unknown = null;
  for (let level = 0; level < depth; level++) value = { Label: null, Next: value, Numbers: null };
  return value;
};

const targets: Readonly<Record<string, CodecTarget>> = {
  "nbfx of scalars": {
    codec: nbfx(),
    samples: ["a text of some length", "texto ñ 🚀 序列化", -5, 300_000, 0.1, 2n ** 62n, true, Uint8Array.of(1, 2, 3)],
    nested: "flat",
    many: "flat",
    nestedPayload,
    hostile,
  },
  "nbfx of a class by its contract": {
    codec: nbfx({ contracts: [node] }),
    samples: [
      { Label: "a text of some length", Next: null, Numbers: [1, -2, 300_000] },
      { Label: "outer", Next: { Label: "inner", Next: null, Numbers: [] }, Numbers: [0] },
    ],
    knownTypeOnly: true,
    nested: chain,
    many: (count) => ({ Label: null, Next: null, Numbers: Array.from({ length: count }, (_, index) => index) }),
    nestedPayload,
    hostile,
  },
};

describe.each(Object.entries(targets))("%s in the codec conformance suite", (_, target) => {
  it.each(codecSuite.map((codecCase) => [codecCase.name, codecCase] as const))("%s", (_name, codecCase) => {
    const result = runCodecCase(codecCase, target);

    expect(result.outcome, JSON.stringify(result)).not.toBe("failed");
  });
});
