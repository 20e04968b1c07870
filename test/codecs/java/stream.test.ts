import { describe, expect, it } from "vitest";
import { java, type JavaStream, readStream } from "../../../codecs/java/index.ts";
import { defaultDecodeLimits, resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { annotationsOf, ContentStream, typeNameOf } from "../../../src/core/values/index.ts";
import { bytesOf, decodedBy, errorOf, hex, keptPayloads } from "../legacy/reading.support.ts";

const header = "aced0005";
/** A class description: name, fields (hex), flags, without annotations and superclass. */
const described = (name: string, flags: string, fields = "0000"): string =>
  `72 ${text(name)} 0000000000000001 ${flags} ${fields} 78 70`;
const text = (value: string): string =>
  `${value.length.toString(16).padStart(4, "0")}${Buffer.from(value, "latin1").toString("hex")}`;
const read = (body: string): unknown => decodedBy(java(), hex(header + body)).body;
const refused = (body: string): { readonly code: string; readonly offset: number | undefined } => {
  const { code, offset } = errorOf(() => read(body));
  return { code, offset };
};
const tree = (body: string): JavaStream => readStream(hex(header + body), defaultDecodeLimits);

describe("the grammar of a Java stream", () => {
  it("has strings of up to 65,535 bytes, and long ones", () => {
    expect(read(`74 ${text("abc")}`)).toBe("abc");
    expect(read("7c 0000000000000003 616263")).toBe("abc");
  });

  it("has modified UTF-8: NUL in two bytes, surrogates in three each", () => {
    expect(read("74 0008 c080 eda0bd eda9b0".replace("eda9b0", "edba80"))).toBe("\0\u{1f680}");
    expect(read("74 0003 eda080")).toBe("\ud800");
    expect(refused("74 0004 f09f9a80")).toEqual({ code: "DecodeFailed", offset: 7 });
    expect(refused("74 0002 c1bf")).toEqual({ code: "DecodeFailed", offset: 7 });
    expect(refused("74 0002 c3")).toEqual({ code: "TruncatedPayload", offset: 7 });
  });

  it("has contents side by side, block data among them, and resets that forget handles", () => {
    const body = read(`77 02 0001 7a 00000001 02 74 ${text("a")} 71 007e0000 79 74 ${text("b")} 71 007e0000`);

    expect(body).toEqual(new ContentStream([new Uint8Array([0, 1, 2]), "a", "a", "b", "b"]));
    expect(refused(`74 ${text("a")} 79 71 007e0000`)).toEqual({ code: "DecodeFailed", offset: 9 });
  });

  it("keeps every byte's place in the tree", () => {
    const { contents } = tree(`77 01 00 75 ${described("[Ljava.lang.Object;", "02")} 00000002 70 71 007e0001`);

    expect(contents.map(({ kind, offset }) => [kind, offset])).toEqual([
      ["block-data", 4],
      ["array", 7],
    ]);
    const [, array] = contents;
    if (array?.kind !== "array") throw new Error("no array");
    expect(array.elements.map(({ kind, offset }) => [kind, offset])).toEqual([
      ["null", 47],
      ["reference", 48],
    ]);
    expect(array.description.handle).toBe(0x7e0000);
    expect(array.handle).toBe(0x7e0001);
  });

  it("has classes with annotations of their loader and superclasses", () => {
    const base = `72 ${text("B")} 0000000000000001 02 0001 49 ${text("n")} 77 01 05 78 70`;
    const body = read(
      `73 72 ${text("D")} 0000000000000001 02 0001 49 ${text("n")} 74 ${text("note")} 78 ${base} 00000001 00000002`,
    );

    expect(body).toEqual({ n: 2 });
    expect(typeNameOf(body)).toBe("D");
    expect(annotationsOf(Object(body))?.superMembers).toEqual({ B: { n: 1 } });
  });

  it("has enums and classes as values, with names by reference", () => {
    const color = `7e 72 ${text("Color")} 0000000000000000 12 0000 78 72 ${text("java.lang.Enum")} 0000000000000000 12 0000 78 70`;

    expect(String(read(`${color} 74 ${text("RED")}`))).toBe("RED");
    expect(refused(`${color} 70`).code).toBe("DecodeFailed");
    expect(String(read(`76 ${described("acme.Order", "02")}`))).toBe("acme.Order");
  });

  it.each([
    ["a type code out of place", "78"],
    ["a type code that does not exist", "7f"],
    ["an exception of the sender", "7b 70"],
    ["a reset inside an array", `75 ${described("[Ljava.lang.Object;", "02")} 00000001 79`],
    ["block data as an element", `75 ${described("[Ljava.lang.Object;", "02")} 00000001 7700`],
    ["a reference to what comes later", "71 007e0000"],
    ["a negative reference", "71 80000000"],
    ["an object of an array class", `73 ${described("[I", "02")}`],
    ["an object of an enum class", `73 ${described("E", "12")}`],
    ["an object of no class", "73 70"],
    ["an object of a string", `74 ${text("a")} 73 71 007e0000`],
    ["an object of a class that is not serializable", `73 ${described("A", "00")}`],
    ["a constant of a class that is no enum", `7e ${described("E", "02")} 74 ${text("A")}`],
    ["an array of a class that is none of an array", `75 ${described("A", "02")} 00000000`],
    ["an array of void", `75 ${described("[V", "02")} 00000000`],
    ["a field of an unknown type", `73 ${described("A", "02", `0001 51 ${text("a")}`)}`],
    ["a field's class that is no string", `73 ${described("A", "02", `0001 4c ${text("a")} 70`)}`],
    [
      "primitive fields behind objects",
      `73 ${described("A", "02", `0002 4c ${text("a")} 74 ${text("LA;")} 49 ${text("b")}`)}`,
    ],
    ["flags that contradict each other", `73 ${described("A", "06")}`],
    ["an externalizable object without its class", `73 ${described("A", "04")}`],
    ["a class that is its own superclass", `72 ${text("A")} 0000000000000001 02 0000 78 71 007e0000`],
    ["an object in the description of its own class", `72 ${text("A")} 0000000000000001 02 0000 73 71 007e0000`],
    ["a boolean of 2", `73 ${described("A", "02", `0001 5a ${text("a")}`)} 02`],
    ["a proxy of too many interfaces", "7d 7fffffff"],
  ])("refuses %s", (_, body) => {
    const { code, offset } = refused(body);

    expect(code).toBe("DecodeFailed");
    expect(offset).toBeGreaterThanOrEqual(4);
  });

  it("says at which byte a stream ends too early", () => {
    const payload = bytesOf(keptPayloads("java").find(({ name }) => name === "prims") ?? { name: "", base64: "" });

    for (let end = 0; end < payload.length; end++) {
      const { code, offset } = errorOf(() => decodedBy(java(), payload.subarray(0, end)));
      expect(code).toBe("TruncatedPayload");
      expect(offset).toBeLessThanOrEqual(end);
    }
  });
});

const nested = (levels: number): string =>
  `75 ${described("[Ljava.lang.Object;", "02")} 00000001 ${"75 71 007e0000 00000001".repeat(levels - 1)} 70`;

it("keeps half a surrogate pair and a byte-order mark of a StringBuilder", () => {
  const builder = `73 ${described("java.lang.StringBuilder", "03")} 77 04 00000003 75 ${described("[C", "02")} 00000004 feff 0062 d800 0000 78`;

  expect(read(builder)).toBe("\ufeffb\ud800");
});

it("keeps the fields of a calendar whose zone has no offset that a clock can have", () => {
  const member = (code: string, name: string, type: string): string => `${code} ${text(name)}${type}`;
  const zoneFields = `0002 ${member("49", "rawOffset", "")} ${member("4c", "ID", `74 ${text("LS;")}`)}`;
  const zone = `73 ${described("sun.util.calendar.ZoneInfo", "02", zoneFields)} 7fffffff 74 ${text("Nowhere")}`;
  const fields = `0002 ${member("4a", "time", "")} ${member("4c", "zone", `74 ${text("LZ;")}`)}`;

  const body = read(`73 ${described("java.util.GregorianCalendar", "02", fields)} 0000000000000000 ${zone}`);

  expect(body).toMatchObject({ time: 0n, zone: { rawOffset: 0x7fff_ffff, ID: "Nowhere" } });
});

it("keeps the fields of a decimal whose scale is declared as a float", () => {
  const integerFields = `0002 49 ${text("signum")} 5b ${text("magnitude")} 74 ${text("[B")}`;
  const integer = `73 ${described("java.math.BigInteger", "02", integerFields)} 00000001 75 ${described("[B", "02", "0000")} 00000001 05`;
  const fields = `0002 46 ${text("scale")} 4c ${text("intVal")} 74 ${text("LI;")}`;

  const body = read(`73 ${described("java.math.BigDecimal", "02", fields)} 3fc00000 ${integer}`);

  expect(body).toMatchObject({ scale: expect.anything(), intVal: expect.anything() });
});

describe("the limits of a Java stream", () => {
  it("are those of depth", () => {
    expect(decodedBy(java(), hex(header + nested(3)), { maxDepth: 3 }).body).toEqual([[[null]]]);
    const { code, offset } = errorOf(() => decodedBy(java(), hex(header + nested(4)), { maxDepth: 3 }));
    expect(code).toBe("LimitExceeded");
    expect(offset).toBeGreaterThan(4);
  });

  it("are those of items and of bytes", () => {
    const array = hex(`${header} 75 ${described("[I", "02")} 00000003 000000010000000200000003`);

    expect(decodedBy(java(), array).body).toEqual([1, 2, 3]);
    expect(errorOf(() => decodedBy(java(), array, { maxItems: 3 })).code).toBe("LimitExceeded");
    expect(errorOf(() => decodedBy(java(), array, { maxBytes: array.length - 1 })).code).toBe("LimitExceeded");
  });

  it("bound superclasses that are named by reference", () => {
    const chain = Array.from({ length: 200 }, (_, index) => {
      const base = index === 0 ? "70" : `71 ${(0x7e0000 + index - 1).toString(16).padStart(8, "0")}`;
      return `76 72 ${text(`C${index}`.padEnd(4))} 0000000000000001 02 0000 78 ${base}`;
    });
    // A class object takes a handle, too.
    const body = chain.map((one, index) =>
      one.replace(/71 [0-9a-f]{8}$/, `71 ${(0x7e0000 + index * 2 - 2).toString(16).padStart(8, "0")}`),
    );

    const error = errorOf(() => read(`${body.join("")} 73 71 ${(0x7e0000 + 398).toString(16).padStart(8, "0")}`));

    expect(error.code).toBe("LimitExceeded");
  });

  it("bound lists of copies, which take no bytes", () => {
    const copies = described(
      "java.util.Collections$CopiesList",
      "02",
      `0002 49 ${text("n")} 4c ${text("element")} 74 ${text("Ljava/lang/Object;")}`,
    );

    expect(read(`73 ${copies} 00000002 70`)).toEqual([null, null]);
    expect(refused(`73 ${copies} 7fffffff 70`).code).toBe("LimitExceeded");
    expect(refused(`73 ${copies} ffffffff 70`).code).toBe("DecodeFailed");
  });

  it("refuse integers of more digits than anybody needs", () => {
    const fields = `0002 49 ${text("signum")} 5b ${text("magnitude")} 74 ${text("[B")}`;
    const integer = (size: number): string =>
      `73 ${described("java.math.BigInteger", "02", fields)} 00000001 75 ${described("[B", "02")} ${size.toString(16).padStart(8, "0")} ${"01".repeat(size)}`;

    expect(String(read(integer(2)))).toBe("257");
    expect(refused(integer(2049)).code).toBe("LimitExceeded");
  });
});

const list = (size: string, items: string): string =>
  `73 72 ${text("java.util.ArrayList")} 7881d21d99c7619d 03 0001 49 ${text("size")} 78 70 ${size} 7704 00000000 ${items} 78`;

describe("objects that lie", () => {
  it("are refused when they hold more or less than they say", () => {
    expect(read(list("00000001", "70"))).toEqual([null]);
    expect(refused(list("00000002", "70"))).toEqual({ code: "DecodeFailed", offset: 4 });
    expect(refused(list("00000000", "70"))).toEqual({ code: "DecodeFailed", offset: 4 });
    expect(refused(list("ffffffff", "")).code).toBe("DecodeFailed");
  });

  it("stay objects when a wrapper holds itself", () => {
    const wrapper = described("java.util.Collections$UnmodifiableList", "02", `0001 4c ${text("c")} 74 ${text("LC;")}`);

    const body = read(`73 ${wrapper} 71 007e0002`);

    expect(typeNameOf(body)).toBe("java.util.Collections$UnmodifiableList");
    expect(Reflect.get(Object(body), "c")).toBe(body);
  });

  it("get members of any name as their own", () => {
    const body = read(
      `73 ${described("A", "02", `0002 49 ${text("__proto__")} 49 ${text("constructor")}`)} 00000001 00000002`,
    );

    expect(Object.entries(Object(body))).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });
});

const custom = (fields: string): string => described("A", "03", fields);

describe("classes with a writeObject of their own", () => {
  it("append to their fields", () => {
    const body = read(`73 ${custom(`0001 49 ${text("n")}`)} 00000007 7701 ff 70 7701 01 7701 02 78`);

    expect(body).toEqual({ n: 7 });
    expect(annotationsOf(Object(body))?.data).toEqual([new Uint8Array([255]), null, new Uint8Array([1, 2])]);
  });

  it("may write none of their fields, which is found by reading again, with a warning", () => {
    const { body, warnings } = decodedBy(
      java(),
      hex(`${header} 73 ${custom(`0001 4a ${text("n")}`)} 7704 00000001 78`),
    );

    expect(body).toEqual({});
    expect(annotationsOf(Object(body))?.data).toEqual([new Uint8Array([0, 0, 0, 1])]);
    expect(warnings).toHaveLength(1);
  });

  it("are read with their fields where both would do", () => {
    // As an int, 77 02 00 00 is a number; as block data it is followed by an end.
    const { body, warnings } = decodedBy(java(), hex(`${header} 73 ${custom(`0001 49 ${text("n")}`)} 77020000 78`));

    expect(body).toEqual({ n: 0x77020000 });
    expect(warnings).toEqual([]);
  });

  it("cost at most a few more passes when nothing helps", () => {
    const doubtful = `75 ${described("[Ljava.lang.Object;", "02")} 00000064 73 ${custom(`0001 49 ${text("n")}`)} 77020000 78`;
    const body = `${doubtful}${"73 71 007e0002 77020000 78".repeat(98)} 7f`;

    expect(refused(body)).toEqual({ code: "DecodeFailed", offset: header.length / 2 + hex(body).length - 1 });
  });
});

describe("the Java reader", () => {
  it("gives the tree on request", () => {
    const { body } = decodedBy(java({ form: "tree" }), hex(`${header} 70`), resolveDecodeLimits());

    expect(body).toEqual({ contents: [{ kind: "null", offset: 4, count: 1 }], withoutFields: [] });
  });

  it("reports proxies instead of creating them", () => {
    const proxy = `73 7d 00000001 ${text("java.lang.Runnable")} 78 72 ${text("java.lang.reflect.Proxy")} e127da20cc1043cb 02 0001 4c ${text("h")} 74 ${text("LH;")} 78 70 70`;
    const body = read(proxy);

    expect(typeNameOf(body)).toBe("java.lang.reflect.Proxy");
    expect(JSON.parse(JSON.stringify(body))).toEqual({ interfaces: [{ $class: "java.lang.Runnable" }], h: null });
  });
});

const ser = (bytes: string): string => {
  const size = hex(bytes).length.toString(16).padStart(2, "0");
  return `73 72 ${text("java.time.Ser")} 955d84ba1b2248b2 0c 0000 78 70 77 ${size} ${bytes} 78`;
};

describe("java.time", () => {
  it("is read as its own classes write it", () => {
    expect(String(read(ser("05 000007e8 02 1d f5")))).toBe("2024-02-29T10:00:00");
    expect(String(read(ser("06 000007e8 02 1d 0a e1 08 07 0003 552f56")))).toBe("2024-02-29T10:30:00+02:00[U/V]");
  });

  it.each([
    ["a day that the month does not have", "05 000007e7 02 1d f5"],
    ["a month beyond twelve", "03 000007e7 0d 01"],
    ["an hour beyond the day", "04 18 00 00 00000000"],
    ["too many nanoseconds", "02 0000000000000000 3b9aca00"],
    ["an offset beyond 18 hours", "08 49"],
    ["a zone in brackets", "06 000007e8 02 1d f5 00 07 0001 5d"],
    ["too few bytes", "01 0000"],
  ])("is refused with %s", (_, bytes) => {
    expect(refused(ser(bytes))).toEqual({ code: "DecodeFailed", offset: 4 });
  });
});
