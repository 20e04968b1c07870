export { Command, CommanderError, Help, Option } from "commander";

/** Help is set for the narrowest terminal, so that it looks the same everywhere. */
export const helpColumns = 80;

/** Reports the exit code of a command that has ended. */
export type Finish = (code: number) => void;

/** The values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The value of an option that takes text, or `undefined` when it was not given. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
