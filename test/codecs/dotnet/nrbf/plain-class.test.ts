import { describe, expect, it } from "vitest";
import { nrbf } from "../../../../codecs/dotnet/nrbf/index.ts";
import { decodedBy, errorOf, hex } from "../../legacy/reading.support.ts";

const int = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString("hex");
};
const text = (value: string): string =>
  Buffer.from([value.length]).toString("hex") + Buffer.from(value, "latin1").toString("hex");
const read = (records: string): unknown =>
  decodedBy(nrbf(), hex(`00 01000000 ffffffff 01000000 00000000 ${records} 0b`)).body;
const array = (count: number): string => `10 ${int(1)} ${int(count)}`;
const point = (id: number): string => `04 ${int(id)} ${text("Point")} ${int(2)} ${text("x")} ${text("on")} 00 00 08 01`;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

describe("objects of primitive members", () => {
  it("are read with their class and by reference to it", () => {
    const values = read(`${array(2)} ${point(2)} ${int(1)} 01 01 ${int(3)} ${int(2)} ${int(-2)} 00`);

    expect(values).toMatchObject([
      { x: 1, on: true },
      { x: -2, on: false },
    ]);
  });

  it("stay shared where a reference points at them, before and behind", () => {
    const values = read(`${array(3)} 09 ${int(2)} ${point(2)} ${int(1)} 01 09 ${int(2)}`);

    const [before, itself, behind] = listOf(values);

    expect(itself).toMatchObject({ x: 1 });
    expect(before).toBe(itself);
    expect(behind).toBe(itself);
  });

  it("stay shared where an array and a list over it hold them", () => {
    const inner = `10 ${int(4)} ${int(1)} ${point(5)} ${int(1)} 01`;
    const over = `04 ${int(6)} ${text("System.Collections.ArrayList")} ${int(2)} ${text("_items")} ${text("_size")} 05 00 08 09 ${int(4)} ${int(1)}`;

    const [plain, list] = listOf(read(`${array(2)} ${inner} ${over}`));

    expect(listOf(plain)[0]).toMatchObject({ x: 1 });
    expect(listOf(list)[0]).toBe(listOf(plain)[0]);
  });

  it("are their value where they only precede one", () => {
    const nullable = `04 ${int(2)} ${text("System.Nullable`1")} ${int(2)} ${text("hasValue")} ${text("value")} 00 00 01 08 01 ${int(7)}`;

    expect(read(`${array(1)} ${nullable}`)).toEqual([7]);
  });

  it("are refused where they hold an invalid Boolean", () => {
    const error = errorOf(() => read(`${array(1)} ${point(2)} ${int(1)} 02`));

    expect(error).toMatchObject({ code: "DecodeFailed" });
  });
});
