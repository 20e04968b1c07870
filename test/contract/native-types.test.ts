import { describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { checkCompatibility } from "../../src/contract/index.ts";
import { replay } from "../../src/contract/report/replay.ts";

const compare = (older: unknown, newer: unknown) =>
  checkCompatibility({ format: "json-schema", older, newer, codecs: [json(), msgpack()] });
const object = (properties: object) => ({ type: "object", properties });

const text = { type: "string" };
const bytes = { ...text, contentEncoding: "base64" };
const time = { ...text, format: "date-time" };
const long = { ...text, format: "int64" };

describe("bytes, times and 64-bit integers of MessagePack", () => {
  it.each([
    ["bytes", object({ d: bytes }), object({ d: text }), "/d"],
    ["a time", object({ d: time }), object({ d: text }), "/d"],
    ["a 64-bit integer", object({ d: long }), object({ d: text }), "/d"],
    [
      "a time in a list",
      object({ d: { type: "array", items: time } }),
      object({ d: { type: "array", items: text } }),
      "/d/0",
    ],
    ["a time of a map", { additionalProperties: time }, { additionalProperties: text }, "/"],
    [
      "a time behind a reference",
      { ...object({ d: { $ref: "#/$defs/t" } }), $defs: { t: time } },
      object({ d: text }),
      "/d",
    ],
  ])("break where the reader's schema no longer marks %s, and are safe in JSON", async (_, older, newer, place) => {
    const { verdict, findings, rows } = await compare(older, newer);

    expect([verdict, ...rows.map((row) => row.verdict)]).toEqual(["breaking", "safe", "breaking"]);
    expect(findings).toMatchObject([{ code: "native-type-lost", instancePointer: place }]);
    expect(findings[0]?.witness?.encodings.map(({ codec }) => codec)).toEqual(["msgpack"]);
  });

  it.each([
    ["stay marked", object({ d: bytes }), object({ d: bytes, e: text })],
    ["are marked from now on, since a text passes then too", object({ d: text }), object({ d: bytes })],
    [
      "are marked behind a reference",
      object({ d: time }),
      { ...object({ d: { $ref: "#/$defs/t" } }), $defs: { t: time } },
    ],
    [
      "may be null",
      object({ d: { anyOf: [time, { type: "null" }] } }),
      object({ d: { ...time, type: ["string", "null"] } }),
    ],
  ])("are safe where they %s", async (_, older, newer) => {
    expect((await compare(older, newer)).verdict).toBe("safe");
  });

  it("prove nothing where integers of 64 bits are read as numbers, in any codec", async () => {
    const wide = { type: "integer", format: "int64" };

    const { verdict, rows, tried } = await compare(object({ n: wide }), object({ n: { type: "integer" } }));

    expect([verdict, ...rows.map((row) => row.verdict)]).toEqual(["unproven", "unproven", "unproven"]);
    expect(tried?.[0]).toContain("/n: ");
  });

  it("show their witness failing again", async () => {
    const [older, newer] = [object({ d: time }), object({ d: text })];
    const { findings } = await compare(older, newer);
    const { value, hash = "" } = findings[0]?.witness ?? {};

    const outcome = await replay({ value, hash, compared: { format: "json-schema", older, newer } });

    expect(outcome).toBe("/d: is a time where the reader's schema has none");
  });
});
