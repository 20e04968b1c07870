import { SobreError } from "../../../core/errors/sobre-error.ts";
import { type Formula, type FormulaShape, type SizedType, type TypeName, typeNames } from "./formula.ts";
import type { StepMeter } from "../../meter.ts";
import { canonicalJson } from "../json-value.ts";
import { type Rational, rationalKey } from "./rational.ts";

/** The maximum number of formulas; more would take too much time and memory. */
const maxFormulas = 250_000;

/** Makes formulas and their negations, each once and slightly simplified. */
export class FormulaPool {
  readonly meter: StepMeter;
  readonly #known = new Map<string, Formula>();
  readonly #negations = new Map<number, Formula>();
  readonly #single = new Map<TypeName, Formula>();
  readonly #definitions = new Map<string, Formula>();
  readonly always: Formula = this.#make("all:", { kind: "all", of: [] });
  readonly never: Formula = this.#make("any:", { kind: "any", of: [] });

  constructor(meter: StepMeter) {
    this.meter = meter;
  }

  all(parts: readonly Formula[]): Formula {
    return this.#combine("all", parts);
  }

  any(parts: readonly Formula[]): Formula {
    return this.#combine("any", parts);
  }

  types(types: readonly TypeName[]): Formula {
    const [only] = types;
    if (types.length !== 1 || only === undefined) return this.#someTypes(types);
    const known = this.#single.get(only) ?? this.#someTypes(types);
    this.#single.set(only, known);
    return known;
  }

  #someTypes(types: readonly TypeName[]): Formula {
    const sorted = typeNames.filter((name) => types.includes(name));
    if (sorted.length === typeNames.length) return this.always;
    if (sorted.length === 0) return this.never;
    return this.#make(`types:${sorted.join()}`, { kind: "types", types: sorted });
  }

  values(values: readonly unknown[], negated = false): Formula {
    this.meter.spend(values.length);
    const byKey = new Map(values.map((value) => [canonicalJson(value), value]));
    if (byKey.size === 0) return negated ? this.always : this.never;
    const keys = Array.from(byKey.keys()).toSorted();
    return this.#make(`values:${negated}:${keys.join()}`, {
      kind: "values",
      values: Array.from(byKey.values()),
      negated,
    });
  }

  lower(limit: Rational, exclusive: boolean): Formula {
    return this.#make(`lower:${rationalKey(limit)}:${exclusive}`, { kind: "lower", limit, exclusive });
  }

  upper(limit: Rational, exclusive: boolean): Formula {
    return this.#make(`upper:${rationalKey(limit)}:${exclusive}`, { kind: "upper", limit, exclusive });
  }

  multiple(factor: Rational, negated = false): Formula {
    return this.#make(`multiple:${rationalKey(factor)}:${negated}`, { kind: "multiple", factor, negated });
  }

  size(type: SizedType, min: number, max: number): Formula {
    const least = Math.max(0, Math.ceil(min));
    const most = Math.floor(max);
    if (least === 0 && most === Infinity) return this.always;
    if (least > most) return this.not(this.types([type]));
    return this.#make(`size:${type}:${least}:${most}`, { kind: "size", type, min: least, max: most });
  }

  pattern(source: string, negated = false): Formula {
    return this.#make(`pattern:${negated}:${source}`, { kind: "pattern", source, negated });
  }

  format(name: string, negated = false): Formula {
    return this.#make(`format:${negated}:${name}`, { kind: "format", name, negated });
  }

  everyProperty(names: Formula, of: Formula): Formula {
    if (of === this.always || names === this.never) return this.always;
    return this.#make(`everyProperty:${names.id}:${of.id}`, { kind: "everyProperty", names, of });
  }

  someProperty(names: Formula, of: Formula): Formula {
    if (of === this.never || names === this.never) return this.not(this.types(["object"]));
    return this.#make(`someProperty:${names.id}:${of.id}`, { kind: "someProperty", names, of });
  }

  everyItem(from: number, to: number, of: Formula): Formula {
    if (of === this.always || from >= to) return this.always;
    if (of === this.never) return this.size("array", 0, from);
    return this.#make(`everyItem:${from}:${to}:${of.id}`, { kind: "everyItem", from, to, of });
  }

  someItem(from: number, to: number, of: Formula): Formula {
    if (of === this.never || from >= to) return this.not(this.types(["array"]));
    if (of === this.always) return this.size("array", from + 1, Infinity);
    return this.#make(`someItem:${from}:${to}:${of.id}`, { kind: "someItem", from, to, of });
  }

  containsLeast(count: number, of: Formula): Formula {
    if (count <= 0) return this.always;
    if (count === 1) return this.someItem(0, Infinity, of);
    return this.#make(`containsLeast:${count}:${of.id}`, { kind: "containsLeast", count, of });
  }

  containsMost(count: number, of: Formula): Formula {
    if (count < 0) return this.not(this.types(["array"]));
    if (count === 0) return this.everyItem(0, Infinity, this.not(of));
    return this.#make(`containsMost:${count}:${of.id}`, { kind: "containsMost", count, of });
  }

  unique(negated = false): Formula {
    return this.#make(`unique:${negated}`, { kind: "unique", negated });
  }

  reference(target: string, negated = false): Formula {
    return this.#make(`reference:${negated}:${target}`, { kind: "reference", target, negated });
  }

  opaque(what: string, negated = false): Formula {
    return this.#make(`opaque:${negated}:${what}`, { kind: "opaque", what, negated });
  }

  /** `type` implies `formula`. */
  given(type: TypeName, formula: Formula): Formula {
    return this.any([this.not(this.types([type])), formula]);
  }

  define(target: string, formula: Formula): void {
    this.#definitions.set(target, formula);
  }

  /** The definition of a reference. */
  unfold(reference: Formula & { readonly kind: "reference" }): Formula {
    const definition = this.#definitions.get(reference.target);
    if (definition === undefined)
      throw new SobreError("InvalidArgument", `The schema does not define ${reference.target}.`);
    return reference.negated ? this.not(definition) : definition;
  }

  not(formula: Formula): Formula {
    const known = this.#negations.get(formula.id);
    if (known !== undefined) return known;
    const made = this.#negate(formula);
    this.#negations.set(formula.id, made);
    // So that equal parts of two schemas are recognised by their ids, however often they are negated.
    if (!this.#negations.has(made.id)) this.#negations.set(made.id, formula);
    return made;
  }

  #negate(formula: Formula): Formula {
    switch (formula.kind) {
      case "all":
        return this.any(formula.of.map((part) => this.not(part)));
      case "any":
        return this.all(formula.of.map((part) => this.not(part)));
      case "types":
        return this.types(typeNames.filter((name) => !formula.types.includes(name)));
      case "values":
        return this.values(formula.values, !formula.negated);
      case "lower":
        return this.all([this.types(["number"]), this.upper(formula.limit, !formula.exclusive)]);
      case "upper":
        return this.all([this.types(["number"]), this.lower(formula.limit, !formula.exclusive)]);
      case "multiple":
        return this.all([this.types(["number"]), this.multiple(formula.factor, !formula.negated)]);
      case "size":
        return this.all([
          this.types([formula.type]),
          this.any([
            ...(formula.min > 0 ? [this.size(formula.type, 0, formula.min - 1)] : []),
            ...(formula.max < Infinity ? [this.size(formula.type, formula.max + 1, Infinity)] : []),
          ]),
        ]);
      case "pattern":
        return this.all([this.types(["string"]), this.pattern(formula.source, !formula.negated)]);
      case "format":
        return this.all([this.types(["string"]), this.format(formula.name, !formula.negated)]);
      case "everyProperty":
        return this.all([this.types(["object"]), this.someProperty(formula.names, this.not(formula.of))]);
      case "someProperty":
        return this.all([this.types(["object"]), this.everyProperty(formula.names, this.not(formula.of))]);
      case "everyItem":
        return this.all([this.types(["array"]), this.someItem(formula.from, formula.to, this.not(formula.of))]);
      case "someItem":
        return this.all([this.types(["array"]), this.everyItem(formula.from, formula.to, this.not(formula.of))]);
      case "containsLeast":
        return this.all([this.types(["array"]), this.containsMost(formula.count - 1, formula.of)]);
      case "containsMost":
        return this.all([this.types(["array"]), this.containsLeast(formula.count + 1, formula.of)]);
      case "unique":
        return this.all([this.types(["array"]), this.unique(!formula.negated)]);
      case "reference":
        return this.reference(formula.target, !formula.negated);
      default:
        return this.opaque(formula.what, !formula.negated);
    }
  }

  #combine(kind: "all" | "any", parts: readonly Formula[]): Formula {
    this.meter.spend(parts.length);
    const [neutral, absorbing] = kind === "all" ? [this.always, this.never] : [this.never, this.always];
    const members: Formula[] = [];
    for (const part of parts) {
      if (part === absorbing) return absorbing;
      if (part.kind !== kind) members.push(part);
      else for (const member of part.of) members.push(member);
    }
    const of = inOrder(members);
    const [only] = of;
    if (of.length === 1 && only !== undefined) return only;
    return of.length === 0 ? neutral : this.#make(`${kind}:${of.map(({ id }) => id).join()}`, { kind, of });
  }

  #make(key: string, shape: FormulaShape): Formula {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= maxFormulas) throw new SobreError("LimitExceeded", "The schemas are too large to compare.");
    const made: Formula = { ...shape, id: this.#known.size };
    this.#known.set(key, made);
    return made;
  }
}

/** The formulas in the order of their ids, without duplicates. */
function inOrder(formulas: readonly Formula[]): readonly Formula[] {
  const isAscending = (formula: Formula, at: number): boolean => at === 0 || (formulas[at - 1]?.id ?? 0) < formula.id;
  if (formulas.every(isAscending)) return formulas;
  return formulas.toSorted((a, b) => a.id - b.id).filter((formula, at, sorted) => formula !== sorted[at - 1]);
}
