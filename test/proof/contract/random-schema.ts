import type { Random } from "../engine/random.ts";

/** A JSON Schema that is an object. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Names, texts, numbers and patterns that schemas and values share, so that they meet often. */
const atoms = {
  names: ["a", "b", "c", "x-1", "é"],
  texts: ["", "a", "ab", "b1", "A", "é", "aaaa", "2024-01-01", "\u{1F600}"],
  numbers: [-3, -1, 0, 0.5, 1, 2, 3, 4, 6, 10, 1.5],
  patterns: ["^a", "b$", "^[a-z]*$", "^x-", "1", "^$", "^(a|ab)+$", "[^a]", "^.{2}$", "^\\S\\w$"],
} as const;

/** Makes JSON Schemas of every keyword, and small changes to them. */
export class RandomSchema {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A document with two definitions that every part may refer to. */
  document(): SchemaObject {
    const own = this.schema(0);
    const defs = { one: this.schema(1), two: this.schema(1) };
    return { $schema: "https://json-schema.org/draft/2020-12/schema", ...objectOrEmpty(own), $defs: defs };
  }

  /** The document with one to three changes. */
  changed(document: SchemaObject): SchemaObject {
    let result = document;
    for (let times = 1 + this.#random.below(3); times > 0; times--) result = objectOrEmpty(this.#change(result, 0));
    return { ...result, $schema: document["$schema"], $defs: result["$defs"] ?? document["$defs"] };
  }

  #change(value: unknown, depth: number): unknown {
    const random = this.#random;
    if (Array.isArray(value)) return this.#changedList(value, depth);
    if (typeof value === "number") return Math.max(0, value + (random.chance(50) ? 1 : -1));
    if (typeof value !== "object" || value === null) return value;
    const names = Object.keys(value).filter((name) => name !== "$schema" && name !== "$ref" && name !== "enum");
    const name = random.pick(names);
    if (name === undefined || random.chance(15)) return { ...value, ...this.#keyword(depth) };
    if (random.chance(15)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    const own: unknown = Object.entries(value).find(([other]) => other === name)?.[1];
    // `type` and `pattern` change only by coming and going.
    return typeof own === "string" ? value : { ...value, [name]: this.#change(own, depth + 1) };
  }

  #changedList(list: readonly unknown[], depth: number): unknown {
    if (list.length === 0) return list;
    const at = this.#random.below(list.length);
    if (list.length > 1 && this.#random.chance(40)) return list.toSpliced(at, 1);
    return typeof list[at] === "string" ? list : list.with(at, this.#change(list[at], depth + 1));
  }

  schema(depth: number): unknown {
    const random = this.#random;
    if (random.chance(depth === 0 ? 0 : 8)) return random.chance(70);
    if (depth > 2 || random.chance(depth * 15)) return this.#leaf();
    const parts = Array.from({ length: 1 + random.below(4) }, () => this.#keyword(depth));
    return Object.assign({}, ...parts, random.chance(50) ? { type: this.#type() } : {});
  }

  #leaf(): SchemaObject {
    const random = this.#random;
    const ref = random.pick(["#/$defs/one", "#/$defs/two", "#"]);
    return random.chance(15)
      ? { $ref: ref }
      : { ...this.#scalar(), ...(random.chance(60) ? { type: this.#type() } : {}) };
  }

  #type(): unknown {
    const types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    const first = this.#random.pick(types);
    const second = this.#random.pick(types);
    return this.#random.chance(30) && first !== second ? [first, second] : first;
  }

  #scalar(): SchemaObject {
    const random = this.#random;
    const number = random.pick(atoms.numbers) ?? 0;
    const count = random.below(4);
    const list = [
      { minimum: number },
      { maximum: number },
      { exclusiveMinimum: number },
      { exclusiveMaximum: number },
      { multipleOf: random.pick([1, 2, 3, 0.5]) },
      { minLength: count },
      { maxLength: count },
      { pattern: random.pick(atoms.patterns) },
      { enum: this.#values() },
      { const: this.value(0) },
      { format: random.pick(["date", "ipv4", "uuid"]) },
    ] as const;
    return random.pick(list) ?? {};
  }

  #keyword(depth: number): SchemaObject {
    const random = this.#random;
    const inner = (): unknown => this.schema(depth + 1);
    const inners = (): readonly unknown[] => Array.from({ length: 1 + random.below(3) }, inner);
    const name = (): string => random.pick(atoms.names) ?? "a";
    const map = (key: () => string): SchemaObject =>
      Object.fromEntries(Array.from({ length: 1 + random.below(3) }, () => [key(), inner()]));
    const makers: readonly (() => SchemaObject)[] = [
      () => this.#scalar(),
      () => this.#scalar(),
      () => ({ properties: map(name) }),
      () => ({ properties: map(name), required: [name()] }),
      () => ({ properties: map(name), additionalProperties: inner() }),
      () => ({ patternProperties: map(() => random.pick(atoms.patterns) ?? "") }),
      () => ({ propertyNames: inner() }),
      () => ({ required: Array.from(new Set([name(), name()])) }),
      () => ({ minProperties: random.below(3) }),
      () => ({ maxProperties: random.below(4) }),
      () => ({ dependentRequired: { [name()]: [name()] } }),
      () => ({ dependentSchemas: { [name()]: inner() } }),
      () => ({ unevaluatedProperties: inner() }),
      () => ({ items: inner() }),
      // ajv skips keywords behind a tuple with `false` in it.
      () => ({ prefixItems: inners().filter((one) => one !== false) }),
      () => ({ prefixItems: inners().filter((one) => one !== false), items: inner() }),
      () => ({ contains: inner() }),
      () => ({ contains: inner(), minContains: random.below(3), maxContains: 1 + random.below(3) }),
      () => ({ minItems: random.below(4) }),
      () => ({ maxItems: random.below(4) }),
      () => ({ uniqueItems: true }),
      () => ({ unevaluatedItems: inner() }),
      () => ({ allOf: inners() }),
      () => ({ anyOf: inners() }),
      () => ({ oneOf: inners() }),
      () => ({ not: inner() }),
      () => Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, inner()])),
    ];
    return random.pick(makers)?.() ?? {};
  }

  /** A value near the given one: a part more, less, or another. */
  varied(value: unknown): unknown {
    const random = this.#random;
    if (Array.isArray(value)) {
      const gone = random.below(2);
      return value.toSpliced(random.below(value.length + 1), gone, ...(random.chance(60) ? [this.value(1)] : []));
    }
    if (typeof value === "object" && value !== null)
      return { ...value, [random.pick(atoms.names) ?? "a"]: this.value(1) };
    return this.value(0);
  }

  #values(): readonly unknown[] {
    return Array.from({ length: 1 + this.#random.below(3) }, () => this.value(0));
  }

  /** A value of few parts, out of the atoms. */
  value(depth: number): unknown {
    const random = this.#random;
    const kind = random.below(depth > 2 ? 4 : 6);
    const many = random.below(4);
    switch (kind) {
      case 0:
        return null;
      case 1:
        return random.chance(50);
      case 2:
        return random.pick(atoms.numbers);
      case 3:
        return random.pick(atoms.texts);
      case 4:
        return Array.from({ length: many }, () => this.value(depth + 1));
      default:
        return Object.fromEntries(
          Array.from({ length: many }, () => [random.pick(atoms.names) ?? "a", this.value(depth + 1)]),
        );
    }
  }
}

function objectOrEmpty(value: unknown): SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
