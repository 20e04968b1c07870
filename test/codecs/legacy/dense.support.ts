import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../../codecs/dotnet/index.ts";
import { java } from "../../../codecs/java/index.ts";
import type { Decoder } from "../../../src/core/codec/index.ts";

/** A payload as full of one thing as its format allows. */
export interface DensePayload {
  readonly name: string;
  readonly decoder: Decoder;
  readonly bytes: (size: number) => Uint8Array;
  /** Whether so many of them are beyond the limit of items, a million for a mebibyte. */
  readonly refused: boolean;
}

type Bytes = DensePayload["bytes"];
type Row = (index: number) => string;

/** `head`, as many rows as there is room for, and `tail`. */
function filled(head: string, row: Row, tail: string): Bytes {
  return (size) => {
    const parts = [head];
    for (let index = 0, left = size - head.length - tail.length; ; index++) {
      const next = row(index);
      left -= next.length;
      if (left < 0) break;
      parts.push(next);
    }
    parts.push(tail);
    return new Uint8Array(Buffer.from(parts.join(""), "latin1"));
  };
}

/** {@link filled}, with the number of rows in the head. */
function counted(head: (count: number) => string, row: Row, tail: string): Bytes {
  return (size) => {
    const room = size - head(0).length - tail.length;
    let count = 0;
    for (let used = row(0).length; used <= room; used += row(count).length) count++;
    return filled(head(count), row, tail)(size);
  };
}

const binary = (hex: string): string => Buffer.from(hex.replaceAll(" ", ""), "hex").toString("latin1");
const big = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255);
const little = (value: number): string => Array.from(big(value)).reverse().join("");
const short = (text: string): string => `${String.fromCharCode(text.length)}${text}`;
const utf = (text: string): string => `\0${short(text)}`;
/** A name of four letters that no other index below 400,000 has. */
const named = (index: number): string => (index + 500_000).toString(36);
const sevenBits = (value: number): string =>
  String.fromCharCode((value & 127) | 128, ((value >> 7) & 127) | 128, (value >> 14) & 127);

const root = binary("40 01 72");
const end = binary("01");
const nbfxRows: Readonly<Record<string, Row>> = {
  "elements of one attribute": () => binary("40 01 61 04 01 62 80 01"),
  "elements of three attributes": () => binary("40 01 61 04 01 62 80 04 01 63 80 04 01 64 80 01"),
  "different names": (index) => `${binary("40")}${short(named(index))}${binary("81")}`,
  "objects of a name each": (index) => `${binary("40 01 61 40")}${short(named(index))}${binary("81 01")}`,
  "attributes of a name each": (index) => `${binary("40 01 61 04")}${short(named(index))}${binary("80 01")}`,
  "objects, some of a name each": (index) =>
    `${binary("40 01 61 40")}${short(index % 76 === 0 ? named(index) : "b")}${binary("81 01")}`,
  "namespaces of an element each": (index) => `${binary("40 01 61 08")}${short(named(index))}${binary("01")}`,
  "objects of a number": () => binary("40 01 61 40 01 62 81 01"),
  "objects of nothing": () => binary("40 01 61 40 01 62 01 01"),
  numbers: () => binary("40 01 61 89 05"),
  "empty elements": () => binary("40 01 61 01"),
  objects: () => binary("40 01 61 40 01 62 81 40 01 63 83 01"),
  texts: () => binary("82"),
  strings: () => binary("40 01 61 99 02 78 79"),
};

const xmlRows: Readonly<Record<string, Row>> = {
  "elements of one attribute": () => `<a b=""/>`,
  "elements of three attributes": () => `<a b="1" c="2" d="3"/>`,
  "different names": (index) => `<${named(index)}/>`,
  "objects of nothing": () => "<a><b/></a>",
  "objects of a name each": (index) => `<a><${named(index)}/></a>`,
  "attributes of a name each": (index) => `<a ${named(index)}=""/>`,
  numbers: () => "<a>1</a>",
  "empty elements": () => "<a/>",
  objects: () => "<a><b>1</b><c>t</c></a>",
};

const jsonRows: Readonly<Record<string, Row>> = {
  numbers: () => "1,",
  decimals: () => "1.10,",
  longs: () => "9007199254740993,",
  strings: () => '"",',
  dates: () => '"\\/Date(1)\\/",',
  objects: () => '{"a":1},',
  "objects of a name each": (index) => `{"${named(index)}":1},`,
  "empty objects": () => "{},",
  lists: () => "[1],",
  entries: () => '{"Key":1,"Value":2},',
};

const nrbfHead = (body: string): string => `${binary("00 01000000 ffffffff 01000000 00000000")}${body}`;
const objectArray = (count: number): string => nrbfHead(`${binary("10 01000000")}${little(count)}`);
const nrbfArray = (row: Row): Bytes => counted(objectArray, row, "\u000b");
const classRow = (names: readonly string[], types: string): Row => {
  const first = `${binary("04 02000000")}${short("C")}${little(names.length)}${names.map(short).join("")}${binary(types)}`;
  return (index) =>
    index === 0
      ? `${first}${little(1).repeat(names.length)}`
      : `${binary("01")}${little(index + 2)}${little(2)}${little(index).repeat(names.length)}`;
};

const nrbfPayloads: Readonly<Record<string, Bytes>> = {
  "objects of one number": nrbfArray(classRow(["a"], "00 08")),
  "objects of three numbers": nrbfArray(classRow(["a", "b", "c"], "00 00 00 08 08 08")),
  "objects of a class each": nrbfArray(
    (index) =>
      `${binary("04")}${little(index + 2)}${short("C")}${little(1)}${short(named(index))}${binary("00 08 01000000")}`,
  ),
  "empty objects": nrbfArray(classRow([], "")),
  strings: nrbfArray((index) => `${binary("06")}${little(index + 2)}${short("a")}`),
  references: nrbfArray(() => `${binary("09")}${little(1)}`),
  "boxed numbers": nrbfArray(() => binary("08 08 01000000")),
  longs: counted(
    (count) => nrbfHead(`${binary("0f 01000000")}${little(count)}\u0009`),
    () => binary("0102030405060708"),
    "\u000b",
  ),
};

const javaObjects = `${binary("75")}${binary("72")}${utf("[Ljava.lang.Object;")}${binary("0000000000000001 02 0000 78 70")}`;
const javaClass = (fields: string): string =>
  `${binary("72")}${utf("C")}${binary("0000000000000001 02")}${fields}${binary("78 70")}`;
const javaHead = binary("aced0005");
const javaArray = (row: Row): Bytes => counted((count) => `${javaHead}${javaObjects}${big(count)}`, row, "");
/** An array of objects that begins with one that describes its class: handle 2, behind the array's class and itself. */
const javaOf = (fields: string, values: string): Bytes =>
  javaArray((index) =>
    index === 0 ? `${binary("73")}${javaClass(fields)}${values}` : `${binary("73 71 007e0002")}${values}`,
  );

const javaPayloads: Readonly<Record<string, Bytes>> = {
  "objects of one number": javaOf(`${binary("0001")}I${utf("a")}`, binary("00000001")),
  "objects of three bytes": javaOf(`${binary("0003")}B${utf("a")}B${utf("b")}B${utf("c")}`, binary("010203")),
  "objects of a class each": javaArray(
    (index) => `${binary("73")}${javaClass(`${binary("0001")}B${utf(named(index))}`)}\u0001`,
  ),
  "empty objects": javaOf(binary("0000"), ""),
  "block data": filled(javaHead, () => binary("77 00"), ""),
  "block data of a byte": filled(javaHead, () => binary("77 01 2a"), ""),
  strings: filled(javaHead, () => `${binary("74")}${utf("a")}`, ""),
  "empty strings": filled(javaHead, () => binary("74 0000"), ""),
  nulls: filled(javaHead, () => "p", ""),
  references: filled(`${javaHead}${binary("74")}${utf("a")}`, () => binary("71 007e0000"), ""),
};

/** The payloads of which a mebibyte holds more than a million items, or thousands of names in a row. */
const refused: ReadonlySet<string> = new Set([
  "nbfx texts",
  "nbfx different names",
  "nbfx objects of a name each",
  "nbfx attributes of a name each",
  "xml different names",
  "xml objects of a name each",
  "xml attributes of a name each",
  "nrbf objects of a class each",
  "java objects of a class each",
  "java empty strings",
  "java block data",
  "java block data of a byte",
  "java nulls",
]);

const families: readonly (readonly [string, Decoder, Readonly<Record<string, Bytes>>])[] = [
  ["nbfx", nbfx(), rowsIn(root, nbfxRows, end)],
  [
    "nbfx",
    nbfx(),
    {
      "array of integers": counted(
        (count) => `${root}${binary("03 40 01 61 01 8b")}${sevenBits(count)}`,
        () => "\u0001\u0002",
        end,
      ),
    },
  ],
  ["xml", dataContractXml(), rowsIn("<r>", xmlRows, "</r>")],
  ["json", dataContractJson(), rowsIn("[", jsonRows, "0]")],
  [
    "json",
    dataContractJson(),
    {
      "different names": filled("{", (index) => `"${named(index)}":1,`, '"":0}'),
      "integers of 4,300 digits": longIntegers,
    },
  ],
  ["nrbf", nrbf(), nrbfPayloads],
  ["java", java(), javaPayloads],
];

function rowsIn(head: string, rows: Readonly<Record<string, Row>>, tail: string): Readonly<Record<string, Bytes>> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, filled(head, row, tail)]));
}

function longIntegers(size: number): Uint8Array {
  const row = `${"9".repeat(4300)},`;
  const rows = row.repeat(Math.floor((size - 3) / row.length));
  return new Uint8Array(Buffer.from(`[${rows}${"9".repeat(size - 2 - rows.length)}]`, "latin1"));
}

/** Every reader's formats at their densest. */
export const densePayloads: readonly DensePayload[] = families.flatMap(([family, decoder, payloads]) =>
  Object.entries(payloads).map(([thing, bytes]) => {
    const name = `${family} ${thing}`;
    return { name, decoder, bytes, refused: refused.has(name) };
  }),
);
