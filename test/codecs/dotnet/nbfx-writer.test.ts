import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { readNbfxDocument } from "../../../codecs/dotnet/nbfx/read-document.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { Typed } from "../../../src/core/values/typed.ts";
import { DateTime, Decimal, Duration } from "../../../src/core/values/index.ts";
import { maxTicks } from "../../../src/core/values/ticks.ts";
import { refusal } from "../../refusal.support.ts";
import { contractOf } from "./contracts.support.ts";
import { shown } from "./decoding.support.ts";
import { infosetOf, type InfosetNode } from "./infoset.support.ts";
import { type Fixture, fixtures, json, payloadOf } from "./vectors.support.ts";
import { writeNbfxNodes } from "./write-nodes.support.ts";
import { anyText } from "../../unicode.support.ts";
import { ofVectors } from "../../vectors.support.ts";

const timeZone = "Europe/Madrid";
const encodeContext = { contentType: undefined, applicationProperties: {} };
const decodeContext = {
  contentType: undefined,
  applicationProperties: {},
  bodyKind: "data",
  limits: defaultDecodeLimits,
} as const;

const written = fixtures("open", ["nbfx"]).filter(({ serializer }) => serializer.startsWith("DataContractSerializer"));

/** Reads a payload by the contract of its type and writes it again; any XML goes by its nodes. */
function rewritten(fixture: Fixture): Uint8Array {
  const payload = payloadOf("open", fixture);
  const contract = contractOf(fixture.dotnetType ?? "");
  if (contract === undefined) return writeNbfxNodes(readNbfxDocument(payload, defaultDecodeLimits, { timeZone }));
  const preserveReferences = fixture.serializer.includes("preserveObjectReferences=true");
  const codec = nbfx({ timeZone, contracts: [contract], keepTypes: true, preserveReferences });
  const decoded = codec.decode(payload, decodeContext);
  const body = "body" in decoded ? decoded.body : undefined;
  return codec.encode(ordered(fixture, body), encodeContext).payload;
}

/** An object would bring keys that look like indexes into their order; a dictionary has the order of its Map. */
function ordered({ case: name }: Fixture, body: unknown): unknown {
  if (name !== "dict-string-string-digits") return body;
  return new Map([
    ["1", "0"],
    ["0", "1"],
  ]);
}

function infoset(payload: Uint8Array): readonly InfosetNode[] {
  return infosetOf(readNbfxDocument(payload, defaultDecodeLimits, { timeZone }));
}

describe("what DataContractSerializer wrote", () => {
  it.each(written)("is written with the same nodes: $id", (fixture) => {
    const payload = rewritten(fixture);

    expect(infoset(payload)).toEqual(infoset(payloadOf("open", fixture)));
    if (fixture.infoset !== undefined) expect(infoset(payload)).toEqual(json(fixture.infoset));
  });

  it("is written byte for byte", () => {
    const different = written.filter((fixture) => {
      const [ours, theirs] = [rewritten(fixture), payloadOf("open", fixture)];
      return ours.length !== theirs.length || ours.some((byte, index) => byte !== theirs[index]);
    });

    expect(written).toHaveLength(ofVectors(97, 28));
    expect(different.map(({ id }) => id)).toEqual([]);
  });
});

const codec = nbfx();

/** The text record of a string, and the last byte. */
const endOf = (length: number): readonly (number | undefined)[] => {
  const payload = codec.encode("x".repeat(length), encodeContext).payload;
  return [payload[61], payload.at(-1)];
};

/** Writes and reads. */
function trip(value: unknown): unknown {
  const decoded = codec.decode(codec.encode(value, encodeContext).payload, decodeContext);
  return "body" in decoded ? decoded.body : undefined;
}

describe("the NBFX writer", () => {
  it("writes scalars without a contract, which come back", () => {
    const scalars = fc.oneof(
      anyText(),
      fc.boolean(),
      fc.integer(),
      fc.double().filter((value) => !Object.is(value, -0)),
      fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n),
      fc.uint8Array(),
      fc.uuid().map((text) => new Typed("uuid", text)),
      fc.bigInt(0n, maxTicks).map((ticks) => new DateTime(ticks, "utc")),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((ticks) => Duration.fromTicks(ticks)),
      fc
        .tuple(fc.bigInt(0n, 2n ** 96n - 1n), fc.integer({ min: 0, max: 28 }), fc.constantFrom("", "-"))
        .map(([digits, scale, sign]) => {
          const text = `${digits}`.padStart(scale + 1, "0");
          const point = text.length - scale;
          return new Decimal(`${sign}${text.slice(0, point)}${scale === 0 ? "" : `.${text.slice(point)}`}`);
        }),
    );

    fc.assert(
      fc.property(scalars, (value) => {
        expect(trip(value)).toEqual(value);
      }),
    );
  });

  it("sets the end-element bit while .NET's 512-byte buffer allows it, and writes a record of its own beyond", () => {
    // The header takes 61 bytes and a short length 2: 63 + 3 × 149 = 510 still fits.
    expect([85, 86, 149].map(endOf)).toEqual([
      [0x99, 0x78],
      [0x99, 0x78],
      [0x99, 0x78],
    ]);
    expect([150, 255, 256].map(endOf)).toEqual([
      [0x98, 0x01],
      [0x98, 0x01],
      [0x9a, 0x01],
    ]);
  });

  it.each([
    [{ a: 1 }, "$"],
    [[1], "$"],
    ["\ud800", "$"],
    [Symbol("s"), "$"],
  ])("refuses %o without a contract", (value, path) => {
    expect(refusal(() => codec.encode(value, encodeContext))).toMatchObject({ code: "UnsupportedValue", path });
  });

  const contract: DotnetContract = {
    $ref: "#/$defs/Order",
    "x-dotnet": { defaultNamespace: "urn:test" },
    $defs: {
      Order: {
        properties: {
          id: { "x-dotnet": "guid" },
          lines: { type: "array", items: { type: "integer" } },
          next: { $ref: "#/$defs/Order" },
          state: { "x-dotnet": { type: "enum", name: "State", members: { Open: 1 } } },
        },
      },
    },
  };

  it.each([
    [{ id: 5 }, "$.id"],
    [{ lines: [1, 2 ** 31] }, "$.lines[1]"],
    [{ lines: {} }, "$.lines"],
    [{ state: "Closed" }, "$.state"],
    [{ next: { id: "zz" } }, "$.next.id"],
    [{ next: { note: "x" } }, "$.next.note"],
    [{ Lines: [1] }, "$.Lines"],
    [{ id: null }, "$.id"],
    [{ state: null }, "$.state"],
    [{ next: new Date(0) }, "$.next"],
    [{ next: new Map([["id", "x"]]) }, "$.next"],
    [7, "$"],
  ])("refuses %j, which its contract does not hold, with the path", (value, path) => {
    const strict = nbfx({ contracts: [contract] });

    expect(refusal(() => strict.encode(value, encodeContext))).toMatchObject({ code: "UnsupportedValue", path });
  });

  it("leaves out what does not come, and zeros only where they are the default", () => {
    const numbers = nbfx({
      contracts: [
        {
          title: "Numbers",
          properties: {
            a: { "x-dotnet": { type: "int", omitDefault: true } },
            b: { type: ["null"], "x-dotnet": { type: "int", omitDefault: true } },
            c: { "x-dotnet": "guid" },
            d: { type: ["null"], "x-dotnet": "guid" },
            e: { type: ["string"] },
          },
        },
      ],
    });
    const read = (value: unknown): unknown => shown(numbers, numbers.encode(value, encodeContext).payload);

    expect(read({ a: 0, b: 0, extra: undefined })).toEqual({ b: 0, d: null, e: null });
    expect(read({ a: 1, b: null, d: null, e: null })).toEqual({ a: 1, d: null, e: null });
  });

  it("refuses what contains itself, unless references are preserved", () => {
    const cyclic: { next?: unknown } = {};
    cyclic.next = cyclic;
    const preserving = nbfx({ contracts: [contract], preserveReferences: true });

    const payload = preserving.encode(cyclic, encodeContext).payload;
    const decoded = preserving.decode(payload, decodeContext);

    expect(refusal(() => nbfx({ contracts: [contract] }).encode(cyclic, encodeContext)).code).toBe("UnsupportedValue");
    expect("body" in decoded && decoded.body).toSatisfy((body: { readonly next: unknown }) => body.next === body);
  });

  it("writes undefined as zero bytes", () => {
    expect(codec.encode(undefined, encodeContext).payload).toEqual(new Uint8Array(0));
  });
});
