import { isUtf8 } from "node:buffer";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../../src/cli/codecs.ts";
import { amqp } from "../../../codecs/amqp/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { nbfx } from "../../../codecs/dotnet/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import type { Encoder } from "../../../src/core/codec/codec.ts";
import { migrateAll } from "../../migration/samples.support.ts";

const serializer = await commandSerializer({});
const order = { customer: "Ann", city: "Gent", total: 12 };
const orders = JSON.stringify(order);

const written = (codec: Encoder, body: unknown): Uint8Array =>
  codec.encode(body, { contentType: undefined, applicationProperties: {} }).payload;

const note = { title: "Note", "x-dotnet": { namespace: "urn:n" }, properties: { Text: { type: "string" } } } as const;

/** The bytes of a family: a scalar or a near-empty container, and a whole document. */
interface Family {
  /** The codec that reads the long form. */
  readonly codec: string;
  readonly declared: string;
  readonly short: Uint8Array;
  readonly long: Uint8Array;
  /** Whether its short form has a signature. */
  readonly signed?: boolean;
  /** The codec that reads the short form where nothing is declared. Default: none reads it. */
  readonly guessed?: string;
}

const families: Readonly<Record<string, Family>> = {
  text: {
    codec: "text",
    declared: "text/plain",
    short: Buffer.from("100%"),
    long: Buffer.from("2 orders, of 3 lines each\n"),
    guessed: "text",
  },
  json: {
    codec: "json",
    declared: "application/json",
    short: Buffer.from('{"a":1}'),
    long: Buffer.from(orders),
    guessed: "json",
  },
  xml: {
    codec: "datacontract-xml",
    declared: "application/xml",
    short: Buffer.from("<a>1</a>"),
    long: Buffer.from("<Order><City>Gent</City></Order>"),
    guessed: "datacontract-xml",
  },
  msgpack: {
    codec: "msgpack",
    declared: "application/vnd.msgpack",
    short: Buffer.from("82a16101a16202", "hex"),
    long: written(msgpack(), order),
  },
  amqp: {
    codec: "amqp",
    declared: "application/x-amqp-value",
    short: written(amqp(), { a: 1 }),
    long: written(amqp(), order),
  },
  nbfx: {
    codec: "nbfx",
    declared: "application/x-nbfx",
    short: Buffer.from("40016101", "hex"),
    long: written(nbfx({ contracts: [note] }), { Text: "a long enough text" }),
    guessed: "nbfx",
  },
  java: {
    codec: "java",
    declared: "application/x-java-serialized-object",
    short: Buffer.from("aced00057400026f6b", "hex"),
    long: Buffer.from("aced0005740014612074657874206c6f6e6765722074686e203136", "hex"),
    signed: true,
    guessed: "java",
  },
};

const binary: ReadonlySet<string> = new Set(["msgpack", "amqp", "nbfx", "java"]);

function read(payload: Uint8Array, contentType: string | undefined): { codec: string | undefined; warned: boolean } {
  const result = serializer.deserialize(createEnvelope({ payload, brokerProperties: { contentType } }));
  const warned = result.ok && result.warnings.some((warning) => warning.includes("against its content type"));
  return { codec: result.ok ? result.codec : undefined, warned };
}

describe("payloads of another family than the declared one", () => {
  const cells = Object.entries(families).flatMap(([declared, { declared: contentType }]) =>
    Object.entries(families).flatMap(([actual, family]) =>
      (["short", "long"] as const).map((length) => ({ declared, contentType, actual, family, length })),
    ),
  );

  it.each(cells)(
    "$declared is declared, $actual arrives ($length)",
    ({ declared, contentType, actual, family, length }) => {
      const outcome = read(family[length], contentType);

      if (declared === actual) expect(outcome).toEqual({ codec: family.codec, warned: false });
      // Printable bytes of another family are the declared text.
      else if (declared === "text" && isUtf8(family[length])) expect(outcome).toEqual({ codec: "text", warned: false });
      else if ((length === "long" && !(actual === "text" && binary.has(declared))) || family.signed === true)
        expect(outcome).toEqual({ codec: family.codec, warned: true });
      else expect(outcome).toEqual({ codec: undefined, warned: false });
    },
  );

  it.each(Object.entries(families))("%s arrives without a content type", (_, { codec, short, long, guessed }) => {
    expect(read(long, undefined)).toEqual({ codec, warned: false });
    expect(read(short, undefined)).toEqual({ codec: guessed, warned: false });
  });
});

describe("a declared text is not a number", () => {
  it.each([
    ["£100 in Latin-1", "a3313030", "text/plain"],
    ["é in Latin-1", "e9", "text/plain"],
    ["Ñab in Latin-1", "d16162", "text/plain"],
    ["€ in Windows-1252", "80", "text/plain"],
    ["Ÿ and 15 letters in Windows-1252", "9f616263646566676869707172737475", "text/plain"],
    ["x in an unknown charset", "78", "text/plain; charset=foo"],
    ["£100 in Latin-1", "a3313030", undefined],
    ["é in Latin-1", "e9", undefined],
    ["Ñab in Latin-1", "d16162", undefined],
    ["€ in Windows-1252", "80", undefined],
    ["Python's notation", "7b2761273a20317d", "application/json"],
    ["undefined", "756e646566696e6564", "application/json"],
    ["a trailing comma", "7b2261223a312c7d", "application/json"],
    ["one byte", "44", "application/x-protobuf"],
    ["a field of printable bytes", "2220".concat("41".repeat(32)), "application/x-protobuf"],
  ])("%s (%s), declared as %s, is not read", async (_, hex, contentType) => {
    const payload = Buffer.from(hex, "hex");

    expect(read(payload, contentType)).toEqual({ codec: undefined, warned: false });
    const { report } = await migrateAll([{ payload, brokerProperties: { contentType } }], { serializer });
    expect(report.verdict).toBe("failures");
  });

  it("is not Clean in a migration if it was read against its declaration", async () => {
    const { report } = await migrateAll(
      [{ payload: families["msgpack"]?.long ?? new Uint8Array(), brokerProperties: { contentType: "text/plain" } }],
      { serializer },
    );

    expect(report.verdict).toBe("ambiguous");
    expect(report.warnings.map(({ text }) => text)).toEqual([
      "The body was read as msgpack, against its content type, text/plain.",
    ]);
  });

  it("judges what declared compression holds as if nothing were declared", () => {
    expect(read(gzipSync("100%"), "application/gzip")).toEqual({ codec: "text", warned: false });
    expect(read(gzipSync(orders), "application/json")).toEqual({ codec: "json", warned: false });
    expect(read(gzipSync(Buffer.from("e9", "hex")), "application/gzip").codec).toBeUndefined();
  });
});
