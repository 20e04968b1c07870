import { describe, expect, it } from "vitest";
import { dataContractXml } from "../../codecs/dotnet/index.ts";
import { decodeAlone } from "../../src/core/codec/decode-alone.ts";
import { writing } from "./written.support.ts";

const { migrated } = writing();

const ints = (...items: readonly number[]): string =>
  `<L xmlns="urn:l">${items.map((item) => `<i>${item}</i>`).join("")}</L>`;

const asText = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one) => (typeof one === "number" ? `${one}` : one));

const envelope = (inside: string, attributes = ""): Uint8Array =>
  Buffer.from(`<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"${attributes}>${inside}</e:Envelope>`);

describe("text, attributes and repeated parts of a SOAP message", () => {
  it.each([
    ["text alone", "<e:Body>x</e:Body>", { Body: "x" }],
    ["text in both sections", "<e:Header> h </e:Header><e:Body>b<!-- -->c</e:Body>", { Header: " h ", Body: "bc" }],
    ["text between parts", "<e:Body>x<a>1</a>y</e:Body>", { Body: { a: "1", "#text": ["x", "y"] } }],
    ["text of the envelope", "x<e:Body><a>1</a></e:Body>", { "#text": "x", Body: { a: "1" } }],
    ["an attribute", '<e:Body Id="b1">x</e:Body>', { Body: { "@Id": "b1", "#text": "x" } }],
    [
      "parts that are lists",
      `<e:Body>${ints(1, 2)}${ints(3, 4)}</e:Body>`,
      {
        Body: {
          L: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ],
    [
      "three of them",
      `<e:Body>${ints(1, 2)}${ints(3, 4)}${ints(5, 6)}</e:Body>`,
      {
        Body: {
          L: [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
        },
      },
    ],
    ["repeated sections", `<e:Body>x</e:Body><e:Body>y</e:Body>`, { Body: ["x", "y"] }],
  ])("%s: nothing is dropped or flattened, in decode and in migrate", async (_, inside, expected) => {
    const payload = envelope(inside);

    const body = decodeAlone(dataContractXml(), payload);
    const { bodies, report } = await migrated([payload]);

    expect(asText(body)).toEqual(asText(expected));
    expect(bodies.map(asText)).toEqual([asText(expected)]);
    expect(report.losses).toEqual([]);
  });
});
