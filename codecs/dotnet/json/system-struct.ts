import { DateTime } from "../../../src/values/date-time.ts";
import type { ResolvedShape } from "../data-contract/shape.ts";
import { offsetTime, versionOf } from "../data-contract/system-values.ts";
import { jsonDate } from "./json-scalar.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";

const versionParts = ["_Major", "_Minor", "_Build", "_Revision"];

/** The DateTimeOffset or Version that an object is, or `undefined`. */
export function systemStruct(tape: JsonTape, object: number, shape: ResolvedShape | undefined): unknown {
  if (shape !== undefined && shape.kind !== "scalar") return undefined;
  const count = tape.count(object, 4);
  if (count === 2) {
    const time = tape.member(object, "DateTime");
    const minutes = time === undefined ? undefined : tape.member(object, "OffsetMinutes");
    if (time === undefined || minutes === undefined || !tape.isString(time)) return undefined;
    const utc = jsonDate(tape.string(time));
    const offset = tape.written(minutes);
    return utc instanceof DateTime && /^-?\d{1,3}$/.test(offset) ? offsetTime(utc, Number(offset)) : undefined;
  }
  if (count !== 4) return undefined;
  const parts: number[] = [];
  for (const name of versionParts) {
    const part = tape.member(object, name);
    if (part === undefined || tape.kind(part) !== jsonKind.integer || tape.end(part) - tape.start(part) > 11) {
      return undefined;
    }
    parts.push(Number(tape.written(part)));
  }
  return versionOf(parts);
}
