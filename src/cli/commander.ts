import { Command } from "commander";
import { Misuse, type Terminal } from "./terminal.ts";
import { readDuration } from "../core/time/duration.ts";
import { type DecodeLimits, defaultDecodeLimits, resolveDecodeLimits } from "../core/codec/limits.ts";

export { Command, CommanderError, Help, Option } from "commander";

/** Help is formatted for the narrowest terminal, so that it looks the same everywhere. */
export const helpColumns = 80;

/** The terminal and the end of a run, for which a command is made. */
export interface Session {
  readonly terminal: Terminal;
  /** Reports the exit code of a command that has ended. */
  readonly finish: (code: number) => void;
}

/** The texts of a command in its help. */
export interface CommandHelp {
  /** Its line in the help of the commands above it. */
  readonly summary: string;
  /** Default: none. */
  readonly about?: string;
  /** Lines about everything else, below the options. Default: none. */
  readonly notes?: string;
  readonly examples?: readonly string[];
  readonly exits?: string;
}

/** A command with its help. */
export function commandOf(name: string, { summary, about, notes, examples, exits }: CommandHelp): Command {
  const command = new Command(name).summary(summary);
  if (about !== undefined) command.description(about);
  const parts = [
    ...(notes === undefined ? [] : [notes]),
    ...(examples === undefined ? [] : [["Examples:", ...examples].join("\n  ")]),
    ...(exits === undefined ? [] : [`Exit codes: ${exits}`]),
  ];
  return parts.length === 0 ? command : command.addHelpText("after", `\n${parts.join("\n\n")}`);
}

/** The values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Parses a whole number from `least` to `most`. The parser throws Misuse. */
export function wholeNumber(option: string, least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (number >= least && number <= (most ?? number)) return number;
    throw new Misuse(
      `${option} must be a number ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`,
    );
  };
}

/** Parses a sequence number. The parser throws Misuse. */
export function sequenceNumber(option: string): (text: string) => bigint {
  return (text) => {
    if (/^\d{1,19}$/.test(text)) return BigInt(text);
    throw new Misuse(`${option} must be a sequence number, as shown by peek`);
  };
}

/**
 * Collects the values of an option that may be repeated: `NAME=TEXT`, or `NAME:=JSON` for a number, true, false or a `$`
 * object. The parser throws Misuse.
 */
export function pairsOf(
  option: string,
  parseJson: (text: string) => unknown = JSON.parse,
): (pair: string, before?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> {
  return (pair, before = {}) => {
    const [, name = "", kind, value = ""] = /^([^=]+?)(:?=)(.*)$/s.exec(pair) ?? [];
    if (name === "") throw new Misuse(`${option} must be NAME=TEXT, or NAME:=JSON`);
    if (Object.hasOwn(before, name)) throw new Misuse(`${option} gives ${name} twice`);
    return { ...before, [name]: kind === "=" ? value : jsonOf(`${option} ${name}`, value, parseJson) };
  };
}

function jsonOf(what: string, text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    throw new Misuse(`${what}: the value after ":=" is not JSON. Use "=" for a string`);
  }
}

/** Units of a time on the command line in milliseconds, the largest first. */
const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Parses a time as `30s`, `1.5h` or ISO 8601 (`PT30S`) into milliseconds. The parser throws Misuse. */
export function spanOf(option: string): (text: string) => number {
  return (text) => {
    const milliseconds = readDuration(text);
    if (milliseconds === undefined) throw new Misuse(`${option} must be a time, e.g. 30s, 5m, 1h, 2d or PT30S`);
    return milliseconds;
  };
}

/** Milliseconds as {@link spanOf} reads them, e.g. `30s`. */
export function spanText(milliseconds: number): string {
  if (milliseconds === Infinity) return "for ever";
  const [unit, size] = Object.entries(units).find(([, one]) => milliseconds % one === 0) ?? ["ms", 1];
  return milliseconds === 0 ? "0s" : `${milliseconds / size}${unit}`;
}

/** The options that name a Protobuf schema. */
export interface SchemaOptions {
  /** Paths of .proto files, which import each other by the paths given. Default: none. */
  readonly proto?: readonly string[] | undefined;
  /** The message type of bodies whose content type names none. */
  readonly messageType?: string | undefined;
}

/** Gives a command the options that name a Protobuf schema. */
export function withSchemaOptions(command: Command): Command {
  return command
    .option("--proto <FILE>", "a .proto file, for Protobuf; may be repeated", collect)
    .option("--message-type <T>", "their message type, e.g. shop.Order");
}

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
