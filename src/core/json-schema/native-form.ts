import { Instant } from "../values/instant.ts";
import { fromBase64 } from "../host/node.ts";
import { toBase64 } from "../values/base64.ts";

/** The value that a string of a JSON Schema stands for where a codec has more types than JSON. */
export type NativeKind = "bytes" | "int64" | "instant";

/** The value that a string stands for by the keywords of its schema, if any. */
export function nativeKindOf(keyword: (name: string) => unknown): NativeKind | undefined {
  const type = keyword("type");
  if (type !== "string" && !(Array.isArray(type) && type.includes("string"))) return undefined;
  if (keyword("contentEncoding") === "base64") return "bytes";
  if (keyword("format") === "int64" || keyword("pattern") === "^-?[0-9]{1,19}$") return "int64";
  return keyword("format") === "date-time" ? "instant" : undefined;
}

/** The value that a string stands for; `undefined` for any other string. */
export function nativeOf(kind: NativeKind, text: string): unknown {
  switch (kind) {
    case "bytes":
      return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
        ? fromBase64(text)
        : undefined;
    case "int64": {
      const integer = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
      return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
    }
    default: {
      kind satisfies "instant";
      const date = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? text : "");
      return Number.isNaN(date.getTime()) ? undefined : date;
    }
  }
}

/** The text for a value of the kind; any other value as it is. */
export function jsonFormOf(kind: NativeKind, value: unknown): unknown {
  if (kind === "bytes") return value instanceof Uint8Array ? toBase64(value) : value;
  if (kind === "int64") return typeof value === "bigint" || Number.isInteger(value) ? String(value) : value;
  if (value instanceof Instant) return value.toString();
  const isDate = value instanceof Date && !Number.isNaN(value.getTime());
  return isDate ? value.toISOString().replace(".000Z", "Z") : value;
}
