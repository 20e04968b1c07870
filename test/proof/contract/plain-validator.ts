import { isDeepStrictEqual } from "node:util";
import type { DialectName } from "./in-dialect.ts";

/** The judgement of a schema on a value: whether it is valid, and which of its members and items were evaluated. */
interface Result {
  readonly valid: boolean;
  readonly names: ReadonlySet<string>;
  readonly items: ReadonlySet<number>;
}

type Schema = Readonly<Record<string, unknown>>;

/** How a schema is read. */
export interface PlainReading {
  /** Default: 2020-12. */
  readonly dialect?: DialectName;
  /** Whether `format` refuses what does not have it. Default: false. */
  readonly asserts?: boolean;
}

/**
 * Judges values by the text of JSON Schema, keyword by keyword and without any cleverness.
 * ajv, its counterpart, skips keywords behind a tuple and forgets what `contains` has found in an earlier member.
 *
 * @throws RangeError where a schema applies itself to the same value without end.
 */
export function isValid(root: unknown, value: unknown, reading: PlainReading = {}): boolean {
  return new PlainValidator(root, reading).apply(root, value).valid;
}

class PlainValidator {
  readonly #root: unknown;
  readonly #dialect: DialectName;
  readonly #asserts: boolean;
  readonly #isOld: boolean;

  constructor(root: unknown, { dialect = "2020-12", asserts = false }: PlainReading) {
    this.#root = root;
    this.#dialect = dialect;
    this.#asserts = asserts;
    this.#isOld = dialect.startsWith("draft-");
  }

  apply(schema: unknown, value: unknown): Result {
    if (typeof schema === "boolean") return { valid: schema, names: new Set(), items: new Set() };
    const given = objectOf(schema);
    // Next to a reference nothing counts in old drafts.
    const own = this.#isOld && "$ref" in given ? { $ref: given["$ref"] } : given;
    const names = new Set<string>();
    const items = new Set<number>();
    const merge = (result: Result): boolean => {
      if (!result.valid) return false;
      for (const name of result.names) names.add(name);
      for (const item of result.items) items.add(item);
      return true;
    };
    const valid =
      scalarHolds(own, value) &&
      (!this.#asserts || formatHolds(own, value)) &&
      this.#inPlace(own, value, merge) &&
      (!Array.isArray(value) || this.#array(own, value, items)) &&
      (!isObject(value) || this.#object(own, value, names));
    return { valid, names, items };
  }

  #inPlace(schema: Schema, value: unknown, merge: (result: Result) => boolean): boolean {
    const on = (inner: unknown): Result => this.apply(inner, value);
    if ("$ref" in schema && !merge(on(this.#resolve(String(schema["$ref"]))))) return false;
    if (!listOf(schema["allOf"]).every((one) => merge(on(one)))) return false;
    if ("anyOf" in schema && listOf(schema["anyOf"]).filter((one) => merge(on(one))).length === 0) return false;
    if ("oneOf" in schema && listOf(schema["oneOf"]).filter((one) => merge(on(one))).length !== 1) return false;
    if ("not" in schema && on(schema["not"]).valid) return false;
    if ("if" in schema) {
      const next = merge(on(schema["if"])) ? "then" : "else";
      if (next in schema && !merge(on(schema[next]))) return false;
    }
    return Object.entries({ ...objectOf(schema["dependentSchemas"]), ...objectOf(schema["dependencies"]) }).every(
      ([name, one]) => Array.isArray(one) || !isObject(value) || !Object.hasOwn(value, name) || merge(on(one)),
    );
  }

  #array(schema: Schema, value: readonly unknown[], evaluated: Set<number>): boolean {
    const isTuple = Array.isArray(schema["items"]);
    const prefix = listOf(schema[isTuple ? "items" : "prefixItems"]);
    const rest = isTuple ? "additionalItems" : "items";
    const accepts = (inner: unknown, at: number): boolean => {
      evaluated.add(at);
      return this.apply(inner, value[at]).valid;
    };
    if (!value.every((_, at) => at >= prefix.length || accepts(prefix[at], at))) return false;
    if (rest in schema && !value.every((_, at) => at < prefix.length || accepts(schema[rest], at))) return false;
    if ("contains" in schema) {
      const found = Array.from(value.keys()).filter((at) => this.apply(schema["contains"], value[at]).valid);
      if (this.#dialect === "2020-12") for (const at of found) evaluated.add(at);
      if (found.length < numberOf(schema["minContains"], 1)) return false;
      if (found.length > numberOf(schema["maxContains"], Infinity)) return false;
    }
    if (
      schema["uniqueItems"] === true &&
      value.some((item, at) => value.slice(0, at).some((other) => isEqual(item, other)))
    )
      return false;
    return (
      !("unevaluatedItems" in schema) ||
      value.every((_, at) => evaluated.has(at) || accepts(schema["unevaluatedItems"], at))
    );
  }

  #object(schema: Schema, value: Schema, evaluated: Set<string>): boolean {
    const { properties, patternProperties, propertyNames, required } = schema;
    const own = new Set<string>();
    const accepts = (inner: unknown, name: string): boolean => {
      own.add(name);
      evaluated.add(name);
      return this.apply(inner, value[name]).valid;
    };
    const names = Object.keys(value);
    if (!listOf(required).every((name) => Object.hasOwn(value, String(name)))) return false;
    for (const [name, list] of [schema["dependentRequired"], schema["dependencies"]].flatMap((map) =>
      Object.entries(objectOf(map)),
    ))
      if (
        Array.isArray(list) &&
        Object.hasOwn(value, name) &&
        !listOf(list).every((other) => Object.hasOwn(value, String(other)))
      )
        return false;
    const declared = objectOf(properties);
    if (!names.every((name) => !Object.hasOwn(declared, name) || accepts(declared[name], name))) return false;
    for (const [pattern, inner] of Object.entries(objectOf(patternProperties)))
      if (!names.every((name) => !new RegExp(pattern, "u").test(name) || accepts(inner, name))) return false;
    const others = names.filter((name) => !own.has(name));
    if ("additionalProperties" in schema && !others.every((name) => accepts(schema["additionalProperties"], name)))
      return false;
    if ("propertyNames" in schema && !names.every((name) => this.apply(propertyNames, name).valid)) return false;
    return (
      !("unevaluatedProperties" in schema) ||
      names.every((name) => evaluated.has(name) || accepts(schema["unevaluatedProperties"], name))
    );
  }

  #resolve(reference: string): unknown {
    return reference
      .split("/")
      .slice(1)
      .reduce<unknown>((at, token) => objectOf(at)[token], this.#root);
  }
}

function scalarHolds(schema: Schema, value: unknown): boolean {
  const types = typeof schema["type"] === "string" ? [schema["type"]] : listOf(schema["type"]);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return false;
  if ("enum" in schema && !listOf(schema["enum"]).some((one) => isEqual(one, value))) return false;
  if ("const" in schema && !isEqual(schema["const"], value)) return false;
  const within = (size: number, least: string, most: string): boolean =>
    size >= numberOf(schema[least], -Infinity) && size <= numberOf(schema[most], Infinity);
  if (typeof value === "number") {
    const factor = numberOf(schema["multipleOf"], 0);
    return (
      within(value, "minimum", "maximum") &&
      value > exclusiveLimit(schema, "minimum", -Infinity) &&
      value < exclusiveLimit(schema, "maximum", Infinity) &&
      (factor === 0 || Number.isInteger(value / factor))
    );
  }
  if (typeof value === "string") {
    const pattern = schema["pattern"];
    return (
      within(Array.from(value).length, "minLength", "maxLength") &&
      (typeof pattern !== "string" || new RegExp(pattern, "u").test(value))
    );
  }
  if (Array.isArray(value)) return within(value.length, "minItems", "maxItems");
  return !isObject(value) || within(Object.keys(value).length, "minProperties", "maxProperties");
}

/** Draft-04 says with a boolean that the other keyword's limit is outside. */
function exclusiveLimit(schema: Schema, keyword: "minimum" | "maximum", otherwise: number): number {
  const own = schema[keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"];
  return numberOf(own === true ? schema[keyword] : own, otherwise);
}

function formatHolds({ format }: Schema, value: unknown): boolean {
  if (typeof value !== "string") return true;
  switch (format) {
    case "date":
      return value !== "" && (new Date(`${value}T00:00:00Z`).toJSON() ?? "").slice(0, 10) === value;
    case "ipv4":
      return (
        /^\d+\.\d+\.\d+\.\d+$/.test(value) && value.split(".").every((part) => String(Number(part) & 255) === part)
      );
    case "uuid":
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
    default:
      return true;
  }
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

function isEqual(left: unknown, right: unknown): boolean {
  return left === right || isDeepStrictEqual(left, right);
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
