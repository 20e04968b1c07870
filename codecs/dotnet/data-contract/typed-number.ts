import { amqp } from "../../../src/envelope/typed-makers.ts";
import type { ScalarKind } from "./scalar-kind.ts";

/** A number with its type, where a plain number or bigint would be taken for another one. */
export function withType(value: unknown, kind: ScalarKind): unknown {
  if (typeof value === "bigint") return kind === "ulong" ? amqp.ulong(value) : value;
  if (typeof value !== "number") return value;
  switch (kind) {
    case "double":
      return Number.isInteger(value) ? amqp.double(value) : value;
    case "float":
      return amqp.float(value);
    case "sbyte":
      return amqp.byte(value);
    case "byte":
      return amqp.ubyte(value);
    case "short":
      return amqp.short(value);
    case "ushort":
      return amqp.ushort(value);
    case "uint":
      return amqp.uint(value);
    default:
      return value;
  }
}
