import { Buffer } from "node:buffer";
import type { TypedJson } from "../../codecs/amqp/index.ts";
import { type CrosswiseClient, comparable, type ValueCase } from "./crosswise.support.ts";

/** Cases that a client cannot write: its API or the AMQP library below it has no such type. */
export const unwritten: Readonly<Record<CrosswiseClient, RegExp>> = {
  JavaScript: /^data-of-two|-decimal/,
  // Integers of bodies are int; types that Python lacks have names in properties alone.
  Python: /-(decimal32|decimal64|char)$|^value-(byte|short|long|ubyte|ushort|uint|ulong|float|symbol|array)$/,
  Java: /^data-of-two|^value-null$/,
  Go: /-(decimal\d+|char)$|^value-null$/,
  DotNet: /-decimal\d+$|^value-(null|list)$|-symbol$/,
  ours: /^data-of-two/,
};

/** Cases that end a receiver of the client, since it throws when it decodes them. */
export const unreadable: Readonly<Record<CrosswiseClient, RegExp>> = {
  JavaScript: /^$/,
  Python: /-(decimal\d+|char)$/,
  Java: /^value-null$/,
  Go: /-(decimal\d+|char)$/,
  // A null in a body ends it, also within a list.
  DotNet: /^value-(null|list)$|-decimal(32|64)$/,
  ours: /^$/,
};

const nothing: readonly TypedJson[] = [];

/** The case as a client has put it on the wire. */
export function written(writer: CrosswiseClient, one: ValueCase): ValueCase {
  if (writer !== "Python" || one.kind !== "value") return one;
  // It sends null and false without a body, and a small integer in a map as an int.
  if (one.name === "value-null" || one.name === "value-false") return { ...one, values: nothing };
  return {
    ...one,
    values: one.values.map((value) => deep(value, (item) => (item.t === "long" ? { ...item, t: "int" } : item))),
  };
}

/** The case as a reader shows it, once a writer has written it. */
export function shown(reader: CrosswiseClient, writer: CrosswiseClient, one: ValueCase): ValueCase {
  return views[reader](comparable(one), writer);
}

type View = (one: ValueCase, writer: CrosswiseClient) => ValueCase;

const views: Readonly<Record<CrosswiseClient, View>> = {
  JavaScript(one, writer) {
    const values = one.values.map((value) => deep(value, (item) => inJavaScript(item, writer)));
    // A body that comes as bytes looks like a data section to it.
    const isData = one.kind === "value" && values[0]?.t === "binary";
    return { ...one, kind: isData ? "data" : one.kind, values };
  },
  Python: (one) => ({ ...one, values: orNull(one).map((value) => deep(value, inPython)) }),
  Java(one) {
    if (one.kind === "data") return { ...one, values: one.values.slice(0, 1) };
    return one.values.length > 0 ? one : { ...one, kind: "data", values: [{ t: "binary", v: "" }] };
  },
  Go: (one) => ({ ...one, values: orNull(one).map((value) => deep(value, symbolAsString)) }),
  DotNet: (one) => ({ ...one, values: one.values.map((value) => deep(value, inDotNet)) }),
  // The payload of an envelope is what all sections hold.
  ours: (one) =>
    one.kind === "data" ? { ...one, values: [{ t: "binary", v: one.values.map(({ v }) => v).join("") }] } : one,
};

const orNull = ({ values }: ValueCase): readonly TypedJson[] => (values.length === 0 ? [{ t: "null" }] : values);

const symbolAsString = (value: TypedJson): TypedJson => (value.t === "symbol" ? { ...value, t: "string" } : value);

/** Numbers have one type; values beyond them come as bytes. */
function inJavaScript(value: TypedJson, writer: CrosswiseClient): TypedJson {
  const { t, v } = value;
  switch (t) {
    case "boolean":
      // It takes the form of two bytes, in which Python writes booleans, for a number.
      return writer === "Python" ? { t: "number", v: v === true ? "1" : "0" } : value;
    case "byte":
    case "short":
    case "int":
    case "ubyte":
    case "ushort":
    case "uint":
    case "char":
      return { t: "number", v };
    case "float":
      return { t: "number", v: `${Buffer.from(String(v), "hex").readFloatBE()}` };
    case "double":
      return { t: "number", v: `${Buffer.from(String(v), "hex").readDoubleBE()}` };
    case "long":
    case "ulong":
      return Number.isSafeInteger(Number(v)) ? { t: "number", v } : { t: "binary", v: hexOf(BigInt(String(v))) };
    case "uuid":
      return { t: "binary", v: String(v).replaceAll("-", "") };
    case "decimal32":
    case "decimal64":
    case "decimal128":
      return { t: "binary", v };
    case "array":
      return { t: "list", v: itemsOf(value).map((item) => ({ t: "number", v: String(item) })) };
    default:
      return symbolAsString(value);
  }
}

const hexOf = (value: bigint): string => BigInt.asUintN(64, value).toString(16).padStart(16, "0");

/** All integers have one type, to which timestamps belong, and text comes as its bytes. */
function inPython(value: TypedJson): TypedJson {
  const { t, v } = value;
  if (/^u?(byte|short|int|long)$|^timestamp$/.test(t)) return { t: "integer", v };
  if (t === "string" || t === "symbol") return { t: "binary", v: Buffer.from(String(v)).toString("hex") };
  if (t === "array") return { t: "list", v: itemsOf(value).map((item) => ({ t: "integer", v: String(item) })) };
  if (t !== "float") return value;
  const double = Buffer.alloc(8);
  double.writeDoubleBE(Buffer.from(String(v), "hex").readFloatBE());
  return { t: "double", v: double.toString("hex") };
}

/** The only decimal that it reads is that of the cases, as a number. */
const inDotNet = (value: TypedJson): TypedJson =>
  value.t === "decimal128" ? { t: "decimal", v: "1.5" } : symbolAsString(value);

const itemsOf = ({ v }: TypedJson): readonly unknown[] => (Array.isArray(v) ? v : []);

/** The value with each value in it changed. */
function deep(value: TypedJson, change: (value: TypedJson) => TypedJson): TypedJson {
  if (value.t === "list") return { t: "list", v: itemsOf(value).map((item) => deep(typedOf(item), change)) };
  if (value.t !== "map") return change(value);
  const pairs = itemsOf(value).map((pair) =>
    Array.isArray(pair) ? pair.map((item) => deep(typedOf(item), change)) : [],
  );
  return { t: "map", v: pairs };
}

/** A value within another one. */
export function typedOf(json: unknown): TypedJson {
  if (typeof json !== "object" || json === null || !("t" in json)) throw new Error("A typed value was expected.");
  return { v: undefined, ...json, t: String(json.t) };
}
