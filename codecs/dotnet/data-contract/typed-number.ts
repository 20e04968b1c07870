import { typed } from "../../../src/values/typed-makers.ts";
import type { ScalarKind } from "./scalar-kind.ts";

/** A number with its type, where a plain number or bigint would be taken for another one. */
export function withType(value: unknown, kind: ScalarKind): unknown {
  if (typeof value === "bigint") return kind === "ulong" ? typed.ulong(value) : value;
  if (typeof value !== "number") return value;
  switch (kind) {
    case "double":
      return Number.isInteger(value) ? typed.double(value) : value;
    case "float":
      return typed.float(value);
    case "sbyte":
      return typed.byte(value);
    case "byte":
      return typed.ubyte(value);
    case "short":
      return typed.short(value);
    case "ushort":
      return typed.ushort(value);
    case "uint":
      return typed.uint(value);
    default:
      return value;
  }
}
