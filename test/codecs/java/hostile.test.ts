import { expect, it } from "vitest";
import { java } from "../../../codecs/java/index.ts";
import { typeNameOf } from "../../../src/core/values/index.ts";
import { decodedBy, errorOf, hex } from "../legacy/reading.support.ts";

const text = (value: string): string =>
  `${value.length.toString(16).padStart(4, "0")}${Buffer.from(value, "latin1").toString("hex")}`;
const int = (value: number): string => value.toString(16).padStart(8, "0");
const reference = (index: number): string => `71 ${int(0x7e0000 + index)}`;
const described = (name: string, fields: string): string => `72 ${text(name)} 0000000000000001 02 ${fields} 78 70`;
const objects = described("[Ljava.lang.Object;", "0000");
const read = (body: string): unknown => decodedBy(java(), hex(`aced0005 ${body}`)).body;
const codeOf = (body: string): string => errorOf(() => read(body)).code;

it("does not copy an array once for each of the many lists that share it", () => {
  const list = described("java.util.Arrays$ArrayList", `0001 5b ${text("a")} 74 ${text("[LO;")}`);
  const nulls = 20_000;
  // Handles: the array's class 0, the array 1, the list's class 2, its field's type 3, the first list 4, …
  const shared = `75 ${objects} ${int(nulls)} ${"70".repeat(nulls)}`;
  const lists = (count: number): string =>
    `${shared} 73 ${list} ${reference(1)} ${`73 ${reference(2)} ${reference(1)}`.repeat(count - 1)}`;

  expect(read(lists(3))).toMatchObject({ contents: { length: 4 } });
  expect(codeOf(lists(60))).toBe("LimitExceeded");
});

it("does not walk long rows of wrappers again and again", () => {
  const wrapper = described("java.util.Collections$UnmodifiableList", `0001 4c ${text("list")} 74 ${text("LL;")}`);
  const count = 30_000;
  // Handles: the class 0, its field's type 1, the wrappers from 2 on.
  const rows = Array.from({ length: count - 1 }, (_, index) => `73 ${reference(0)} ${reference(index + 2)}`);

  const body = read(`73 ${wrapper} 70 ${rows.join("")}`);

  expect(body).toMatchObject({ contents: { length: count } });
});

it("does not follow sets of sets of sets by recursion", () => {
  const set = described("java.util.Collections$SetFromMap", `0001 4c ${text("m")} 74 ${text("LM;")}`);
  const rows = Array.from({ length: 20_000 }, (_, index) => `73 ${reference(0)} ${reference(index + 2)}`);

  expect(read(`73 ${set} 70 ${rows.join("")}`)).toMatchObject({ contents: { length: 20_001 } });
});

it("does not list the interfaces of a proxy once for each of many", () => {
  const interfaces = 20_000;
  const proxy = `7d ${int(interfaces)} ${"0000".repeat(interfaces)} 78 70`;
  const proxies = (count: number): string => `73 ${proxy} ${`73 ${reference(0)}`.repeat(count - 1)}`;

  expect(typeNameOf(read(proxies(1)))).toBe("java.lang.reflect.Proxy");
  expect(codeOf(proxies(60))).toBe("LimitExceeded");
});

it("does not look through the fields that a class declares and its objects leave out", () => {
  const fields = 5000;
  const others = `4c ${text("f")} ${reference(1)}`.repeat(fields - 1);
  const declared = `${fields.toString(16).padStart(4, "0")} 4c ${text("f")} 74 ${text("LF;")} ${others}`;
  const uuid = `72 ${text("java.util.UUID")} 0000000000000001 03 ${declared} 78 70`;
  const count = 50_000;

  const body = read(`73 ${uuid} 78 ${`73 ${reference(0)} 78`.repeat(count - 1)}`);

  expect(body).toMatchObject({ contents: { length: count } });
});

it("writes an integer that many share only so often", () => {
  const integer = described(
    "java.math.BigInteger",
    `0002 49 ${text("signum")} 5b ${text("magnitude")} 74 ${text("[B")}`,
  );
  const bytes = described("[B", "0000");
  const size = 2048;
  // Handles: the class 0, its field's type 1, the first integer 2, the array's class 3, the array 4.
  const first = `73 ${integer} 00000001 75 ${bytes} ${int(size)} ${"ff".repeat(size)}`;

  expect(codeOf(`${first} ${`73 ${reference(0)} 00000001 ${reference(4)}`.repeat(5000)}`)).toBe("LimitExceeded");
});
