import { describe, expect, it } from "vitest";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { protobuf } from "../../codecs/protobuf/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { migrateAll } from "./samples.support.ts";

const declared = (
  hex: string,
  contentType: string,
): { payload: Uint8Array; brokerProperties: { contentType: string } } => ({
  payload: Buffer.from(hex, "hex"),
  brokerProperties: { contentType },
});

describe("keys that a map of MessagePack has twice", () => {
  it.each([
    ["different values", "82a16101a16102"],
    ["the same value", "82a16101a16101"],
    ["in an inner map", "81a16d82a16101a16102"],
    ["in a map of a list", "9182a16101a16102"],
    ["keys that are no text", "8201a1780101"],
    ["an inner map and a number", "82a16181a16201a16107"],
    ["texts", "82a161a178a161a179"],
  ])("are a loss with %s", async (_, hex) => {
    for (const format of ["json", "tagged-json", "protobuf"] as const) {
      const { report } = await migrateAll([declared(hex, "application/msgpack")], { target: { format } });

      expect(report.verdict).toBe("losses");
    }
  });
});

describe("MessagePack without repeated keys", () => {
  const when = new Date("2026-02-03T04:05:06.789Z");
  it.each([
    [
      "every width of integers",
      [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32, -1, -32, -33, -129, -32_769, -(2 ** 31) - 1],
    ],
    ["64 bits", [2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n]],
    ["texts and bytes", ["", "ñ", "x".repeat(40), "y".repeat(300), Uint8Array.of(1, 2, 3)]],
    ["times, floats and booleans", [when, 1.5, 1e300, true, false, null]],
    ["nested containers", { a: [[], [1, [2]]], b: { c: {}, d: { e: 5 } } }],
  ])("is Clean: %s", async (_, body) => {
    const { payload } = msgpack().encode({ body }, { contentType: undefined, applicationProperties: {} });

    const { report } = await migrateAll([{ payload, brokerProperties: { contentType: "application/msgpack" } }]);

    expect(report).toMatchObject({ verdict: "clean", losses: [], failures: [] });
  });
});

describe("a format without a token walk", () => {
  const protos = 'syntax = "proto3"; message Order { int32 id = 1; string name = 2; }';
  const serializer = createSerializer({ codecs: [protobuf({ protos, type: "Order" })] });

  it("is Clean where writing the body again gives the same bytes, and not where a field comes twice", async () => {
    const once = await migrateAll([declared("08051201 78".replace(" ", ""), "application/protobuf")], { serializer });
    const twice = await migrateAll([declared("080108051201 78".replace(" ", ""), "application/protobuf")], {
      serializer,
    });

    expect(once.report).toMatchObject({ verdict: "clean", losses: [] });
    expect(twice.report.verdict).toBe("ambiguous");
    expect(twice.report.warnings[0]?.text).toContain("Only the protobuf codec has read the payload");
  });
});
