import { expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { SourceMessageReader } from "../../src/migration/read/read-message.ts";
import { verifyMessage } from "../../src/migration/verify/verify-message.ts";
import { bytes } from "../codecs/dotnet/decoding.support.ts";
import { xml } from "./samples.support.ts";

const serializer = await commandSerializer({});
const reader = new SourceMessageReader({ serializer, openJsonText: true, hasContract: () => false });

/** The paths that are reported when this body is read back from the new payload. */
function reported(source: Uint8Array | string, decoded: unknown): readonly string[] {
  const payload = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const read = reader.read(createEnvelope({ payload }));
  if (!read.ok) throw read.error;
  const { layers, codec, body } = read;
  return verifyMessage({ payload, layers, codec, typed: false, body, decoded, numbersAreText: false });
}

const when = String.raw`"W":"\/Date(0)\/"`;
const W = "1970-01-01T00:00:00Z";
const system = 'xmlns:s="http://schemas.datacontract.org/2004/07/System"';
const offset = (name: string): string =>
  `<${name} ${system}><s:DateTime>2024-01-02T02:04:05Z</s:DateTime><s:OffsetMinutes>60</s:OffsetMinutes></${name}>`;
const ofNrbf =
  "AAEAAAD/////AQAAAAAAAAAMAgAAAD1BdHRhY2ssIFZlcnNpb249MC4wLjAuMCwgQ3VsdHVyZT1uZXV0cmFsLCBQdWJsaWNLZXlUb2tlbj1udWxsBQEA" +
  "AAAQWmV0YS5Nb2RlbC5GYWtlTAIAAAAERGF0YQdWZXJzaW9uBgAIAgAAAAkDAAAAAwAAABEDAAAAAgAAAAYEAAAAAWEGBQAAAAFiCw==";

const changes: readonly (readonly [
  what: string,
  source: Uint8Array | string,
  good: Readonly<Record<string, unknown>>,
  bad: unknown,
])[] = [
  ["text of binary XML that became a number", bytes("40 01 'r' 40 01 'a' 99 02 '50' 01"), { a: "50" }, { a: 50 }],
  [
    "text of binary XML that became a boolean",
    bytes("40 01 'r' 40 01 'a' 99 04 'true' 01"),
    { a: "true" },
    { a: true },
  ],
  ["the blanks around text", xml("<a> b </a><c>d</c>"), { a: " b ", c: "d" }, { a: "b", c: "d" }],
  ["a decimal that became a double", xml("<a>2.50</a><c>d</c>"), { a: "2.50", c: "d" }, { a: 2.5, c: "d" }],
  ["the sign of zero", xml("<a>0</a><c>d</c>"), { a: 0, c: "d" }, { a: -0, c: "d" }],
  [
    "an item that was null and became empty text",
    xml('<L xmlns:s="urn:s"><s:i i:nil="true"/><s:i/></L><c>d</c>'),
    { L: [null, ""], c: "d" },
    { L: ["", ""], c: "d" },
  ],
  [
    "a time without a zone that got one",
    xml("<a>2024-01-01T00:00:00</a><c>d</c>"),
    { a: "2024-01-01T00:00:00", c: "d" },
    { a: "2024-01-01T00:00:00Z", c: "d" },
  ],
  [
    "the offset of a time",
    xml(`${offset("a")}<c>d</c>`),
    { a: "2024-01-02T03:04:05+01:00", c: "d" },
    { a: "2024-01-02T04:04:05+02:00", c: "d" },
  ],
  [
    "one of two equal times with offsets",
    xml(`${offset("a")}${offset("b")}`),
    { a: "2024-01-02T03:04:05+01:00", b: "2024-01-02T03:04:05+01:00" },
    { a: "2024-01-02T03:04:05+01:00", b: null },
  ],
  [
    "a value that only the name of a member repeats",
    xml("<a><x>y</x></a><b>a</b>"),
    { a: { x: "y" }, b: "a" },
    { a: { x: "y" }, b: null },
  ],
  [
    "the offset of a date",
    String.raw`{${when},"a":"\/Date(0+0200)\/"}`,
    { W, a: "1970-01-01T02:00:00+02:00" },
    { W, a: W },
  ],
  [
    "a double with the digits of a float",
    `{${when},"a":2.5999999046325684}`,
    { W, a: 2.5999999046325684 },
    { W, a: 2.6 },
  ],
  ["an empty list", `{${when},"a":[],"b":{}}`, { W, a: [], b: {} }, { W, a: null, b: {} }],
  [
    "a member that a collection of .NET has, too",
    new Uint8Array(Buffer.from(ofNrbf, "base64")),
    { Data: ["a", "b"], Version: 3 },
    { Data: ["a", "b"] },
  ],
];

it.each(changes)("the verification reports %s", (_, source, good, bad) => {
  expect(reported(source, good)).toEqual([]);
  expect(reported(source, bad)).not.toEqual([]);
});
