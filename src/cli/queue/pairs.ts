import { Misuse } from "../misuse.ts";

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
