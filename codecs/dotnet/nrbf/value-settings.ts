import type { ItemBudget } from "../../../src/core/codec/binary/cursor.ts";
import type { DecodeLimits } from "../../../src/core/codec/limits.ts";
import type { EnumLookup } from "./enums.ts";

/** The reader's input besides the payload. */
export interface ValueSettings {
  readonly enums: EnumLookup;
  readonly timeZone: string | undefined;
  readonly memberNames: "written" | "property";
  /** Everything tolerated or assumed, one sentence each. */
  readonly warnings: Set<string>;
  /** Counts the cost of values beyond their records. */
  readonly budget: ItemBudget;
  readonly limits: DecodeLimits;
}
