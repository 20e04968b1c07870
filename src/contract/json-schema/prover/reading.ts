import type { Departure } from "./departure-texts.ts";
import type { FormatTests } from "../formats.ts";
import type { FormulaPool } from "./formula-pool.ts";

/** How a schema is read. */
export interface SchemaReading {
  readonly pool: FormulaPool;
  readonly formats: FormatTests;
  /** Whether keywords next to `$ref` count in old dialects; the specifications say no, some validators apply them. */
  readonly siblings: boolean;
  /** Whether schemas are read as ajv reads them where it departs from the specification. */
  readonly departures: boolean;
  /** The departures of ajv found so far. */
  readonly departed: Set<Departure>;
  /** How many schemas were translated. */
  readonly steps: { count: number };
  /** Pointers of references that lead back to the value they are applied to; they are found on the way. */
  readonly circular: Set<string>;
  /** Sentences about patterns that `jsonSchema()` refuses, by place; they are found on the way. */
  readonly refusedPatterns: Map<string, string>;
}
