import type { SchemaComparison, RefusedWitness } from "../compared.ts";
import { type Judge, judgesOf } from "./judge.ts";
import type { SchemaDocument } from "../schema-document.ts";

/** The judges compiled in earlier comparisons of the same schemas, by schema and reading. */
export type KnownJudges = Map<unknown, Map<string, readonly Judge[]>>;

/** Options of {@link JudgePair}. */
export interface JudgePairOptions {
  readonly writer: SchemaDocument;
  readonly reader: SchemaDocument;
  readonly formats: SchemaComparison["formats"];
  readonly siblings: boolean;
  readonly known: KnownJudges | undefined;
  /** Finds where schemas lead back to themselves, by pointer. */
  readonly circular: () => ReadonlySet<string>;
}

interface Compiled {
  readonly writer: readonly Judge[];
  readonly reader: readonly Judge[];
}

/** The validators of both sides, which are compiled when first used. */
export class JudgePair {
  readonly #options: JudgePairOptions;
  #compiled: Compiled | { readonly problem: string } | undefined;

  constructor(options: JudgePairOptions) {
    this.#options = options;
  }

  /** Why there are no judges; `undefined` if both schemas compile. */
  get problem(): string | undefined {
    const judges = this.#judges();
    return "problem" in judges ? judges.problem : undefined;
  }

  /** Whether all judges agree that the writer may send `value`. */
  isSent(value: unknown): boolean {
    const judges = this.#judges();
    try {
      return !("problem" in judges) && judges.writer.every((judge) => judge(value) === undefined);
    } catch (error) {
      // The code that ajv generates for a schema may recurse endlessly.
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** The refusal of `read` by the reader's schema, if all judges agree on it and on that the writer may send `sent`. */
  refusalOf(sent: unknown, read: unknown): RefusedWitness | undefined {
    const judges = this.#judges();
    if ("problem" in judges || judges.writer.some((judge) => judge(sent) !== undefined)) return undefined;
    const refusals = judges.reader.map((judge) => judge(read));
    const [first] = refusals;
    return first === undefined || refusals.includes(undefined) ? undefined : { value: sent, ...first };
  }

  #judges(): Compiled | { readonly problem: string } {
    return (this.#compiled ??= this.#compile());
  }

  #compile(): Compiled | { readonly problem: string } {
    try {
      const circular = this.#options.circular();
      return { writer: this.#judgesOfSide("writer", circular), reader: this.#judgesOfSide("reader", circular) };
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      return { problem: `the validator cannot compile a schema: ${why}` };
    }
  }

  #judgesOfSide(side: "writer" | "reader", circular: ReadonlySet<string>): readonly Judge[] {
    const { formats: policy, siblings, known: all } = this.#options;
    const document = this.#options[side];
    const known = all?.get(document.root.schema) ?? new Map<string, readonly Judge[]>();
    all?.set(document.root.schema, known);
    const key = `${side} ${siblings} ${Array.from(circular).join(" ")}`;
    const judges = known.get(key) ?? judgesOf(document, { policy, siblings, circular, side });
    known.set(key, judges);
    return judges;
  }
}
