import type { Encoded, EncodeContext } from "../../src/core/codec/codec.ts";
import type { Charset } from "../../src/core/content-type/charset.ts";
import { encodeUnicode, isUnicode } from "../../src/core/content-type/unicode-bytes.ts";
import { declaredCharset } from "../../src/core/content-type/declared-charset.ts";
import { refuseHazards } from "./hazards.ts";
import type { JsonOptions } from "./options.ts";
import { isPlain } from "./plain.ts";
import { writeExactly } from "./write.ts";

/** Writes a body as JSON; see `json`. */
export function encodeJson(body: unknown, { contentType }: EncodeContext, options: JsonOptions): Encoded {
  if (body === undefined) return { payload: new Uint8Array(0) };
  const plain = isPlain(body, 0);
  const text = plain ? JSON.stringify(body) : writeExactly(body);
  // Never writes what reading would refuse.
  if (!plain && text.includes("__proto__"))
    refuseHazards(JSON.parse(text), options.protoKey !== "keep", "UnsupportedValue");
  return { payload: toBytes(text, declaredCharset(contentType) ?? "utf-8") };
}

function toBytes(text: string, charset: Charset): Uint8Array {
  if (isUnicode(charset)) return encodeUnicode(text, charset);
  // Beyond ASCII there are only strings and names, where an escape means the same.
  return encodeUnicode(text.replaceAll(/[^\0-\x7f]/g, escaped), "utf-8");
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
