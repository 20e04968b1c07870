import { EnumValue } from "../../../src/values/index.ts";
import type { ClassView } from "./class-view.ts";
import type { NrbfEnum, NrbfOptions } from "./options.ts";

/** The value of an enum, which is written as a class with the one member `value__`, or `undefined`. */
export function enumOf(view: ClassView, { enums }: NrbfOptions): EnumValue | undefined {
  if (view.names.length !== 1 || view.names[0] !== "value__") return undefined;
  const number = view.primitive("value__");
  if (typeof number !== "number" && typeof number !== "bigint") return undefined;
  const { typeName } = view.node.description;
  const declared = enums !== undefined && Object.hasOwn(enums, typeName) ? enums[typeName] : undefined;
  return new EnumValue(nameOf(BigInt(number), declared), number);
}

/** The name as .NET's `ToString` gives it: flags from the least on with commas, and the number where no name fits. */
function nameOf(number: bigint, declared: NrbfEnum | undefined): string {
  if (declared === undefined) return `${number}`;
  const names = Object.entries(declared.names).map(([name, value]): [string, bigint] => [name, BigInt(value)]);
  const exact = names.find(([, value]) => value === number);
  if (exact !== undefined) return exact[0];
  return (declared.flags === true ? flagNames(number, names) : undefined) ?? `${number}`;
}

function flagNames(number: bigint, names: readonly [string, bigint][]): string | undefined {
  let left = number;
  const found: string[] = [];
  for (const [name, value] of names.toSorted(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))) {
    if (value === 0n || (left & value) !== value) continue;
    left &= ~value;
    found.push(name);
  }
  return left === 0n && found.length > 0 ? found.reverse().join(", ") : undefined;
}
