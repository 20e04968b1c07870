import { SobreError } from "../errors/sobre-error.ts";
import { BodyConversion } from "./conversion.ts";
import { issueReason } from "./issue-reason.ts";
import {
  isStandardSchema,
  issuePath,
  jsonSchemaVendor,
  type StandardResult,
  type StandardSchema,
} from "./standard-schema.ts";

/** The schema of a body: of any Standard Schema library, or made by `jsonSchema` of `sobre/json-schema`. */
export type Schema = StandardSchema<unknown, unknown>;

/** The input type of a schema. */
export type InputOf<S> = S extends StandardSchema<infer I, unknown> ? I : unknown;

/** The output type of a schema, which handlers receive. */
export type OutputOf<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : unknown;

/** The result of a check: the value to continue with, which a schema may have transformed. */
export type CheckedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly cause: unknown };

/** Where a value is invalid, and why if known; the text never quotes the value. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

/** A value or a promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `use` to the value, synchronously unless it is a promise. */
export function whenReady<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** The result of user code; a thenable of another library or realm becomes a native promise. */
export function adopted<T>(given: MaybePromise<T>): MaybePromise<T> {
  if (given instanceof Promise || typeof given !== "object" || given === null) return given;
  return "then" in given && typeof given.then === "function" ? Promise.resolve(given) : given;
}

/**
 * Creates the check of a schema; it is synchronous if the library's validation is.
 *
 * @throws SobreError `InvalidArgument` naming `where` for anything but a Standard Schema.
 */
export function compileSchema(schema: Schema, where: string): (value: unknown) => MaybePromise<CheckedBody> {
  if (!isStandardSchema(schema)) {
    throw new SobreError(
      "InvalidArgument",
      `${where}: it is not a Standard Schema. Wrap a JSON Schema in jsonSchema({ … }) from sobre/json-schema.`,
    );
  }
  const standard = schema["~standard"];
  const validate = (value: unknown): MaybePromise<StandardResult<unknown>> => adopted(standard.validate(value));
  if (standard.vendor === jsonSchemaVendor)
    return (value) => whenReady(validate(value), (result) => toChecked(result, standard.vendor, value));
  return (value) =>
    whenReady(validate(value), (result) => {
      const checked = toChecked(result, standard.vendor, value);
      if (checked.ok) return checked;
      return whenReady(accepted(validate, value, result), (found) =>
        found === undefined ? checked : { ok: true, value: found.value },
      );
    });
}

/** Maximum rounds of conversion; each may uncover issues that the previous one had hidden. */
const maxRounds = 16;

/** The schema's result after the values that it refused were converted to their other form. */
function accepted(
  validate: (value: unknown) => MaybePromise<StandardResult<unknown>>,
  body: unknown,
  refused: StandardResult<unknown>,
): MaybePromise<{ readonly value: unknown } | undefined> {
  const conversion = new BodyConversion(body);
  const round = (
    result: StandardResult<unknown>,
    left: number,
  ): MaybePromise<{ readonly value: unknown } | undefined> => {
    if (result.issues === undefined) return result;
    if (left === 0 || !conversion.convert(result.issues)) return undefined;
    return whenReady(validate(conversion.body), (next) => round(next, left - 1));
  };
  return round(refused, maxRounds);
}

/** An empty list of issues is also a refusal (Standard Schema 1). */
const wholeValue = { message: "", path: [] };

function toChecked(result: StandardResult<unknown>, vendor: string, body: unknown): CheckedBody {
  if (!isResult(result)) throw new TypeError(`${vendor} returned neither a value nor issues`);
  if (result.issues === undefined) return { ok: true, value: result.value };
  // The cause has the issues as they are.
  const issues = result.issues.length === 0 ? [wholeValue] : result.issues;
  const problems = issues.map((issue) => ({ path: issuePath(issue), message: issueReason(issue, vendor, body) }));
  return { ok: false, problems, cause: result.issues };
}

function isResult(result: unknown): boolean {
  if (typeof result !== "object" || result === null) return false;
  return "issues" in result && result.issues !== undefined ? Array.isArray(result.issues) : "value" in result;
}
