import { dataContractJson, dataContractXml, nbfx, nrbf } from "../../codecs/dotnet/index.ts";
import { java } from "../../codecs/java/index.ts";
import type { Decoder } from "../../src/codec/index.ts";

/** A payload of the size that inputs are bounded at, as full of one thing as its format allows. */
export interface DensePayload {
  readonly name: string;
  readonly decoder: Decoder;
  readonly bytes: () => Uint8Array;
}

const size = 2 ** 20;

/** `head`, as many rows as there is room for, and `tail`. */
function filled(head: string, row: (index: number) => string, tail: string): Uint8Array {
  const parts = [head];
  for (let index = 0, left = size - head.length - tail.length; ; index++) {
    const next = row(index);
    left -= next.length;
    if (left < 0) break;
    parts.push(next);
  }
  parts.push(tail);
  return new Uint8Array(Buffer.from(parts.join(""), "latin1"));
}

/** {@link filled}, with the number of rows in the head. */
function counted(head: (count: number) => string, row: (index: number) => string, tail: string): Uint8Array {
  const room = size - head(0).length - tail.length;
  let count = 0;
  for (let used = row(0).length; used <= room; used += row(count).length) count++;
  return filled(head(count), row, tail);
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
const nbfxRows: Readonly<Record<string, (index: number) => string>> = {
  "elements of one attribute": () => binary("40 01 61 04 01 62 80 01"),
  "elements of three attributes": () => binary("40 01 61 04 01 62 80 04 01 63 80 04 01 64 80 01"),
  "different names": (index) => `${binary("40")}${short(named(index))}${binary("81")}`,
  numbers: () => binary("40 01 61 89 05"),
  "empty elements": () => binary("40 01 61 01"),
  objects: () => binary("40 01 61 40 01 62 81 40 01 63 83 01"),
  texts: () => binary("82"),
  strings: () => binary("40 01 61 99 02 78 79"),
};

const xmlRows: Readonly<Record<string, (index: number) => string>> = {
  "elements of one attribute": () => `<a b=""/>`,
  "elements of three attributes": () => `<a b="1" c="2" d="3"/>`,
  "different names": (index) => `<${named(index)}/>`,
  numbers: () => "<a>1</a>",
  "empty elements": () => "<a/>",
  objects: () => "<a><b>1</b><c>t</c></a>",
};

const jsonRows: Readonly<Record<string, (index: number) => string>> = {
  numbers: () => "1,",
  decimals: () => "1.10,",
  longs: () => "9007199254740993,",
  strings: () => '"",',
  dates: () => '"\\/Date(1)\\/",',
  objects: () => '{"a":1},',
  "empty objects": () => "{},",
  lists: () => "[1],",
  entries: () => '{"Key":1,"Value":2},',
};

const nrbfHead = (body: string): string => `${binary("00 01000000 ffffffff 01000000 00000000")}${body}`;
const objectArray = (count: number): string => nrbfHead(`${binary("10 01000000")}${little(count)}`);
const classRow = (names: readonly string[], types: string): ((index: number) => string) => {
  const first = `${binary("04 02000000")}${short("C")}${little(names.length)}${names.map(short).join("")}${binary(types)}`;
  return (index) =>
    index === 0
      ? `${first}${little(1).repeat(names.length)}`
      : `${binary("01")}${little(index + 2)}${little(2)}${little(index).repeat(names.length)}`;
};

const javaObjects = `${binary("75")}${binary("72")}${utf("[Ljava.lang.Object;")}${binary("0000000000000001 02 0000 78 70")}`;
const javaClass = (fields: string): string =>
  `${binary("72")}${utf("C")}${binary("0000000000000001 02")}${fields}${binary("78 70")}`;
const javaHead = binary("aced0005");
/** An array of objects that begins with one that describes its class: handle 2, behind the array's class and itself. */
const javaOf =
  (fields: string, values: string): (() => Uint8Array) =>
  () =>
    counted(
      (count) => `${javaHead}${javaObjects}${big(count)}`,
      (index) =>
        index === 0 ? `${binary("73")}${javaClass(fields)}${values}` : `${binary("73 71 007e0002")}${values}`,
      "",
    );

/** Every reader's formats at their densest. */
export const densePayloads: readonly DensePayload[] = [
  ...Object.entries(nbfxRows).map(([name, row]) => ({
    name: `nbfx ${name}`,
    decoder: nbfx(),
    bytes: () => filled(root, row, end),
  })),
  {
    name: "nbfx array of integers",
    decoder: nbfx(),
    bytes: () =>
      counted(
        (count) => `${root}${binary("03 40 01 61 01 8b")}${sevenBits(count)}`,
        () => "\u0001\u0002",
        end,
      ),
  },
  ...Object.entries(xmlRows).map(([name, row]) => ({
    name: `xml ${name}`,
    decoder: dataContractXml(),
    bytes: () => filled("<r>", row, "</r>"),
  })),
  ...Object.entries(jsonRows).map(([name, row]) => ({
    name: `json ${name}`,
    decoder: dataContractJson(),
    bytes: () => filled("[", row, "0]"),
  })),
  {
    name: "json different names",
    decoder: dataContractJson(),
    bytes: () => filled("{", (index) => `"${named(index)}":1,`, '"":0}'),
  },
  {
    name: "nrbf objects of one number",
    decoder: nrbf(),
    bytes: () => counted(objectArray, classRow(["a"], "00 08"), "\u000b"),
  },
  {
    name: "nrbf objects of three numbers",
    decoder: nrbf(),
    bytes: () => counted(objectArray, classRow(["a", "b", "c"], "00 00 00 08 08 08"), "\u000b"),
  },
  {
    name: "nrbf empty objects",
    decoder: nrbf(),
    bytes: () => counted(objectArray, classRow([], ""), "\u000b"),
  },
  {
    name: "nrbf strings",
    decoder: nrbf(),
    bytes: () => counted(objectArray, (index) => `${binary("06")}${little(index + 2)}${short("a")}`, "\u000b"),
  },
  {
    name: "nrbf references",
    decoder: nrbf(),
    bytes: () => counted(objectArray, () => `${binary("09")}${little(1)}`, "\u000b"),
  },
  {
    name: "nrbf boxed numbers",
    decoder: nrbf(),
    bytes: () => counted(objectArray, () => binary("08 08 01000000"), "\u000b"),
  },
  {
    name: "nrbf longs",
    decoder: nrbf(),
    bytes: () =>
      counted(
        (count) => nrbfHead(`${binary("0f 01000000")}${little(count)}\u0009`),
        () => binary("0102030405060708"),
        "\u000b",
      ),
  },
  {
    name: "java objects of one number",
    decoder: java(),
    bytes: javaOf(`${binary("0001")}I${utf("a")}`, binary("00000001")),
  },
  {
    name: "java objects of three bytes",
    decoder: java(),
    bytes: javaOf(`${binary("0003")}B${utf("a")}B${utf("b")}B${utf("c")}`, binary("010203")),
  },
  { name: "java empty objects", decoder: java(), bytes: javaOf(binary("0000"), "") },
  { name: "java block data", decoder: java(), bytes: () => filled(javaHead, () => binary("77 00"), "") },
  { name: "java block data of a byte", decoder: java(), bytes: () => filled(javaHead, () => binary("77 01 2a"), "") },
  { name: "java strings", decoder: java(), bytes: () => filled(javaHead, () => `${binary("74")}${utf("a")}`, "") },
  { name: "java empty strings", decoder: java(), bytes: () => filled(javaHead, () => binary("74 0000"), "") },
  { name: "java nulls", decoder: java(), bytes: () => filled(javaHead, () => "p", "") },
  {
    name: "java references",
    decoder: java(),
    bytes: () => filled(`${javaHead}${binary("74")}${utf("a")}`, () => binary("71 007e0000"), ""),
  },
];
