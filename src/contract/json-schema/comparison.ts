import { SobreError } from "../../errors/index.ts";
import { metaSchema } from "../../validation/index.ts";
import type { Verdict } from "../verdict.ts";
import { isOldDialect } from "./dialect.ts";
import { Evaluation } from "./evaluation.ts";
import type { Formula } from "./formula.ts";
import { FormulaPool } from "./formula-pool.ts";
import { type FormatPolicy, formatTests } from "./formats.ts";
import { type Judge, judgesOf } from "./judge.ts";
import { isObject } from "./json-value.ts";
import { type Outcome, type Proof, proofSize } from "./proof.ts";
import { checkProof } from "./proof-check.ts";
import { Refutation } from "./refutation.ts";
import { Restriction } from "./restriction.ts";
import { SchemaDocument } from "./schema-document.ts";
import { shrink } from "./shrink.ts";
import { Translation } from "./translation.ts";

/** What is compared: every value the writer may send must be valid for the reader. */
export interface Comparison {
  readonly writer: unknown;
  readonly reader: unknown;
  /** Whether objects of the writer have declared members only. */
  readonly declared: boolean;
  readonly formats: FormatPolicy;
  /** Milliseconds for the whole pair. */
  readonly budget: number;
}

/** A value that the writer may send and the reader refuses. */
export interface Refused {
  readonly value: unknown;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What a comparison found out. */
export interface Compared {
  readonly verdict: Verdict;
  readonly refused: readonly Refused[];
  readonly proof?: Proof;
  readonly tried: readonly string[];
  readonly suppositions: readonly string[];
}

const mostFindings = 12;
const mostSteps = 300_000;

/**
 * Compares two JSON Schemas.
 *
 * @throws SobreError `InvalidArgument` for a broken schema, `LimitExceeded` for one too large to read.
 */
export function compareSchemas(comparison: Comparison): Compared {
  const deadline = performance.now() + comparison.budget;
  const first = new PairComparison(comparison, { siblings: false, deadline }).compare();
  if (first.verdict === "unproven" || !hasSiblings(comparison)) return first;
  const second = new PairComparison(comparison, { siblings: true, deadline }).compare();
  const suppositions = [...first.suppositions, "keywords beside $ref, which old drafts ignore and some validators apply, were read both ways"];
  if (second.verdict === first.verdict) return { ...first, suppositions };
  const tried = ["the verdict depends on whether keywords beside $ref are ignored, as draft-07 says, or applied, as some validators do"];
  return { verdict: "unproven", refused: [], tried, suppositions };
}

interface Frame {
  readonly siblings: boolean;
  readonly deadline: number;
}

class PairComparison {
  private readonly comparison: Comparison;
  private readonly frame: Frame;
  private readonly pool = new FormulaPool();
  private readonly circular = new Set<string>();
  private readonly evaluation: Evaluation;
  private readonly restriction: Restriction;
  private readonly writer: SchemaDocument;
  private readonly reader: SchemaDocument;

  constructor(comparison: Comparison, frame: Frame) {
    this.comparison = comparison;
    this.frame = frame;
    this.evaluation = new Evaluation(this.pool, formatTests(comparison.formats));
    this.restriction = new Restriction(this.pool);
    this.writer = new SchemaDocument(comparison.writer, "writer", metaSchema);
    this.reader = new SchemaDocument(comparison.reader, "reader", metaSchema);
  }

  compare(): Compared {
    const { formats, declared } = this.comparison;
    const suppositions = [`formats: ${formats}`, ...(declared ? ["writers send declared members only"] : [])];
    try {
      const [sent, accepted] = this.formulas();
      const outcome = this.search([sent, this.pool.not(accepted)]);
      if (outcome.kind === "closed") return this.closed([sent, this.pool.not(accepted)], outcome.proof, suppositions);
      return { ...this.opened(sent, accepted, outcome), suppositions };
    } catch (error) {
      if (error instanceof SobreError && error.code === "LimitExceeded")
        return { verdict: "unproven", refused: [], tried: [error.message], suppositions };
      // Only recursion without an end gets there.
      if (error instanceof RangeError)
        return { verdict: "unproven", refused: [], tried: ["the schemas recurse too deep"], suppositions };
      throw error;
    }
  }

  private formulas(): readonly [Formula, Formula] {
    const reading = {
      pool: this.pool,
      formats: formatTests(this.comparison.formats),
      siblings: this.frame.siblings,
      circular: this.circular,
    };
    const sent = new Translation(reading, this.comparison.declared).location(this.writer.root);
    return [sent, new Translation(reading).location(this.reader.root)];
  }

  private search(formulas: readonly Formula[]): Outcome {
    const { pool, evaluation, restriction } = this;
    const isLate = (): boolean => performance.now() > this.frame.deadline;
    return new Refutation({ pool, evaluation, restriction, mostSteps, isLate }).search(formulas);
  }

  private closed(formulas: readonly Formula[], proof: Proof, suppositions: readonly string[]): Compared {
    const { pool, evaluation, restriction } = this;
    if (checkProof(formulas, proof, { pool, evaluation, restriction }))
      return { verdict: "safe", refused: [], proof, tried: [], suppositions };
    const tried = [`a proof of ${proofSize(proof)} steps that its checker did not accept`];
    return { verdict: "unproven", refused: [], tried, suppositions };
  }

  private opened(sent: Formula, accepted: Formula, outcome: Outcome): Omit<Compared, "suppositions"> {
    const tried: string[] = [];
    const refused: Refused[] = [];
    const judges = this.judges(tried);
    const consider = (found: Outcome): void => {
      const value = found.kind === "open" ? { value: found.value } : found.kind === "unknown" ? found.candidate : undefined;
      if (found.kind === "unknown") tried.push(`search by cases: ${found.why}`);
      if (value === undefined || judges === undefined) return;
      const keeps = (smaller: unknown): boolean =>
        this.evaluation.truth(sent, smaller) === true && this.evaluation.truth(accepted, smaller) === false;
      const small = found.kind === "open" ? shrink(value.value, keeps) : value.value;
      const judged = this.judged(small, sent, judges);
      if (judged === undefined) tried.push("a value that the validators did not confirm");
      else if (!refused.some(({ schemaPath, instancePath }) => schemaPath === judged.schemaPath && instancePath === judged.instancePath))
        refused.push(judged);
    };
    consider(outcome);
    // Each way in which the reader may refuse is searched on its own, so that every change gets its finding.
    const ways = this.pool.not(accepted);
    if (refused.length > 0 && ways.kind === "any")
      for (const way of ways.of.slice(0, mostFindings)) {
        const found = this.quietly([sent, way]);
        if (found?.kind === "open") consider(found);
      }
    return refused.length > 0 ? { verdict: "breaking", refused, tried: [] } : { verdict: "unproven", refused, tried };
  }

  private quietly(formulas: readonly Formula[]): Outcome | undefined {
    try {
      return this.search(formulas);
    } catch (error) {
      if (error instanceof SobreError && error.code === "LimitExceeded") return undefined;
      throw error;
    }
  }

  private judges(tried: string[]): { readonly writer: readonly Judge[]; readonly reader: readonly Judge[] } | undefined {
    const reading = { policy: this.comparison.formats, siblings: this.frame.siblings, circular: this.circular };
    try {
      return { writer: judgesOf(this.writer, reading), reader: judgesOf(this.reader, reading) };
    } catch (error) {
      tried.push(`the validator cannot compile a schema: ${error instanceof Error ? error.message : "unknown"}`);
      return undefined;
    }
  }

  /** The refusal, when every judge agrees that the writer's schema takes the value and the reader's does not. */
  private judged(
    value: unknown,
    sent: Formula,
    { writer, reader }: { readonly writer: readonly Judge[]; readonly reader: readonly Judge[] },
  ): Refused | undefined {
    try {
      if (this.evaluation.truth(sent, value) === false || writer.some((judge) => judge(value) !== undefined)) return undefined;
      const refusals = reader.map((judge) => judge(value));
      const [first] = refusals;
      return first === undefined || refusals.includes(undefined) ? undefined : { value, ...first };
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

function hasSiblings({ writer, reader }: Comparison): boolean {
  return [writer, reader].some((schema) => {
    if (!isObject(schema)) return false;
    const named = typeof schema["$schema"] === "string";
    const isOld = isOldDialect(new SchemaDocument(schema, "any", metaSchema).dialect);
    // A schema that names no dialect may be read by either rule.
    return (isOld || !named) && containsSiblings(schema);
  });
}

const harmless = new Set(["$ref", "$id", "id", "$schema", "$comment", "$defs", "definitions", "title", "description", "default", "examples"]);

function containsSiblings(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(containsSiblings);
  if (!isObject(schema)) return false;
  if (typeof schema["$ref"] === "string" && Object.keys(schema).some((name) => !harmless.has(name))) return true;
  return Object.values(schema).some(containsSiblings);
}
