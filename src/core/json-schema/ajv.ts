import { isObject } from "../values/plain-object.ts";
import { _, Ajv, type ErrorObject, type KeywordCxt, Name, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { invalidInput } from "../errors/invalid-input.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { withConditionsFirst } from "./evaluation-order.ts";
import { formats as knownFormats } from "./formats.ts";
import { PatchedValue } from "../values/patched-value.ts";
import { jsonReplacement, pointerSteps } from "./json-form.ts";
import { linearRegExp, refusedPattern } from "./schema-patterns.ts";
import { memo } from "../values/memo.ts";
import { uniqueItems } from "./unique-items.ts";

/** One reason why a value does not match a schema. */
export interface ValidationProblem {
  /** Path to the value concerned, e.g. `$.lines[2].price`. */
  readonly path: string;
  /** The names and indexes of the path. */
  readonly steps: readonly string[];
  /** The expectation of the schema; it quotes the schema, never the value. */
  readonly message: string;
}

/**
 * Compiles a JSON Schema into a function that lists every problem of a value; an empty list means it matches.
 *
 * The dialect is the one of `$schema` (draft-07, 2019-09 or 2020-12), or else 2020-12. Unknown keywords and formats are
 * errors of the schema, so that a misspelt one cannot pass everything; names with `x-` are anybody's. Formats are
 * annotations, as the specification has them by default: they say what a text is, and refuse none.
 *
 * @throws SobreError `InvalidArgument` when the schema is broken or refers to what it does not contain.
 */
export function compileJsonSchema(schema: unknown): (value: unknown) => readonly ValidationProblem[] {
  const validate = compiled(schema);
  return (value) => (validate(value) ? noProblems : (validate.errors ?? []).map(toProblem));
}

/** A checked body: the value to go on with, and every problem it has. */
export interface ValidatedBody {
  readonly value: unknown;
  readonly problems: readonly ValidationProblem[];
}

/** Options of {@link compileBodySchema}. */
interface Compiling {
  /** Whether formats refuse anything. Default: `annotation`, they do not. */
  readonly formats?: "annotation" | "assertion" | undefined;
  /**
   * Whether this process wrote the schema, which then is not held against the schema of its dialect: compiling that one takes
   * more time and memory than the rest, even once. Default: false.
   */
  readonly isOwn?: boolean | undefined;
}

/** Rounds of replacing; each shows what the one before had hidden behind a refusal. */
const maxRounds = 16;

/**
 * {@link compileJsonSchema} for bodies that any codec has read: where MessagePack, AMQP or Protobuf gave bytes, a time or a
 * bigint, and the schema says what JSON has instead, the body goes on with that.
 *
 * @throws SobreError `InvalidArgument` when the schema is broken or refers to what it does not contain.
 */
export function compileBodySchema(schema: unknown, compiling: Compiling = {}): (value: unknown) => ValidatedBody {
  const validate = compiled(schema, compiling);
  return (value) => {
    if (validate(value)) return { value, problems: noProblems };
    const first = validate.errors ?? [];
    let errors = first;
    const given = new PatchedValue(value);
    const judged = new PatchedValue(value);
    for (let round = 0; round < maxRounds; round++) {
      let isChanged = false;
      for (const { instancePath: pointer, keyword, data, parentSchema = {} } of errors) {
        const replacement =
          keyword === "type" ? jsonReplacement({ pointer, value: data, schema: parentSchema }) : undefined;
        if (replacement === undefined) continue;
        const steps = pointerSteps(pointer);
        given.replace(steps, replacement.given);
        judged.replace(steps, replacement.judged);
        isChanged = true;
      }
      if (!isChanged) break;
      if (validate(judged.value)) return { value: given.value, problems: noProblems };
      errors = validate.errors ?? [];
    }
    return { value, problems: errors.map(toProblem) };
  };
}

function compiled(schema: unknown, { formats = "annotation", isOwn = false }: Compiling = {}): ValidateFunction {
  if (typeof schema !== "boolean" && !isObject(schema)) {
    throw new SobreError("InvalidArgument", "A JSON Schema must be an object or a boolean.", { path: "$" });
  }
  const dialect = dialectOf(schema);
  const tests = formats === "assertion" ? assertions : annotations;
  const instance = (meta: boolean, own: typeof tests = tests): Ajv =>
    judges[dialect]({
      allErrors: true,
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allowMatchingProperties: true,
      logger: false,
      formats: own,
      // Problems know the schema and the value that they are of.
      verbose: true,
      meta,
      validateSchema: false,
      code: { regExp: linearRegExp },
    })
      .removeKeyword("uniqueItems")
      .addKeyword(uniqueItems);
  // One instance per schema: an instance remembers every $id and refuses to meet it twice.
  const ajv = instance(!isOwn);
  for (const name of vendorKeywords(schema)) ajv.addKeyword(name);
  try {
    const inOrder = withConditionsFirst(schema);
    const ordered = isObject(inOrder) ? inOrder : schema;
    // Patterns are read when they are compiled, which says more about a broken one.
    const judge = (): Ajv => instance(true, { ...tests, regex: true });
    if (!isOwn) void memo(dialects, `${dialect} ${formats}`, judge).validateSchema(ordered, true);
    const validate = ajv.compile(ordered);
    if ("$async" in validate) throw new TypeError("$async schemas are not supported");
    return validate;
  } catch (error) {
    if (error instanceof EvalError) throw evalIsForbidden(error);
    throw refusedPattern(error, schema) ?? invalidInput("The JSON Schema is broken", error);
  }
}

/** Instances that know no schemas but those of the dialect and compile them once: it takes longer than most schemas do. */
const dialects = new Map<string, Ajv>();

function dialectOf(schema: object | boolean): keyof typeof judges {
  const uri: unknown = typeof schema === "object" && "$schema" in schema ? schema.$schema : undefined;
  if (typeof uri !== "string") return "2020-12";
  return uri.includes("draft-07") ? "draft-07" : uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** Names with `x-` anywhere in the schema. */
function vendorKeywords(schema: object | boolean): ReadonlySet<string> {
  const names = new Set<string>();
  const open: unknown[] = [schema];
  const seen = new Set<unknown>();
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    if (typeof inner !== "object" || inner === null || seen.has(inner)) continue;
    seen.add(inner);
    for (const [name, value] of Object.entries(inner)) {
      if (/^x-[\w$:.-]*$/i.test(name)) names.add(name);
      if (typeof value === "object") open.push(value);
    }
  }
  return names;
}

const formatEntries = Object.entries(knownFormats);

const annotations: Readonly<Record<string, true>> = Object.fromEntries(formatEntries.map(([name]) => [name, true]));

/** A format without a test is left out, so that a schema that has it is refused. */
const assertions = Object.fromEntries(
  formatEntries.flatMap(([name, test]) =>
    test === undefined ? [] : [[name, test === "annotation" ? () => true : test]],
  ),
);

/** Validators are made by `new Function`. */
function evalIsForbidden(cause: EvalError): SobreError {
  const what =
    "A JSON Schema is compiled into code, but code generation is not allowed here (a Content-Security-Policy without " +
    "unsafe-eval, or --disallow-code-generation-from-strings). Describe the type with zod, valibot or another library for " +
    "Standard Schema, or allow it.";
  return new SobreError("InvalidOperation", what, { cause });
}

/** Where and why a value was refused: JSON Pointers into value and schema. */
export interface Refusal {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
  /** The schema that holds the keyword, by identity: beyond a reference the schema path starts over. */
  readonly holder: unknown;
  /** The refused value. */
  readonly value: unknown;
}

/** How {@link compileJudge} reads a schema. */
export interface JudgeOptions {
  readonly dialect: "draft-07" | "2019-09" | "2020-12";
  /** The formats to assert; others mean nothing. */
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  /** Makes the matchers of patterns, so that none backtracks without end. */
  readonly pattern: (source: string) => { readonly test: (text: string) => boolean };
}

/**
 * Compiles a JSON Schema of any of three dialects, leniently, into a function that returns the refusals of a value: each
 * keyword after those inside it, so that the last one is the outermost. Validation stops at the first failure.
 *
 * @throws whatever ajv throws for a schema it cannot compile.
 */
export function compileJudge(schema: object | boolean, options: JudgeOptions): (value: unknown) => readonly Refusal[] {
  const { formats, pattern } = options;
  const settings: Options = {
    strict: false,
    // An upcaster may give what JSON has no number for.
    strictNumbers: true,
    logger: false,
    validateSchema: false,
    inlineRefs: false,
    verbose: true,
    formats,
    // ajv distinguishes patterns by their text.
    code: {
      // A judge sees a few values, so that better code would not pay.
      optimize: false,
      regExp: Object.assign(
        (source: string) => {
          const matcher = pattern(source);
          return { test: (text: string) => matcher.test(text), toString: () => source };
        },
        { code: "pattern" },
      ),
    },
  };
  const compile = (meta: boolean): ValidateFunction => judges[options.dialect]({ ...settings, meta }).compile(schema);
  let validate: ValidateFunction;
  try {
    validate = compile(false);
  } catch {
    // It may refer to a meta-schema; to load those takes longer than to compile most schemas.
    validate = compile(true);
  }
  return (given) => {
    if (validate(given)) return [];
    const errors = validate.errors ?? [];
    return errors.map(
      ({ instancePath, schemaPath, keyword, params, message = "", parentSchema: holder, data: value }) => {
        return { instancePath, schemaPath, keyword, params, message, holder, value };
      },
    );
  };
}

const judges = {
  "draft-07": (settings: Options) => new Ajv(settings),
  "2019-09": (settings: Options) => mended(new Ajv2019(settings)),
  "2020-12": (settings: Options) => mended(new Ajv2020(settings)),
};

/**
 * Mends `patternProperties` of an instance of ajv.
 *
 * ajv (8.20) keeps the members evaluated so far in a variable that is still unset when no branch of an `anyOf` or `oneOf`
 * evaluated any, and `patternProperties` writes into it: the validator throws a TypeError for a valid value.
 */
function mended(ajv: Ajv): Ajv {
  const rule = ajv.RULES.all["patternProperties"];
  if (typeof rule !== "object" || !("code" in rule.definition)) return ajv;
  const { code } = rule.definition;
  rule.definition = {
    ...rule.definition,
    code(context: KeywordCxt, ruleType) {
      const { gen, it } = context;
      if (it.opts.unevaluated === true && it.props instanceof Name) gen.assign(it.props, _`${it.props} || {}`);
      code(context, ruleType);
    },
  };
  return ajv;
}

/** The meta-schemas that ajv brings along, by URI without a fragment. */
export function metaSchema(uri: string): unknown {
  return judges[dialectOf({ $schema: uri })]({ logger: false }).schemas[uri]?.schema;
}

const noProblems: readonly ValidationProblem[] = Object.freeze([]);

function toProblem(error: ErrorObject): ValidationProblem {
  const { instancePath, keyword, params, message = "is wrong", propertyName, data } = error;
  const { allowedValues, allowedValue, additionalProperty, unevaluatedProperty }: Partial<Record<string, unknown>> =
    params;
  const own = pointerSteps(instancePath);
  switch (keyword) {
    case "enum":
      return problem(own, `must be one of ${JSON.stringify(allowedValues)}`);
    case "const":
      return problem(own, `must be ${JSON.stringify(allowedValue)}`);
    case "type":
      // A safe integer never gets here: it was taken as a number.
      return typeof data === "bigint" && (params["type"] === "integer" || params["type"] === "number")
        ? problem(own, 'is an integer beyond 2^53, which only "format": "int64" takes, up to 64 bits')
        : problem(own, message);
    case "additionalProperties":
      return problem([...own, String(additionalProperty)], "is not an allowed member");
    case "unevaluatedProperties":
      return problem([...own, String(unevaluatedProperty)], "is not an allowed member");
    default:
      return problem(propertyName === undefined ? own : [...own, propertyName], message);
  }
}

function problem(steps: readonly string[], message: string): ValidationProblem {
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
  return { path: `$${path}`, steps, message };
}
