import { Typed } from "../../../src/core/values/typed.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { DateTimeOffset } from "../../../src/core/values/date-time-offset.ts";
import { Decimal } from "../../../src/core/values/decimal.ts";
import { Duration } from "../../../src/core/values/duration.ts";
import { Uri, Version } from "../../../src/core/values/named-text.ts";
import { QName } from "../../../src/core/values/q-name.ts";
import type { ScalarKind } from "../data-contract/scalar-kind.ts";
import type { ResolvedShape } from "../data-contract/shape.ts";

/** The .NET scalars that correspond to typed AMQP values. */
const typedKinds: Readonly<Partial<Record<string, ScalarKind>>> = {
  byte: "sbyte",
  ubyte: "byte",
  short: "short",
  ushort: "ushort",
  int: "int",
  uint: "uint",
  long: "long",
  ulong: "ulong",
  float: "float",
  double: "double",
  char: "char",
  uuid: "guid",
};

/** The scalar for a JavaScript value without a declared type, or `undefined`: a number is an int if possible. */
export function runtimeScalar(value: unknown): ScalarKind | undefined {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return value >= 2n ** 63n ? "ulong" : "long";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31 && !Object.is(value, -0) ? "int" : "double";
    default:
      return runtimeObject(value);
  }
}

function runtimeObject(value: unknown): ScalarKind | undefined {
  if (value instanceof Typed) return typedKinds[value.type];
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Decimal) return "decimal";
  if (value instanceof DateTime || value instanceof Date) return "dateTime";
  if (value instanceof Duration) return "timespan";
  if (value instanceof DateTimeOffset) return "dateTimeOffset";
  if (value instanceof Version) return "version";
  if (value instanceof Uri || value instanceof URL) return "uri";
  return value instanceof QName ? "qname" : undefined;
}

/** The shape of a list without a declared type: a list of one scalar type if all items have it, otherwise of objects. */
export function runtimeItems(items: readonly unknown[]): ResolvedShape {
  const kinds = new Set(items.map(runtimeScalar));
  const [only] = kinds;
  return { kind: "scalar", scalar: kinds.size === 1 && only !== undefined ? only : "any" };
}
