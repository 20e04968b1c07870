import { SobreError } from "../errors/sobre-error.ts";

/** Whose options are checked. */
export interface OptionOwner {
  /** What texts begin with, as `encryption: `. Default: nothing. */
  readonly owner?: string | undefined;
  /** What stands before the names, as `retryOptions.`. Default: nothing. */
  readonly prefix?: string | undefined;
}

/**
 * Checks that options are an object and that there are such options, so that a misspelt one is not left out in silence.
 *
 * @param known The options there are, as the keys of a table.
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function checkOptionNames(
  options: unknown,
  known: Readonly<Record<string, unknown>>,
  { owner = "", prefix = "" }: OptionOwner = {},
): asserts options is object {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw refused(prefix === "" ? "options" : prefix.slice(0, -1), "must be an object", owner);
  }
  for (const name of Object.keys(options)) {
    // What is undefined is not given.
    if (Object.hasOwn(known, name) || Reflect.get(options, name) === undefined) continue;
    throw refused(`${prefix}${name}`, `is no option here; there are ${Object.keys(known).join(", ")}`, owner);
  }
}

function refused(option: string, what: string, owner: string): SobreError {
  return new SobreError("InvalidArgument", `${owner}${option} ${what}.`, { path: `$.${option}` });
}
