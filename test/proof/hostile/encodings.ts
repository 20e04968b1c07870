import { frame, header } from "../../serve/server/amqp/hostile-peer.support.ts";
import type { Answer, HostileCase } from "./cases.ts";

const decodeError: Answer = "connection amqp:decode-error";

/** An open whose first or second field, the container id or the host, has these bytes. */
function openWith(field: string, at: "container-id" | "hostname"): Buffer {
  const fields = Buffer.from(`${at === "hostname" ? "a10163" : ""}${field}`, "hex");
  const head = Buffer.from("005310d0000000000000000000", "hex").subarray(0, 12);
  head.writeUInt32BE(fields.byteLength + 4, 4);
  head.writeUInt32BE(at === "hostname" ? 2 : 1, 8);
  return frame(Buffer.concat([head, fields]));
}

/** An open whose tenth field, its properties, has these bytes. */
function openWithProperties(field: string): Buffer {
  const fields = Buffer.from(`a10163${"40".repeat(8)}${field}`, "hex");
  const head = Buffer.alloc(12);
  head.set([0, 0x53, 0x10, 0xd0]);
  head.writeUInt32BE(fields.byteLength + 4, 4);
  head.writeUInt32BE(10, 8);
  return frame(Buffer.concat([head, fields]));
}

/** Bytes that no value of AMQP 1.0 has (part 1.6), in the place of a text. */
const texts: Readonly<Record<string, string>> = {
  "a text longer than its frame": "a1ff61",
  "a long text longer than its frame": "b1000000ff61",
  "a text of 4 GiB": "b1ffffffff61",
  "a text without its size": "a1",
  "a long text with half of its size": "b10000",
  "a text that is not UTF-8": "a102c328",
  "a text with half a surrogate pair": "a103eda080",
  "a text with an overlong slash": "a102c0af",
  "a text with a code point above the last": "a104f4908080",
  "a text with a continuation alone": "a10180",
  "a symbol that is not ASCII": "a301e4",
  "a constructor that there is not": "01",
  "a reserved constructor": "3f",
  "a descriptor without a value": "005310",
  "a descriptor of a descriptor without end": "0000000000",
};

/** The same in the map of the properties. */
const values: Readonly<Record<string, string>> = {
  "a map with one item": "c1040140a101",
  "a map with a key and no value": "c10401a10161",
  "a map larger than its frame": "c1ff02",
  "a map that claims 4 billion items": "d1000000080000000000",
  "a map with a size of 0": "c10002",
  "a map with the same key twice": "c10902a1016141a1016142".replace("c10902", "c10904"),
  "a list that claims more items than it has": "c10802a1016bc00202",
  "an array whose size is a lie": "c10a02a1016be005025000",
  "an array of texts without bytes": "c10a02a1016be00405a1",
  "an array of a type that there is not": "c10b02a1016be0040101000",
  "a boolean of 2": "c10602a1016b5602",
  "a character above the last": "c10902a1016b7300110000",
  "a surrogate as a character": "c10902a1016b730000d800",
  "half of a long": "c10902a1016b8000000001",
  "half of a uuid": "c10902a1016b9800000001",
  "half of a timestamp": "c10902a1016b8300000001",
  "half of a decimal": "c10902a1016b9400000001",
  "a binary longer than the map": "c10702a1016ba0ff01",
  "a described value without a descriptor": "c10602a1016b0040".replace("c106", "c107"),
};

const deep = (code: number, levels: number): string =>
  Buffer.from(
    Array.from({ length: levels }, (_, level) => [
      code,
      0,
      0,
      (levels - level) >> 8,
      (levels - level) & 255,
      0,
      0,
      0,
      1,
    ]).flat(),
  ).toString("hex");

/** Values whose bytes are wrong, before anybody is known. */
export const encodingCases: readonly HostileCase[] = [
  ...(["container-id", "hostname"] as const).flatMap((at) =>
    Object.entries(texts).map(([what, bytes]): HostileCase => ({
      what: `${what} as the ${at}`,
      frames: [header(0), openWith(bytes, at)],
      answer: decodeError,
    })),
  ),
  ...Object.entries(values).map(([what, bytes]): HostileCase => ({
    what: `${what} among properties`,
    frames: [header(0), openWithProperties(bytes)],
    answer: decodeError,
  })),
  ...(["d0", "d1", "f0"] as const).map((code): HostileCase => ({
    what: `values nested 300 deep in ${code}`,
    frames: [header(0), openWithProperties(deep(Number.parseInt(code, 16), 300))],
    answer: decodeError,
  })),
];
