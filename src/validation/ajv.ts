import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { SobreError } from "../errors/index.ts";
import { linearPattern } from "./linear-pattern.ts";
import { uniqueItems } from "./unique-items.ts";

/** One reason why a value does not match a schema. */
export interface ValidationProblem {
  /** Path to the value concerned, as `$.lines[2].price`. */
  readonly path: string;
  /** What the schema wants there; it quotes the schema, and never the value. */
  readonly message: string;
}

/**
 * Compiles a JSON Schema (2020-12) into a function that lists every problem of a value; an empty list means it matches.
 *
 * Unknown keywords and formats are errors of the schema, so that a misspelt one cannot pass everything. The formats of
 * the specification are annotations, as it has them by default: they say what a text is, and refuse none.
 *
 * @throws SobreError `InvalidArgument` when the schema is broken or refers to what it does not contain.
 */
export function compileJsonSchema(schema: unknown): (value: unknown) => readonly ValidationProblem[] {
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null || Array.isArray(schema))) {
    throw new SobreError("InvalidArgument", "A JSON Schema must be an object or a boolean.", { path: "$" });
  }
  // One instance per schema: an instance remembers every $id and refuses to meet it twice.
  const settings: Options = {
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    logger: false,
    formats: annotations,
  };
  const ajv = new Ajv2020({ ...settings, code: { regExp: linearPattern } });
  ajv.removeKeyword("uniqueItems").addKeyword(uniqueItems);
  try {
    const validate = ajv.compile(schema);
    if ("$async" in validate) throw new TypeError("$async schemas are not supported");
    return (value) => (validate(value) ? none : (validate.errors ?? []).map(toProblem));
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be compiled";
    throw new SobreError("InvalidArgument", `The JSON Schema is broken: ${why}.`, { cause: error });
  }
}

/** The formats of JSON Schema (2020-12, Validation, 7.3), which refuse nothing. */
const annotations: Readonly<Record<string, true>> = {
  date: true,
  "date-time": true,
  duration: true,
  email: true,
  hostname: true,
  "idn-email": true,
  "idn-hostname": true,
  ipv4: true,
  ipv6: true,
  iri: true,
  "iri-reference": true,
  "json-pointer": true,
  regex: true,
  "relative-json-pointer": true,
  time: true,
  uri: true,
  "uri-reference": true,
  "uri-template": true,
  uuid: true,
};

/** Where and why a value was refused: JSON Pointers into value and schema. */
export interface Refusal {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
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
 * Compiles a JSON Schema of any of three dialects, leniently, into a function that tells the first refusal of a value.
 *
 * @throws whatever ajv throws for a schema it cannot compile.
 */
export function compileJudge(schema: object | boolean, options: JudgeOptions): (value: unknown) => Refusal | undefined {
  const { formats, pattern } = options;
  const settings: Options = {
    strict: false,
    logger: false,
    validateSchema: false,
    inlineRefs: false,
    formats,
    // ajv tells patterns apart by their text.
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
  const validate = judges[options.dialect](settings).compile(schema);
  return (value) => {
    if (validate(value)) return undefined;
    const { instancePath = "", schemaPath = "", keyword = "", params = {}, message = "" } = validate.errors?.[0] ?? {};
    return { instancePath, schemaPath, keyword, params, message };
  };
}

const judges = {
  "draft-07": (settings: Options) => new Ajv(settings),
  "2019-09": (settings: Options) => new Ajv2019(settings),
  "2020-12": (settings: Options) => new Ajv2020(settings),
};

/** The meta-schemas that ajv brings along, by URI without a fragment. */
export function metaSchema(uri: string): unknown {
  const dialect = uri.includes("draft-07") ? "draft-07" : uri.includes("2019-09") ? "2019-09" : "2020-12";
  return judges[dialect]({ logger: false }).getSchema(uri)?.schema;
}

const none: readonly ValidationProblem[] = Object.freeze([]);

function toProblem({ instancePath, keyword, params, message, propertyName }: ErrorObject): ValidationProblem {
  const { allowedValues, allowedValue, additionalProperty, unevaluatedProperty }: Partial<Record<string, unknown>> =
    params;
  const path = `$${instancePath.split("/").slice(1).map(unescape).map(step).join("")}`;
  switch (keyword) {
    case "enum":
      return { path, message: `must be one of ${JSON.stringify(allowedValues)}` };
    case "const":
      return { path, message: `must be ${JSON.stringify(allowedValue)}` };
    case "additionalProperties":
      return { path: `${path}${step(additionalProperty)}`, message: "is a member that must not be there" };
    case "unevaluatedProperties":
      return { path: `${path}${step(unevaluatedProperty)}`, message: "is a member that must not be there" };
    default:
      return {
        path: propertyName === undefined ? path : `${path}${step(propertyName)}`,
        message: message ?? "is wrong",
      };
  }
}

/** One reference token of a JSON Pointer (RFC 6901 section 4). */
function unescape(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function step(name: unknown): string {
  return /^\d+$/.test(String(name)) ? `[${String(name)}]` : `.${String(name)}`;
}
