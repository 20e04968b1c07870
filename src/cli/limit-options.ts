import { type DecodeLimits, defaultDecodeLimits, resolveDecodeLimits } from "../core/codec/limits.ts";
import { type Command, wholeNumber } from "./commander.ts";

/** The options that limit the size of one body. */
export interface LimitOptions {
  /** Maximum list elements and members of one body. */
  readonly maxItems: number;
  /** Maximum nesting depth of one body. */
  readonly maxDepth: number;
}

/** Adds the options that limit one body to a command; up to `mostItems` it takes less than 300 MB. */
export function withLimitOptions(command: Command, mostItems: number): Command {
  const { maxDepth } = defaultDecodeLimits;
  return command
    .option("--max-items <N>", "limit of items and members", wholeNumber("--max-items", 1), mostItems)
    .option("--max-depth <N>", "limit of nested levels", wholeNumber("--max-depth", 1), maxDepth);
}

/** The limits from the options. */
export function limitsOf({ maxItems, maxDepth }: LimitOptions): DecodeLimits {
  return resolveDecodeLimits({ maxItems, maxDepth });
}

/** An error's message, which names the option in place of the limit. */
export function inWordsOfLimits(message: string): string {
  return message.replaceAll(
    /limits\.max(Items|Depth), which is (\d+)/g,
    (_, name: string, most: string) => `--max-${name.toLowerCase()}, which is ${most}: raise it for such bodies`,
  );
}
