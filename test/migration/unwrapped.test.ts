import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { writing } from "./written.support.ts";

const { migrated } = writing();
const written: readonly { readonly name: string; readonly base64: string }[] = readFileSync(
  new URL("../../fixtures/legacy/wcf/wcf.ndjson", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line): { readonly name: string; readonly base64: string } => JSON.parse(line));

function message(name: string): ReturnType<typeof createEnvelope> {
  const { base64 = "" } = written.find((one) => one.name === name) ?? {};
  return createEnvelope({ payload: new Uint8Array(Buffer.from(base64, "base64")) });
}

function utf32(text: string, littleEndian: boolean): Uint8Array {
  const codes = Array.from(`\u{feff}${text}`, (character) => character.codePointAt(0) ?? 0);
  const view = new DataView(new ArrayBuffer(codes.length * 4));
  for (const [index, code] of codes.entries()) view.setUint32(index * 4, code, littleEndian);
  return new Uint8Array(view.buffer);
}

describe("what is inside payloads", () => {
  it.each(["little", "big"])(
    "is migrated from UTF-32 with a byte-order mark, %s-endian, and found again",
    async (end) => {
      const serializer = await commandSerializer({});
      const payload = utf32('{"name":"Lucía 🚀","n":3}', end === "little");

      const { bodies, report } = await migrated([createEnvelope({ payload })], { serializer });

      expect(report).toMatchObject({ verdict: "clean", failures: [] });
      expect(bodies).toEqual([{ name: "Lucía 🚀", n: 3 }]);
    },
  );

  it("is migrated from byte arrays, and found again", async () => {
    const names = ["bytes of JSON", "bytes of base64 of JSON", "bytes of base64 of JSON in text XML"];
    const serializer = await commandSerializer({});

    // After others that are read as they are, their formats are tried first.
    const others = [message("bytes"), message("bytes in text XML")];
    const { bodies, report } = await migrated([...others, message("bytes of XML in text XML"), ...names.map(message)], {
      serializer,
    });

    expect(bodies.slice(2)).toEqual([{ id: 7 }, ...names.map(() => ({ a: [1, 2.5], b: "Lucía" }))]);
    expect(report.losses).toEqual([]);
    expect(report.formats.map(({ format }) => format).toSorted()).toEqual([
      "datacontract-xml",
      "datacontract-xml base64 json",
      "datacontract-xml datacontract-xml",
      "nbfx",
      "nbfx base64 json",
      "nbfx json",
    ]);
  });

  it("stays bytes with --no-unwrap, and where it is not a document", async () => {
    const closed = await commandSerializer({ unwrapBytes: false });
    const open = await commandSerializer({});

    const kept = await migrated([message("bytes of JSON")], { serializer: closed });
    const other = await migrated([message("bytes that begin like JSON"), message("bytes")], { serializer: open });

    expect(kept.bodies).toEqual([Buffer.from('{"a":[1,2.50],"b":"Lucía"}').toString("base64")]);
    expect(other.report).toMatchObject({ losses: [], failures: [] });
    expect(other.bodies).toEqual([Buffer.from("{not json").toString("base64"), "AAECe/8="]);
  });

  it("is the envelope of a WCF message with its headers, each value found again", async () => {
    const serializer = await commandSerializer({});
    const names = ["operation", "first of a session", "data contract", "fault"];

    const { bodies, report } = await migrated(names.map(message), { serializer });

    expect(report).toMatchObject({ losses: [], failures: [] });
    expect(report.types.map(({ name }) => name)).toEqual([
      "{http://tempuri.org/}SubmitOrder",
      "{http://schemas.datacontract.org/2004/07/Shop}Order",
      "{http://www.w3.org/2003/05/soap-envelope}Fault",
    ]);
    expect(bodies[1]).toMatchObject({
      Header: { To: { "#text": "net.msmq://localhost/orders" } },
      Body: { SubmitOrder: { order: { Weight: 2.5, Photo: "AQL/" } } },
    });
    expect(report.ambiguities.map(({ path }) => path)).not.toContain("$.Body");
  });
});
