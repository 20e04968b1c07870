import type { Refusal } from "../../core/json-schema/ajv.ts";
import type { Verdict } from "../verdict.ts";
import type { FormatPolicy } from "./formats.ts";

/** A comparison: every value the writer may send must be valid for the reader. */
export interface SchemaComparison {
  readonly writer: unknown;
  readonly reader: unknown;
  /** Whether the writer's objects have only declared members. */
  readonly declared: boolean;
  readonly formats: FormatPolicy;
  /** Steps for the whole pair. */
  readonly budget: number;
}

/** A value that the writer may send and the reader refuses. */
export interface RefusedWitness extends Omit<Refusal, "holder"> {
  /** The schema path of the outermost union that contains the refusal, if any. */
  readonly union?: string;
  /** A text that no other break has, and that is the same when others come and go. */
  readonly identity?: string;
}

/** Result of a comparison. */
export interface Compared {
  readonly verdict: Verdict;
  readonly refused: readonly RefusedWitness[];
  /** Values that an upcaster changes or leaves out, though the schemas do not ask for it. */
  readonly warned?: readonly RefusedWitness[];
  /** Steps of the proof in outline, when the verdict is safe. */
  readonly trace?: readonly string[];
  readonly tried: readonly string[];
  readonly assumptions: readonly string[];
  /** The verdict on the rest of a pair that breaks, with every break that was found patched. */
  readonly rest?: Verdict;
}
