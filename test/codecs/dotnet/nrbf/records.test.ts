import { describe, expect, it } from "vitest";
import { nrbf, type NrbfOptions, readNrbf } from "../../../../codecs/dotnet/nrbf/index.ts";
import { valueToJson } from "../../../../src/core/values/value-json.ts";
import { defaultDecodeLimits } from "../../../../src/core/codec/index.ts";
import { DateTime, Duration, MultiArray, typeNameOf } from "../../../../src/core/values/index.ts";
import { millisecondsToTicks } from "../../../../src/core/values/ticks.ts";
import { bytesOf, decodedBy, errorOf, hex, keptPayloads } from "../../legacy/reading.support.ts";
import { withoutStacks } from "../../../stackless.support.ts";

withoutStacks();

const header = "00 01000000 ffffffff 01000000 00000000";
const text = (value: string): string =>
  `${value.length.toString(16).padStart(2, "0")}${Buffer.from(value, "latin1").toString("hex")}`;
const int = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString("hex");
};
const payload = (records: string): Uint8Array => hex(`${header} ${records} 0b`);
const read = (records: string, options: NrbfOptions = {}): unknown => decodedBy(nrbf(options), payload(records)).body;
const refused = (records: string): { readonly code: string; readonly offset: number | undefined } => {
  const { code, offset } = errorOf(() => read(records));
  return { code, offset };
};
const library = `0c ${int(2)} ${text("Acme")}`;
/** A class record with library 2: names, and the types and infos of its members. */
const classOf = (id: number, name: string, names: readonly string[], types: string): string =>
  `05 ${int(id)} ${text(name)} ${int(names.length)} ${names.map(text).join("")} ${types} ${int(2)}`;

describe("the records of BinaryFormatter", () => {
  it("are a header, objects and an end", () => {
    expect(read(`06 ${int(1)} ${text("abc")}`)).toBe("abc");
    expect(errorOf(() => decodedBy(nrbf(), hex(header)))).toMatchObject({ code: "TruncatedPayload", offset: 17 });
    expect(errorOf(() => decodedBy(nrbf(), hex(`${header} 06 ${int(1)} 00 0b 00`)))).toMatchObject({
      code: "TrailingBytes",
      offset: 24,
    });
  });

  it("are classes with libraries, whose descriptions others refer to", () => {
    const body = read(
      `${library} 10 ${int(1)} ${int(2)} 09 ${int(3)} 09 ${int(4)} ${classOf(3, "A", ["n"], "00 08")} ${int(7)} 01 ${int(4)} ${int(3)} ${int(8)}`,
    );

    expect(body).toEqual([{ n: 7 }, { n: 8 }]);
    expect(Array.isArray(body) && body.map(typeNameOf)).toEqual(["A", "A"]);
  });

  it("keep public fields that a class hides with fields of the same name", () => {
    const strings = `06 ${int(3)} ${text("der")} 06 ${int(4)} ${text("base")} 06 ${int(5)} ${text("root")}`;

    expect(read(`${library} ${classOf(1, "Der", ["n", "n", "n"], "01 01 01")} ${strings}`)).toEqual({
      n: "der",
      "+n": "base",
      "2+n": "root",
    });
    expect(
      read(`${library} ${classOf(1, "Der", ["n", "+n", "n"], "00 00 00 08 08 08")} ${int(1)} ${int(2)} ${int(3)}`),
    ).toEqual({ n: 1, "+n": 2, "2+n": 3 });
  });

  it("name libraries in front of a member, and put value types in place", () => {
    const inner = `05 ${int(-3)} ${text("P")} ${int(1)} ${text("x")} 00 08 ${int(5)} ${int(9)}`;
    const body = read(`${library} ${classOf(1, "A", ["o"], "02")} 0c ${int(5)} ${text("Other")} ${inner}`);

    expect(body).toEqual({ o: { x: 9 } });
  });

  it("hold every primitive", () => {
    const types = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    const values = `01 ff c3b1 05${Buffer.from("-1.50").toString("hex")} 000000000000f83f feff feffffff feffffffffffffff ff 0000c03f
      8096980000000000 0000000000000040 ffff ffffffff ffffffffffffffff`;
    const names = types.map((type) => `m${type.toString(16)}`);
    const numbers = types.map((type) => type.toString(16).padStart(2, "0")).join("");
    const body = read(`${library} ${classOf(1, "A", names, "00".repeat(15) + numbers)} ${values}`);

    expect(Object.values(Object(valueToJson(body))).slice(1)).toEqual([
      true,
      255,
      { $char: "ñ" },
      { $decimal: "-1.50" },
      1.5,
      -2,
      -2,
      { $int64: "-2" },
      -1,
      1.5,
      { $duration: "PT1S", ticks: "10000000" },
      { $dateTime: "0001-01-01T00:00:00Z", kind: "utc", ticks: "0" },
      65_535,
      4_294_967_295,
      { $int64: "18446744073709551615" },
    ]);
  });

  it("hold primitives with their type where any object is allowed", () => {
    const body = read(`10 ${int(1)} ${int(3)} 08 08 ${int(5)} 08 01 01 08 0c 0000000000000000`);

    expect(body).toEqual([5, true, Duration.fromTicks(0n)]);
  });

  it("hold runs of nulls as one node, and write them out as a value", () => {
    const bytes = payload(`10 ${int(1)} ${int(300)} 0d ff 0a 0e ${int(44)}`);

    const { root } = readNrbf(bytes, defaultDecodeLimits);

    expect(root.kind === "array" && root.elements).toEqual([
      { kind: "null", offset: 26, count: 255 },
      { kind: "null", offset: 28, count: 1 },
      { kind: "null", offset: 29, count: 44 },
    ]);
    expect(decodedBy(nrbf(), bytes).body).toEqual(Array.from({ length: 300 }, () => null));
  });

  it("hold arrays of several dimensions, jagged ones, and those that do not begin at 0", () => {
    expect(read(`07 ${int(1)} 02 ${int(2)} ${int(1)} ${int(2)} 00 08 ${int(5)} ${int(6)}`)).toEqual(
      new MultiArray([1, 2], [5, 6]),
    );
    expect(
      read(`07 ${int(1)} 01 ${int(1)} ${int(2)} 07 08 09 ${int(2)} 0a 0f ${int(2)} ${int(1)} 08 ${int(5)}`),
    ).toEqual([[5], null]);
    const offset = payload(`07 ${int(1)} 05 ${int(2)} ${int(1)} ${int(1)} ${int(3)} ${int(-4)} 01 0a`);
    const { root } = readNrbf(offset, defaultDecodeLimits);
    expect(root.kind === "array" && root.shape).toEqual({ lengths: [1, 1], lowerBounds: [3, -4] });
    expect(decodedBy(nrbf(), offset).body).toEqual(new MultiArray([1, 1], [null]));
  });

  it("refer forward and backward, and to themselves", () => {
    const body = read(`10 ${int(1)} ${int(3)} 09 ${int(2)} 09 ${int(2)} 09 ${int(1)} 11 ${int(2)} ${int(0)}`);

    if (!Array.isArray(body)) throw new Error("no list");
    expect(body[0]).toEqual([]);
    expect(body[1]).toBe(body[0]);
    expect(body[2]).toBe(body);
  });

  it.each([
    ["an unknown record", "63"],
    ["a second header", "00"],
    ["a method call", "15"],
    ["a primitive outside an object", "08 08 00000000"],
    ["a null outside an object", "0a"],
    ["a reference to nothing", `10 ${int(1)} ${int(1)} 09 ${int(7)}`],
    ["a reference to a library", `${library} 10 ${int(1)} ${int(1)} 09 ${int(2)}`],
    ["a class of a library that is not named", classOf(1, "A", [], "")],
    ["a class described by a string", `06 ${int(1)} 00 01 ${int(3)} ${int(1)}`],
    ["two objects with one id", `06 ${int(1)} 00 06 ${int(1)} 00`],
    ["two libraries with one id", `${library} ${library} 06 ${int(1)} 00`],
    ["a run of no nulls", `10 ${int(1)} ${int(1)} 0e ${int(0)}`],
    ["a run of fewer than no nulls", `10 ${int(1)} ${int(1)} 0e ${int(-1)}`],
    ["a run of more nulls than elements", `10 ${int(1)} ${int(1)} 0d 02`],
    ["a run of nulls among members", `${library} ${classOf(1, "A", ["a", "b"], "0202")} 0d 02`],
    ["an unknown primitive type", `0f ${int(1)} ${int(1)} 04 00`],
    ["an unknown member type", `${library} ${classOf(1, "A", ["a"], "08")}`],
    ["a boolean of 2", `0f ${int(1)} ${int(1)} 01 02`],
    ["a Decimal that is no number", `0f ${int(1)} ${int(1)} 05 03 2e2e2e`],
    ["a Char of two units", `${library} ${classOf(1, "A", ["a"], "00 03")} f09f9a80`],
    ["a negative length", `10 ${int(1)} ${int(-1)}`],
    ["an array of no dimension", `07 ${int(1)} 02 ${int(0)} 02`],
    ["a plain array of two dimensions", `07 ${int(1)} 00 ${int(2)} ${int(0)} ${int(0)} 02`],
    ["an unknown kind of array", `07 ${int(1)} 06 ${int(1)} ${int(0)} 02`],
    ["text that is not UTF-8", `06 ${int(1)} 02 c328`],
    ["a length of 32 bits", `06 ${int(1)} ffffffff0f`],
    ["a negative number of members", `04 ${int(1)} ${text("A")} ${int(-1)}`],
  ])("refuse %s", (_, records) => {
    const { code, offset } = refused(records);

    expect(code).toBe("DecodeFailed");
    expect(offset).toBeGreaterThanOrEqual(17);
  });

  it("say at which byte a payload ends too early", () => {
    const whole = bytesOf(keptPayloads("nrbf").find(({ name }) => name === "holder") ?? { name: "", base64: "" });

    for (let end = 0; end < whole.length; end++) {
      const { code, offset } = errorOf(() => decodedBy(nrbf(), whole.subarray(0, end)));
      expect(code).toBe("TruncatedPayload");
      expect(offset).toBeLessThanOrEqual(end);
    }
  });

  it("explain classes without the types of their members", () => {
    const untyped = (member: string): string => `03 ${int(1)} ${text("A")} ${int(1)} ${text("n")} ${int(2)} ${member}`;
    const string = `06 ${int(3)} ${text("s")}`;

    expect(refused(`${library} ${untyped(int(7))}`)).toEqual({ code: "DecodeFailed", offset: 27 });
    const { body, warnings } = decodedBy(nrbf(), payload(`${library} ${untyped(string)}`));
    expect(body).toEqual({ n: "s" });
    expect(warnings).toHaveLength(1);
  });
});

const nested = (levels: number): string =>
  Array.from({ length: levels }, (_, index) => `10 ${int(index + 1)} ${int(1)}`).join("");

describe("the limits of BinaryFormatter payloads", () => {
  it("are those of depth, in place and by reference", () => {
    const linked = `10 ${int(1)} ${int(1)} 09 ${int(2)} 10 ${int(2)} ${int(1)} 09 ${int(3)} 10 ${int(3)} ${int(1)} 0a`;

    for (const records of [`${nested(3)} 0a`, linked]) {
      expect(decodedBy(nrbf(), payload(records), { maxDepth: 3 }).body).toEqual([[[null]]]);
      const { code, offset } = errorOf(() => decodedBy(nrbf(), payload(records), { maxDepth: 2 }));
      expect(code).toBe("LimitExceeded");
      expect(offset).toBeGreaterThan(17);
    }
  });

  it("are those of items, nulls among them, and of bytes", () => {
    const nulls = payload(`10 ${int(1)} ${int(1000)} 0e ${int(1000)}`);

    expect(decodedBy(nrbf(), nulls).body).toHaveLength(1000);
    expect(errorOf(() => decodedBy(nrbf(), nulls, { maxItems: 999 })).code).toBe("LimitExceeded");
    expect(errorOf(() => decodedBy(nrbf(), nulls, { maxBytes: nulls.length - 1 })).code).toBe("LimitExceeded");
    expect(refused(`10 ${int(1)} ${int(2 ** 31 - 1)} 0e ${int(2 ** 31 - 1)}`).code).toBe("LimitExceeded");
    expect(refused(`0f ${int(1)} ${int(2 ** 31 - 1)} 02 00`).code).toBe("TruncatedPayload");
  });
});

const byName = (name: string): Uint8Array =>
  bytesOf(keptPayloads("nrbf").find((kept) => kept.name === name) ?? { name, base64: "" });

const enumOf = (value: number): string => `${library} ${classOf(1, "Acme.Color", ["value__"], "00 08")} ${int(value)}`;

describe("the options of the reader", () => {
  it("give enums their names", () => {
    const colors = { names: { None: 0, Red: 1, Green: 2, Both: 3, Blue: 4 } };
    const flags = { enums: { "Acme.Color": { ...colors, flags: true } } };

    expect(String(read(enumOf(2), { enums: { "Acme.Color": colors } }))).toBe("Green");
    expect(String(read(enumOf(5), { enums: { "Acme.Color": colors } }))).toBe("5");
    expect(String(read(enumOf(5), flags))).toBe("Red, Blue");
    expect(String(read(enumOf(7), flags))).toBe("Both, Blue");
    expect(String(read(enumOf(0), flags))).toBe("None");
    expect(String(read(enumOf(9), flags))).toBe("9");
    expect(String(read(enumOf(2)))).toBe("2");
  });

  it("give enums of contracts their names in the code", () => {
    const contract = {
      title: "Color",
      "x-dotnet": { type: "enum", members: { rojo: 1 }, clrMembers: { Red: 1 }, namespace: "urn:acme" },
    };

    expect(String(read(enumOf(1), { contracts: [contract] }))).toBe("Red");
    expect(String(read(enumOf(1), { contracts: [{ ...contract, title: "Other" }] }))).toBe("1");
  });

  it("keep a number that an enum's contract lacks, with a warning", () => {
    const contract = { title: "Color", "x-dotnet": { type: "enum", members: { Red: 1 }, namespace: "urn:acme" } };

    const { body, warnings } = decodedBy(nrbf({ contracts: [contract] }), payload(enumOf(7)));

    expect(String(body)).toBe("7");
    expect(warnings).toEqual(["A number of Acme.Color has no name in its contract; it was kept as a number."]);
  });

  it("are refused when they name no time zone", () => {
    expect(errorOf(() => nrbf({ timeZone: "Europe/Atlantis" })).code).toBe("InvalidArgument");
  });

  it("set the zone in which local times were written", () => {
    const local = `${library} ${classOf(1, "A", ["t"], "00 0d")} 0000dc3a80b7dc88`;

    const madrid = decodedBy(nrbf({ timeZone: "Europe/Madrid" }), payload(local));
    const here = decodedBy(nrbf(), payload(local));

    expect(JSON.stringify(valueToJson(madrid.body))).toMatch(/\+0[12]:00"/);
    expect(madrid.warnings).toEqual([]);
    expect(valueToJson(here.body)).toMatchObject({ t: { kind: "local" } });
    expect(here.warnings).toHaveLength(1);
  });

  it("distinguish summer time from the repeated hour after it by .NET's last kind of time", () => {
    const ticks = millisecondsToTicks(Date.UTC(2024, 9, 27, 2, 30));
    const bits = (kind: bigint): string =>
      Buffer.from(BigInt64Array.of(BigInt.asIntN(64, kind << 62n) | ticks).buffer).toString("hex");
    const times = `0f ${int(1)} ${int(2)} 0d ${bits(3n)} ${bits(2n)}`;

    expect(read(times, { timeZone: "Europe/Madrid" })).toEqual([
      new DateTime(ticks, "local", 120),
      new DateTime(ticks, "local", 60),
    ]);
  });

  it("decide whether automatic properties have their own names", () => {
    const { body } = decodedBy(nrbf({ memberNames: "property" }), byName("auto"));

    expect(body).toEqual({ Name: "Ana", Age: 3 });
  });

  it("decide whether the body is the tree", () => {
    const { body } = decodedBy(nrbf({ form: "tree" }), payload(`06 ${int(1)} ${text("abc")}`));

    expect(body).toMatchObject({ root: { kind: "string", id: 1, offset: 17, value: "abc" } });
  });
});
