import { RE2JS } from "re2js";

/**
 * Makes the matchers of a schema's patterns, in time linear to the text: no pattern can hold the event loop.
 *
 * Expressions that need backtracking (back references, look-around) are refused.
 *
 * @throws Error naming the pattern, for one that is broken or not linear.
 */
export const linearPattern: { (source: string): { test(text: string): boolean }; code: string } = Object.assign(
  (source: string) => {
    const matcher = compile(source);
    return { test: (text: string) => matcher.test(text), toString: () => source };
  },
  { code: "linearPattern" },
);

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it cannot be read";
    throw new Error(`the pattern ${JSON.stringify(source)} is invalid or needs backtracking: ${why}`, { cause });
  }
}
