import { Misuse } from "./misuse.ts";

export { Command, CommanderError, Help, Option } from "commander";

/** Help is formatted for the narrowest terminal, so that it looks the same everywhere. */
export const helpColumns = 80;

/** Reports the exit code of a command that has ended. */
export type Finish = (code: number) => void;

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
