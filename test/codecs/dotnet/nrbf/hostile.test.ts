import { expect, it } from "vitest";
import { nrbf } from "../../../../codecs/dotnet/nrbf/index.ts";
import { decodedBy, errorOf, hex } from "../../legacy/reading.support.ts";

const header = "00 01000000 ffffffff 01000000 00000000";
const int = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString("hex");
};
/** A length-prefixed string. */
const text = (value: string): string => {
  const size: number[] = [];
  let left = value.length;
  for (; left > 0x7f; left >>>= 7) size.push((left & 0x7f) | 0x80);
  return Buffer.from([...size, left]).toString("hex") + Buffer.from(value, "latin1").toString("hex");
};
const read = (records: string): unknown => decodedBy(nrbf(), hex(`${header} ${records} 0b`)).body;
const codeOf = (records: string): string => errorOf(() => read(records)).code;
const all = (count: number): string =>
  `10 ${int(1)} ${int(count)} ${Array.from({ length: count }, (_, index) => `09 ${int(index + 10)}`).join("")}`;

/** An object of a system class whose only members are primitives of one type. */
const primitives = (className: string, names: readonly string[], type: string, value: string): string =>
  `04 ${int(1)} ${text(className)} ${int(names.length)} ${names.map(text).join("")} ${"00".repeat(names.length)} ${type.repeat(names.length)} ${value.repeat(names.length)}`;

it.each([
  ["a Single that is not a number", "0b", "0000c07f"],
  ["a Single between two integers", "0b", "0000c03f"],
  ["a Double that is infinite", "06", "000000000000f07f"],
])("leaves integers, identifiers and enums that are written as %s objects", (_value, type, bytes) => {
  const guid = ["_a", "_b", "_c", "_d", "_e", "_f", "_g", "_h", "_i", "_j", "_k"];
  const of = (className: string, names: readonly string[]): unknown => read(primitives(className, names, type, bytes));

  expect(of("System.Guid", guid)).toHaveProperty("_k");
  expect(of("System.DayOfWeek", ["value__"])).toHaveProperty("value__");
  expect(of("System.Version", ["_Major", "_Minor"])).toHaveProperty("_Minor");
});

it("leaves an integer whose sign is not one an object", () => {
  const integer = `04 ${int(1)} ${text("System.Numerics.BigInteger")} ${int(2)} ${text("_sign")} ${text("_bits")} 00 07 0b 0f 0000c07f 0a`;

  expect(read(integer)).toHaveProperty("_sign");
});

it("does not copy an array once for each of the many lists that share it", () => {
  const size = 20_000;
  const list = `04 ${int(10)} ${text("System.Collections.ArrayList")} ${int(2)} ${text("_items")} ${text("_size")} 05 00 08 09 ${int(2)} ${int(size)}`;
  const lists = (count: number): string =>
    `${all(count)} 10 ${int(2)} ${int(size)} 0e ${int(size)} ${list} ${Array.from({ length: count - 1 }, (_, index) => `01 ${int(index + 11)} ${int(10)} 09 ${int(2)} ${int(size)}`).join("")}`;

  expect(read(lists(2))).toHaveLength(2);
  expect(codeOf(lists(60))).toBe("LimitExceeded");
});

it("does not copy an array of primitives once for each of the many lists that share it", () => {
  const size = 20_000;
  const list = `04 ${int(10)} ${text("System.Collections.Generic.List`1[[System.Byte]]")} ${int(2)} ${text("_items")} ${text("_size")} 07 00 02 08 09 ${int(2)} ${int(size)}`;
  const lists = (count: number): string =>
    `${all(count)} 0f ${int(2)} ${int(size)} 02 ${"01".repeat(size)} ${list} ${Array.from({ length: count - 1 }, (_, index) => `01 ${int(index + 11)} ${int(10)} 09 ${int(2)} ${int(size)}`).join("")}`;

  expect(read(lists(2))).toHaveLength(2);
  expect(codeOf(lists(60))).toBe("LimitExceeded");
});

it("does not read a long type name again for each object of its class", () => {
  const count = 50_000;
  const first = `04 ${int(10)} ${text("A".repeat(500_000))} ${int(0)}`;
  const others = Array.from({ length: count - 1 }, (_, index) => `01 ${int(index + 11)} ${int(10)}`);

  const body = read(`${all(count)} ${first} ${others.join("")}`);

  expect(body).toHaveLength(count);
});

it("does not walk long rows of wrappers again and again", () => {
  const count = 20_000;
  const first = `04 ${int(10)} ${text("System.Collections.ObjectModel.Collection`1")} ${int(1)} ${text("items")} 02 0a`;
  const others = Array.from(
    { length: count - 1 },
    (_, index) => `01 ${int(index + 11)} ${int(10)} 09 ${int(index + 10)}`,
  );

  expect(read(`${all(count)} ${first} ${others.join("")}`)).toHaveLength(count);
});

it("ends with wrappers around themselves", () => {
  const wrapper = `04 ${int(1)} ${text("System.Collections.ObjectModel.Collection`1")} ${int(1)} ${text("items")} 02 09 ${int(1)}`;

  const body = read(wrapper);

  expect(Reflect.get(Object(body), "items")).toBe(body);
});
