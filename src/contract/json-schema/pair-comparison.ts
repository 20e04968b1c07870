import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Compared, SchemaComparison, RefusedWitness } from "./compared.ts";
import type { Departure } from "./prover/departure-texts.ts";
import { FormulaEvaluation } from "./prover/evaluation.ts";
import { type Formula, typeNames } from "./prover/formula.ts";
import { StepMeter } from "../meter.ts";
import { FormulaPool } from "./prover/formula-pool.ts";
import { formatTests } from "./formats.ts";
import { JudgePair, type KnownJudges } from "./judges/judge-pair.ts";
import { canonicalJson } from "./json-value.ts";
import { isSameMeaning } from "./meaning.ts";
import { type SearchOutcome, type Proof, proofSize } from "./prover/proof.ts";
import { checkProof } from "./prover/proof-check.ts";
import { outline } from "./prover/proof-outline.ts";
import type { SchemaReading } from "./prover/reading.ts";
import { Refutation } from "./prover/refutation.ts";
import { Restriction } from "./prover/restriction.ts";
import { SchemaDocument, type SchemaNode } from "./schema-document.ts";
import { StructuralCover } from "./structural-cover.ts";
import { shrink } from "./judges/shrink.ts";
import { Translation } from "./prover/translation.ts";
import { variations } from "./prover/variations.ts";

const nothingDeclared =
  "the writer's schema asks for members that it does not declare, so which ones are sent is not known; contentModel as-written compares all that it allows";

const assumptionOfMultiples =
  "numbers are below 10^21 times what multipleOf says, from where on validators that divide floating-point numbers refuse them";

const maxFindings = 12;

/** The steps for each further way to refuse, for shrinking one witness, and for the samples of one variation. */
const maxSteps = { way: 300_000, shrinking: 200_000, sample: 1_000_000 } as const;

/** How one comparison reads `$ref`, and how many steps it may take. */
export interface ComparisonFrame {
  readonly siblings: boolean;
  /** Whether ajv's departures from the specification are taken into account. Default: false. */
  readonly departures?: boolean;
  /** Default: a meter of the comparison's budget. */
  readonly meter?: StepMeter;
  readonly judges?: KnownJudges;
  /** A reader that must refuse a value as well for it to count: the one that was patched. Default: none. */
  readonly original?: unknown;
}

/** Compares one pair of schemas in one reading. */
export class PairComparison {
  readonly #comparison: SchemaComparison;
  readonly #frame: ComparisonFrame;
  readonly meter: StepMeter;
  readonly #pool: FormulaPool;
  readonly #circular = new Set<string>();
  /** Where ajv departs from the specification, once {@link compare} has read the schemas. */
  readonly departed: Set<Departure> = new Set<Departure>();
  readonly #refusedPatterns = new Map<string, string>();
  readonly #evaluation: FormulaEvaluation;
  readonly #restriction: Restriction;
  readonly #writer: SchemaDocument;
  readonly #reader: SchemaDocument;
  readonly #judges: JudgePair;
  #memberTranslation: Translation | undefined;
  #plainTranslation: Translation | undefined;
  #translated: readonly [Formula, Formula] | undefined;

  constructor(comparison: SchemaComparison, frame: ComparisonFrame) {
    this.#comparison = comparison;
    this.#frame = frame;
    this.meter = frame.meter ?? new StepMeter(comparison.budget);
    this.#pool = new FormulaPool(this.meter);
    this.#evaluation = new FormulaEvaluation(this.#pool, formatTests(comparison.formats));
    this.#restriction = new Restriction(this.#pool);
    this.#writer = new SchemaDocument(comparison.writer, "writer");
    this.#reader = new SchemaDocument(comparison.reader, "reader");
    this.#judges = new JudgePair({
      writer: this.#writer,
      reader: this.#reader,
      formats: comparison.formats,
      siblings: frame.siblings,
      known: frame.judges,
      circular: () => {
        // The translation finds where schemas lead back to themselves.
        this.#formulas();
        return this.#circular;
      },
    });
  }

  compare(): Compared {
    const compared = this.#compareRunnable();
    const { verdict, tried, assumptions } = compared;
    if (this.#refusedPatterns.size === 0 || verdict === "breaking") return compared;
    // A service cannot compile such a schema, whatever the rest of it says.
    return { verdict: "unproven", refused: [], tried: [...this.#refusedPatterns.values(), ...tried], assumptions };
  }

  #compareRunnable(): Compared {
    const { formats, declared } = this.#comparison;
    const assumptions = [`formats: ${formats}`, ...(declared ? ["writers send declared members only"] : [])];
    try {
      const [sent, accepted] = this.#formulas();
      if (this.#circular.size > 0)
        assumptions.push(
          "a schema that applies itself to the same value adds nothing there, though validators may not end on it",
        );
      if (/"multipleOf":/.test(JSON.stringify(this.#comparison.reader))) assumptions.push(assumptionOfMultiples);
      // Equal schemas accept what they send.
      if (isSameMeaning(this.#comparison.writer, this.#comparison.reader))
        return { verdict: "safe", refused: [], trace: ["both versions are the same schema"], tried: [], assumptions };
      const counterparts = this.#counterparts();
      if (counterparts > 0) {
        const trace = [`each part of the reader takes what its counterpart sends: ${counterparts} pairs of schemas`];
        return { verdict: "safe", refused: [], trace, tried: [], assumptions };
      }
      const outcome = this.#search([sent, this.#pool.not(accepted)]);
      if (outcome.kind === "closed") {
        const nothing = this.#isNothingDeclared(sent);
        if (nothing) return { verdict: "unproven", refused: [], tried: [nothingDeclared], assumptions };
        return this.#closed([sent, this.#pool.not(accepted)], outcome.proof, assumptions);
      }
      return { ...this.#opened(sent, accepted, outcome), assumptions };
    } catch (error) {
      if (error instanceof SobreError && error.code === "LimitExceeded")
        return { verdict: "unproven", refused: [], tried: [error.message], assumptions };
      // Only endless recursion gets here.
      if (error instanceof RangeError)
        return { verdict: "unproven", refused: [], tried: ["the schemas recurse too deep"], assumptions };
      throw error;
    }
  }

  /** Sentences about the patterns in both schemas that `jsonSchema()` refuses. */
  patternRefusals(): readonly string[] {
    this.#formulas();
    return Array.from(this.#refusedPatterns.values());
  }

  /** The number of pairs of schemas by which the reader takes all that the writer sends; 0 where that is not seen part by part. */
  #counterparts(): number {
    if (this.departed.size > 0 || this.#frame.siblings) return 0;
    const cover = new StructuralCover();
    return cover.isCovered(this.#writer, this.#reader, this.#comparison.declared) ? cover.size : 0;
  }

  /** Whether a schema allows messages, but none with only declared members, so that its writer must send others. */
  #isNothingDeclared(sent: Formula): boolean {
    if (!this.#comparison.declared || this.#quietly([sent])?.kind !== "closed") return false;
    const written = new Translation(this.#reading()).location(this.#writer.root);
    return this.#quietly([written])?.kind !== "closed";
  }

  /** The outcome of the search by cases alone, before any validator is compiled. */
  decide(): SearchOutcome["kind"] {
    const [sent, accepted] = this.#formulas();
    return this.#search([sent, this.#pool.not(accepted)]).kind;
  }

  /** Values that the writer may send, of as many kinds as the schemas distinguish. */
  samples(): readonly unknown[] {
    const [sent, accepted] = this.#formulas();
    const found = new Map<string, unknown>();
    for (const variation of [this.#pool.always, ...variations(this.#pool, [sent, accepted])]) {
      if (this.meter.isSpent) break;
      const outcome = this.#quietly([sent, variation], maxSteps.sample);
      if (outcome?.kind === "open") found.set(canonicalJson(outcome.value), outcome.value);
    }
    return Array.from(found.values());
  }

  /** Whether `value` satisfies a schema within the writer's, as far as is known. */
  holds(node: SchemaNode, value: unknown): boolean {
    this.#plainTranslation ??= new Translation(this.#reading());
    return this.#evaluation.truth(this.#plainTranslation.location(node), value) === true;
  }

  /** A value for a part of the writer's schema, of the given type if any; empty if the search finds none soon. */
  valuesOf(node: SchemaNode, type?: string): readonly unknown[] {
    this.#memberTranslation ??= new Translation(this.#reading(), this.#comparison.declared);
    const known = typeNames.filter((name) => name === (type === "integer" ? "number" : type));
    const types = type === undefined ? this.#pool.always : this.#pool.types(known);
    const found = this.#quietly([this.#memberTranslation.location(node), types], maxSteps.sample);
    return found?.kind === "open" ? [found.value] : [];
  }

  /** Whether all judges agree that the writer may send `value`. */
  isSent(value: unknown): boolean {
    return this.#judges.isSent(value);
  }

  /** Whether `value` may be sent and is refused, as all judges agree and the specification does not deny. */
  isBroken(value: unknown): boolean {
    return this.#mayBreak(value, this.#formulas()) && this.#judges.refusalOf(value, value) !== undefined;
  }

  /** Whether the specification lets the writer send `value` and the reader refuse it, as far as is known. */
  #mayBreak(value: unknown, [sent, accepted]: readonly [Formula, Formula]): boolean {
    const { departed } = this;
    const evaluation = this.#evaluation;
    const [isSent, isAccepted] = [evaluation.truth(sent, value), evaluation.truth(accepted, value)];
    // Where nothing is known, ajv decides, unless the schemas have a place that it misreads.
    return departed.size > 0 ? isSent === true && isAccepted === false : isSent !== false && isAccepted !== true;
  }

  /** The refusal of `read` by the reader's schema, if all judges agree on it and on that the writer may send `sent`. */
  refusalOf(sent: unknown, read: unknown): RefusedWitness | undefined {
    return this.#judges.refusalOf(sent, read);
  }

  #formulas(): readonly [Formula, Formula] {
    return (this.#translated ??= this.#translate());
  }

  #translate(): readonly [Formula, Formula] {
    const reading = this.#reading();
    const sent = new Translation(reading, this.#comparison.declared).location(this.#writer.root);
    const accepted = new Translation(reading).location(this.#reader.root);
    const { original } = this.#frame;
    if (original === undefined) return [sent, accepted];
    const before = new Translation(reading).location(new SchemaDocument(original, "reader before").root);
    return [this.#pool.all([sent, this.#pool.not(before)]), accepted];
  }

  #reading(): SchemaReading {
    return {
      pool: this.#pool,
      formats: formatTests(this.#comparison.formats),
      siblings: this.#frame.siblings,
      circular: this.#circular,
      steps: { count: 0 },
      departures: this.#frame.departures === true,
      departed: this.departed,
      refusedPatterns: this.#refusedPatterns,
    };
  }

  #search(formulas: readonly Formula[], most = Infinity): SearchOutcome {
    const { meter } = this;
    const pool = this.#pool;
    const evaluation = this.#evaluation;
    const restriction = this.#restriction;
    return meter.within(most, () => new Refutation({ pool, evaluation, restriction }).search(formulas));
  }

  #closed(formulas: readonly Formula[], proof: Proof, assumptions: readonly string[]): Compared {
    const pool = this.#pool;
    const evaluation = this.#evaluation;
    const restriction = this.#restriction;
    if (checkProof(formulas, proof, { pool, evaluation, restriction }))
      return { verdict: "safe", refused: [], trace: outline(proof), tried: [], assumptions };
    const tried = [`a proof of ${proofSize(proof)} steps that its checker did not accept`];
    return { verdict: "unproven", refused: [], tried, assumptions };
  }

  #opened(sent: Formula, accepted: Formula, outcome: SearchOutcome): Omit<Compared, "assumptions"> {
    const tried = new Set<string>();
    const refused: RefusedWitness[] = [];
    const { problem } = this.#judges;
    if (problem !== undefined) tried.add(problem);
    const smallest = new Set<string>();
    const consider = (found: SearchOutcome, wanted?: Formula): void => {
      const value =
        found.kind === "open" ? { value: found.value } : found.kind === "unknown" ? found.candidate : undefined;
      if (found.kind === "unknown") tried.add(`search by cases: ${found.why}`);
      if (value === undefined || problem !== undefined) return;
      // It has been judged already; a value that cannot shrink at all cannot shrink while keeping one reason either.
      if (found.kind === "open" && smallest.has(canonicalJson(value.value))) return;
      const keeps = (smaller: unknown): boolean =>
        this.#evaluation.truth(sent, smaller) === true &&
        this.#evaluation.truth(accepted, smaller) === false &&
        (wanted === undefined || this.#evaluation.truth(wanted, smaller) === true);
      const small =
        found.kind === "open"
          ? this.meter.within(maxSteps.shrinking, () => shrink(value.value, keeps, (steps) => this.meter.take(steps)))
          : value.value;
      if (found.kind === "open" && small === value.value) smallest.add(canonicalJson(small));
      const judged = this.#judged(small, [sent, accepted]);
      if (judged === undefined) tried.add("a value that the validators did not confirm");
      else if (
        !refused.some(
          ({ schemaPath, params }) =>
            schemaPath === judged.schemaPath && canonicalJson(params) === canonicalJson(judged.params),
        )
      )
        refused.push(judged);
    };
    consider(outcome);
    // Each way in which the reader may refuse is searched separately, so that every change gets its own finding.
    const ways = this.#pool.not(accepted);
    if (ways.kind === "any") {
      // A way that the writer's schema literally excludes is skipped.
      const excluded = new Set((sent.kind === "all" ? sent.of : [sent]).map((part) => this.#pool.not(part).id));
      for (const way of ways.of.filter(({ id }) => !excluded.has(id)).slice(0, maxFindings)) {
        // Prefer a message that is refused for a single reason.
        const alone = this.#pool.all([
          way,
          ...ways.of.filter((other) => other !== way).map((one) => this.#pool.not(one)),
        ]);
        for (const wanted of [alone, way]) {
          const found = this.#quietly([sent, wanted], maxSteps.way);
          if (found?.kind !== "open") continue;
          consider(found, wanted);
          break;
        }
      }
    }
    // Where the search by cases has no sure value, one of the variations may do.
    if (refused.length === 0 && problem === undefined)
      for (const variation of variations(this.#pool, [sent, accepted])) {
        if (this.meter.isSpent || refused.length > 0) break;
        const found = this.#quietly([sent, variation], maxSteps.sample);
        if (found?.kind === "open" && this.#evaluation.truth(accepted, found.value) !== true) consider(found);
      }
    return refused.length > 0
      ? { verdict: "breaking", refused, tried: [] }
      : { verdict: "unproven", refused, tried: Array.from(tried) };
  }

  #quietly(formulas: readonly Formula[], most = Infinity): SearchOutcome | undefined {
    try {
      return this.#search(formulas, most);
    } catch (error) {
      if (error instanceof SobreError && error.code === "LimitExceeded") return undefined;
      throw error;
    }
  }

  /** The refusal, when every judge agrees that the writer's schema takes the value and the reader's does not. */
  #judged(value: unknown, formulas: readonly [Formula, Formula]): RefusedWitness | undefined {
    try {
      return this.#mayBreak(value, formulas) ? this.#judges.refusalOf(value, value) : undefined;
    } catch (error) {
      if (error instanceof SobreError) throw error;
      // The code that ajv generates may recurse endlessly or fail to run; then nothing is confirmed.
      return undefined;
    }
  }
}
