import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { EnumValue } from "../../../src/core/values/enum-value.ts";
import { compileContracts, type DotnetContract } from "../data-contract/contract.ts";
import { flagNames } from "../data-contract/scalar.ts";
import type { ContractEnumShape } from "../data-contract/shape.ts";
import type { ClassView } from "./class-view.ts";

/** The numbers of an enum by name. */
interface Declared {
  readonly names: readonly (readonly [name: string, value: bigint])[];
  readonly flags: boolean;
}

/** Looks up the declared enum with a CLR name. */
export type EnumLookup = (typeName: string) => Declared | undefined;

/** Prepares the enums of the options. @throws SobreError `InvalidArgument` for an invalid contract. */
export function enumLookup({ enums = {}, contracts }: NrbfOptions): EnumLookup {
  const compiled = compileContracts(contracts);
  const given = new Map(
    Object.entries(enums).map(([typeName, one]) => [typeName, declaredOf(one, `enums.${typeName}`)]),
  );
  const inContracts = (typeName: string): Declared | undefined => {
    const local = typeName.slice(Math.max(typeName.lastIndexOf("."), typeName.lastIndexOf("+")) + 1);
    for (const { clr } of compiled) {
      const shape = clr.get(typeName) ?? clr.get(local);
      if (shape?.kind === "enum") return shapedOf(shape);
    }
    return undefined;
  };
  const known = new Map<string, Declared | undefined>();
  return (typeName) => {
    if (compiled.length === 0 || given.has(typeName)) return given.get(typeName);
    if (!known.has(typeName)) known.set(typeName, inContracts(typeName));
    return known.get(typeName);
  };
}

function declaredOf(one: NrbfEnum, option: string): Declared {
  checkOptions(one, enumChecks, { needed: ["names"], prefix: `${option}.` });
  const { names, flags = false } = one;
  return { names: Object.entries(names).map(([name, value]) => [name, BigInt(value)]), flags };
}

const enumChecks: OptionChecks<NrbfEnum> = {
  names: (value) =>
    typeof value === "object" && value !== null && Object.values(value).every(isInteger)
      ? undefined
      : "must be an object with an integer for each name",
  flags: is.flag,
};

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** The CLR names, which equal those on the wire unless the contract has others. */
function shapedOf({ members, clrMembers, flags }: ContractEnumShape): Declared {
  return { names: [...(clrMembers.size > 0 ? clrMembers : members)], flags };
}

/**
 * The value of an enum, which is written as a class with the one member `value__`, or `undefined`; `warnings` gets a
 * sentence about numbers without a declared name.
 */
export function enumOf(view: ClassView, lookup: EnumLookup, warnings: Set<string>): EnumValue | undefined {
  if (view.names.length !== 1 || view.names[0] !== "value__") return undefined;
  const number = view.integer("value__");
  if (number === undefined) return undefined;
  const { typeName } = view.node.description;
  const declared = lookup(typeName);
  const name = nameOf(BigInt(number), declared);
  if (declared !== undefined && name === `${number}`)
    warnings.add(`A number of ${typeName} has no name in its contract; it was kept as a number.`);
  return new EnumValue(name, number);
}

/** The name as by .NET's `ToString`: flags in ascending order with commas, and the number if no name fits. */
function nameOf(number: bigint, declared: Declared | undefined): string {
  if (declared === undefined) return `${number}`;
  const exact = declared.names.find(([, value]) => value === number);
  if (exact !== undefined) return exact[0];
  return (declared.flags ? flagNames(number, declared.names)?.join(", ") : undefined) ?? `${number}`;
}

/** The declaration of an enum, since the payload contains only its number. */
export interface NrbfEnum {
  /** The number of each name. */
  readonly names: Readonly<Record<string, number | bigint>>;
  /** Whether a number can stand for several names, as with `[Flags]`. Default: false. */
  readonly flags?: boolean;
}

/** Options of `nrbf`. */
export interface NrbfOptions {
  /**
   * The form of the body: plain values, or the structural tree (`NrbfDocument`) with byte offsets and everything written.
   * Default: `values`.
   */
  readonly form?: "values" | "tree";
  /** Enums by their CLR name, e.g. `Acme.Status`. Default: none; then an enum's name is its number. */
  readonly enums?: Readonly<Record<string, NrbfEnum>>;
  /** Contracts whose enums are used as if they were in `enums`, by name without namespace. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /**
   * The IANA zone of the senders, e.g. `Europe/Madrid`, since local times are written without their offset.
   * Default: the zone of this process, as in .NET, with a warning.
   */
  readonly timeZone?: string;
  /**
   * The names of the fields of auto-implemented properties: `<Name>k__BackingField` as written, or `Name` with `property`.
   * Default: `written`.
   */
  readonly memberNames?: "written" | "property";
}
