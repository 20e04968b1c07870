import { describe, expect, it } from "vitest";
import { amqp } from "../../../codecs/amqp/index.ts";
import { codecSuite, runCodecCase } from "../../../src/broker/conformance/index.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

const target = {
  codec: amqp(),
  bodyKind: "value",
  samples: [
    { order: "A-1042", lines: [{ sku: "X", quantity: 2 }], total: 12.5, paid: false, note: null },
    [1, -1, 2 ** 31 - 1, 2 ** 60, 9007199254740993n, "ñ 🚀", new Uint8Array([1, 2, 3])],
    new Date(0),
    "eight characters and more",
  ],
} as const;

describe("the amqp codec keeps every promise of the codec interface", () => {
  it.each(codecSuite)("$name: $promise", (codecCase) => {
    const result = runCodecCase(codecCase, target);

    if (result.outcome === "failed") throw result.error;
    expect(result.outcome).not.toBe("failed");
  });
});
