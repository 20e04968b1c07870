import type { FieldKind } from "./shape.ts";

const ranges: ReadonlyMap<FieldKind, readonly [bigint, bigint]> = new Map<FieldKind, readonly [bigint, bigint]>([
  ["int32", [-(2n ** 31n), 2n ** 31n - 1n]],
  ["sint32", [-(2n ** 31n), 2n ** 31n - 1n]],
  ["sfixed32", [-(2n ** 31n), 2n ** 31n - 1n]],
  ["uint32", [0n, 2n ** 32n - 1n]],
  ["fixed32", [0n, 2n ** 32n - 1n]],
  ["int64", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["sint64", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["sfixed64", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["uint64", [0n, 2n ** 64n - 1n]],
  ["fixed64", [0n, 2n ** 64n - 1n]],
]);

/** Whether an integer kind holds the value; numbers must be safe integers, and `-0` is none. */
export function isInRange(value: number | bigint, kind: FieldKind): boolean {
  if (typeof value === "number" && (!Number.isSafeInteger(value) || Object.is(value, -0))) return false;
  const range = ranges.get(kind);
  return range !== undefined && value >= range[0] && value <= range[1];
}

/** As `from -2147483648 to 2147483647`. */
export function integerRange(kind: FieldKind): string {
  const [from, to] = ranges.get(kind) ?? [0n, 0n];
  return `from ${from} to ${to}`;
}
