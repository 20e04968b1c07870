import { toTypedJson, type TypedJson } from "../../codecs/amqp/index.ts";
import { AmqpMap, type AmqpValue, typed } from "../../src/core/values/index.ts";

/** A message of typed values: its data sections, the items of its sequence, its value, or the property `value`. */
export interface ValueCase {
  readonly name: string;
  readonly kind: "data" | "sequence" | "value" | "property";
  readonly values: readonly TypedJson[];
}

/** A value of each type that an application property can have. */
const simple: Readonly<Record<string, AmqpValue>> = {
  null: null,
  true: true,
  false: false,
  byte: typed.byte(-8),
  short: typed.short(-1600),
  int: -320_000,
  long: typed.long(-(2n ** 60n)),
  ubyte: typed.ubyte(200),
  ushort: typed.ushort(60_000),
  uint: typed.uint(4_000_000_000),
  ulong: typed.ulong(2n ** 63n + 1n),
  float: typed.float(1.5),
  double: 0.1,
  decimal32: typed.decimal32(Uint8Array.of(0x32, 0x00, 0x00, 0x0f)),
  decimal64: typed.decimal64(Uint8Array.of(0x31, 0xa0, 0, 0, 0, 0, 0, 0x0f)),
  decimal128: typed.decimal128(Uint8Array.of(0x30, 0x3e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0f)),
  char: typed.char("é"),
  timestamp: new Date(1_795_000_000_250),
  uuid: typed.uuid("00112233-4455-6677-8899-aabbccddeeff"),
  binary: Uint8Array.of(0, 127, 128, 255),
  string: "añil 漢 🚀",
  symbol: typed.symbol("a-symbol"),
};

/** And those that only a body can have. */
const compound: Readonly<Record<string, AmqpValue>> = {
  list: [-320_000, "x", null, true],
  map: new AmqpMap([["a", typed.long(7n)]]),
  array: typed.array("int", [1, 2, 3]),
};

const casesOf = (kind: "value" | "property", values: Readonly<Record<string, AmqpValue>>): readonly ValueCase[] =>
  Object.entries(values).map(([name, value]) => ({ name: `${kind}-${name}`, kind, values: [toTypedJson(value)] }));

/** The cases that each client writes for every other one. */
export const valueCases: readonly ValueCase[] = [
  { name: "data", kind: "data", values: [toTypedJson(Uint8Array.of(0, 127, 128, 255))] },
  {
    name: "data-of-two-sections",
    kind: "data",
    values: [toTypedJson(Uint8Array.of(1)), toTypedJson(Uint8Array.of(2))],
  },
  { name: "sequence", kind: "sequence", values: [-320_000, "x", true, 0.1].map((value) => toTypedJson(value)) },
  ...casesOf("value", simple),
  ...casesOf("value", compound),
  ...casesOf("property", simple),
];

/** A client that writes and reads the cases. */
export type CrosswiseClient = "JavaScript" | "Python" | "Java" | "Go" | "DotNet" | "ours";

/** With the numbers of scalars as text, since not every client prints them as JSON numbers. */
export const comparable = ({ name, kind, values }: ValueCase): ValueCase => ({
  name,
  kind,
  values: values.map(comparableValue),
});

function comparableValue({ t, v, of }: TypedJson): TypedJson {
  if (t === "null") return { t };
  if (of !== undefined) return { t, v, of };
  if (!Array.isArray(v)) return { t, v: typeof v === "number" ? `${v}` : v };
  if (t === "list") return { t, v: v.map((item: TypedJson) => comparableValue(item)) };
  return { t, v: v.map((pair: readonly TypedJson[]) => pair.map(comparableValue)) };
}
