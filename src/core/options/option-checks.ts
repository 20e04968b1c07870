import { isObject } from "../values/plain-object.ts";
import type { OptionCheck } from "./is.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** The options of a function: a check for each of them. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Whose options are checked, for error messages. */
export interface OptionOwner {
  /** Put first, e.g. `encryption: `. Default: nothing. */
  readonly owner?: string | undefined;
  /** Put before the names of options, e.g. `retryOptions.`. Default: nothing. */
  readonly prefix?: string | undefined;
}

/**
 * Checks options against their table: every given one and every needed one. Unknown options are rejected;
 * an option that is `undefined` counts as not given.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  { needed = [], ...owner }: OptionOwner & { readonly needed?: readonly string[] } = {},
): asserts options is object {
  checkNames(options, checks, owner);
  const { prefix = "" } = owner;
  for (const [name, check] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined || needed.includes(name)) checkOption(`${prefix}${name}`, value, check);
  }
}

/**
 * Checks that options are an object with known names only, so that a misspelt option is not ignored.
 *
 * @param known An object that has the known names as its keys.
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function checkNames(
  options: unknown,
  known: object,
  { owner = "", prefix = "" }: OptionOwner = {},
): asserts options is object {
  if (!isObject(options)) {
    const name = prefix.slice(0, -1) || "options";
    throw new SobreError("InvalidArgument", `${owner}${name} must be an object.`, { path: `$.${name}` });
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name) || Reflect.get(options, name) === undefined) continue;
    const names = Object.keys(known).join(", ");
    const expected = names === "" ? "There are no options" : `Expected one of: ${names}`;
    const option = `${prefix}${name}`;
    throw new SobreError("InvalidArgument", `${owner}Unknown option \`${option}\`. ${expected}.`, {
      path: `$.${option}`,
    });
  }
}

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkOption(option: string, value: unknown, check: OptionCheck): void {
  const wanted = check(value);
  if (wanted !== undefined) throw invalidOption(option, wanted);
}

/** Checks an optional value. @throws SobreError `InvalidArgument` naming the option. */
export function checkOptional(option: string, value: unknown, check: OptionCheck): void {
  if (value !== undefined) checkOption(option, value, check);
}

/** The error of an invalid option. */
export function invalidOption(option: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${option} ${what}.`, { path: `$.${option}` });
}

export {
  aFunction,
  anything,
  countFrom,
  entityName,
  envelope as anEnvelope,
  flag,
  having,
  listOf,
  maybe,
  methods,
  name,
  number,
  object as anObject,
  oneOf,
  type OptionCheck,
  sequenceNumber,
  text,
} from "./is.ts";
