import { Misuse } from "../terminal.ts";

/** Shared access keys by their names. */
export type Keys = Readonly<Record<string, string>>;

/** Adds a key, given as NAME=KEY. Errors never repeat the value, which is a secret. @throws Misuse */
export function addKey(keys: Keys, pair: string, source: string): Keys {
  const [, name, key] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
  if (name === undefined || key === undefined) throw new Misuse(`${source} must be NAME=KEY`);
  if (Object.hasOwn(keys, name)) throw new Misuse(`${source} gives ${name} twice`);
  return { ...keys, [name]: key };
}

/** The keys of a file or a variable: one on each line, or between semicolons. @throws Misuse when there is none. */
export function keysOf(text: string, source: string): Keys {
  const pairs = text
    .split(/[\n;]/)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && !pair.startsWith("#"));
  if (pairs.length === 0) throw new Misuse(`${source} has no key`);
  return pairs.reduce((keys: Keys, pair) => addKey(keys, pair, `every key of ${source}`), {});
}
