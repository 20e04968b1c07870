import type { DotnetContract } from "../data-contract/contract.ts";

/** An enum as it is declared, since the payload holds its number only. */
export interface NrbfEnum {
  /** The number of each name. */
  readonly names: Readonly<Record<string, number | bigint>>;
  /** Whether a number can stand for several names, as with `[Flags]`. Default: false. */
  readonly flags?: boolean;
}

/** Options of `nrbf`. */
export interface NrbfOptions {
  /**
   * What the body is: plain values, or the structural tree (`NrbfDocument`) with byte offsets and everything written.
   * Default: `values`.
   */
  readonly form?: "values" | "tree";
  /** Enums by their CLR name, as `Acme.Status`. Default: none; then an enum's name is its number. */
  readonly enums?: Readonly<Record<string, NrbfEnum>>;
  /** Contracts of which the enums count as if they were in `enums`, by their name without namespace. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /**
   * The IANA zone of the senders, as `Europe/Madrid`, since local times are written without their offset.
   * Default: the zone of this process, as .NET takes it, with a warning.
   */
  readonly timeZone?: string;
  /**
   * What fields of automatic properties are called: `<Name>k__BackingField` as written, or `Name` with `property`.
   * Default: `written`.
   */
  readonly memberNames?: "written" | "property";
}
