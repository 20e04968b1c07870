import {
  type CodePointRange,
  complement,
  joined,
  lastCodePoint,
  namedSets,
  propertySet,
  type RegexNode,
} from "./syntax.ts";

/** Signals a pattern that may be legal by ECMA-262 but needs backtracking or is not supported. */
export class UnsupportedPattern extends Error {}

/** The deepest nesting and the greatest repetition; beyond them the automaton would grow too large. */
const deepest = 100;
const mostRepeats = 1000;

/**
 * Reads a pattern of ECMA-262 with the flag `u` into a tree.
 *
 * @throws UnsupportedPattern for look-around, back references and broken syntax.
 */
export function parseRegex(source: string): RegexNode {
  const state: State = { text: Array.from(source), at: 0, depth: 0 };
  const node = choice(state);
  if (state.at < state.text.length) throw new UnsupportedPattern(`a stray ${state.text[state.at] ?? ""}`);
  return node;
}

interface State {
  readonly text: readonly string[];
  at: number;
  depth: number;
}

function choice(state: State): RegexNode {
  if (++state.depth > deepest) throw new UnsupportedPattern("groups nested too deep");
  const parts = [sequence(state)];
  while (take(state, "|")) parts.push(sequence(state));
  state.depth--;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
}

function sequence(state: State): RegexNode {
  const parts: RegexNode[] = [];
  for (;;) {
    const next = state.text[state.at];
    if (next === undefined || next === "|" || next === ")") return { kind: "sequence", parts };
    parts.push(quantified(state, atom(state)));
  }
}

function quantified(state: State, part: RegexNode): RegexNode {
  const bounds = quantifier(state);
  if (bounds === undefined) return part;
  // A lazy quantifier matches the same strings.
  take(state, "?");
  const [min, max] = bounds;
  if (min > mostRepeats || (max !== Infinity && max > mostRepeats)) throw new UnsupportedPattern("a great repetition");
  return { kind: "repeat", part, min, max };
}

function quantifier(state: State): readonly [number, number] | undefined {
  if (take(state, "*")) return [0, Infinity];
  if (take(state, "+")) return [1, Infinity];
  if (take(state, "?")) return [0, 1];
  const braces = /^\{(\d+)(,(\d*))?\}/.exec(state.text.slice(state.at, state.at + 24).join(""));
  if (braces === null) return undefined;
  const [all, min = "", comma, max = ""] = braces;
  state.at += all.length;
  return [Number(min), comma === undefined ? Number(min) : max === "" ? Infinity : Number(max)];
}

function atom(state: State): RegexNode {
  const symbol = state.text[state.at++] ?? "";
  switch (symbol) {
    case "^":
      return { kind: "start" };
    case "$":
      return { kind: "end" };
    case ".":
      return { kind: "set", ranges: namedSets["."] ?? [] };
    case "(":
      return group(state);
    case "[":
      return { kind: "set", ranges: bracket(state) };
    case "\\":
      if (take(state, "b")) return { kind: "boundary", negated: false };
      if (take(state, "B")) return { kind: "boundary", negated: true };
      return { kind: "set", ranges: escaped(state) };
    case "*":
    case "+":
    case "?":
      throw new UnsupportedPattern("a quantifier of nothing");
    default:
      return { kind: "set", ranges: single(symbol) };
  }
}

function group(state: State): RegexNode {
  if (take(state, "?")) {
    const sign = state.text[state.at++];
    if (sign === "<" && !/[=!]/.test(state.text[state.at] ?? "")) {
      const close = state.text.indexOf(">", state.at);
      if (close < 0) throw new UnsupportedPattern("an open group name");
      state.at = close + 1;
    } else if (sign !== ":") throw new UnsupportedPattern("look-around");
  }
  const inner = choice(state);
  if (!take(state, ")")) throw new UnsupportedPattern("an open group");
  return inner;
}

function bracket(state: State): readonly CodePointRange[] {
  const negated = take(state, "^");
  const ranges: CodePointRange[] = [];
  while (!take(state, "]")) {
    const first = member(state);
    if (state.text[state.at] === "-" && state.text[state.at + 1] !== "]" && isSingle(first)) {
      state.at++;
      const last = member(state);
      if (!isSingle(last)) throw new UnsupportedPattern("a range up to a set");
      ranges.push([first[0]?.[0] ?? 0, last[0]?.[1] ?? 0]);
    } else ranges.push(...first);
  }
  return negated ? complement(ranges) : joined(ranges);
}

function member(state: State): readonly CodePointRange[] {
  const symbol = state.text[state.at++];
  if (symbol === undefined) throw new UnsupportedPattern("an open bracket");
  if (symbol !== "\\") return single(symbol);
  if (state.text[state.at] === "b") {
    state.at++;
    return single("\b");
  }
  return escaped(state);
}

function escaped(state: State): readonly CodePointRange[] {
  const letter = state.text[state.at++] ?? "";
  const named = Object.hasOwn(namedSets, letter) && letter !== "." ? namedSets[letter] : undefined;
  if (named !== undefined) return named;
  switch (letter) {
    case "t":
      return single("\t");
    case "n":
      return single("\n");
    case "r":
      return single("\r");
    case "f":
      return single("\f");
    case "v":
      return single("\v");
    case "0":
      return single("\0");
    case "c":
      return code((state.text[state.at++] ?? "").charCodeAt(0) % 32);
    case "x":
      return code(hex(state, 2));
    case "u":
      return code(unicode(state));
    case "p":
      return property(state);
    case "P":
      return complement(property(state));
    default:
      if (/[a-zA-Z0-9]/.test(letter) || letter === "") throw new UnsupportedPattern(`the escape \\${letter}`);
      return single(letter);
  }
}

function property(state: State): readonly CodePointRange[] {
  const close = state.text.indexOf("}", state.at);
  const name = state.text.slice(state.at + 1, Math.max(0, close)).join("");
  if (!take(state, "{") || close < 0) throw new UnsupportedPattern("a broken property");
  state.at = close + 1;
  try {
    return propertySet(name);
  } catch {
    throw new UnsupportedPattern(`the property ${name}`);
  }
}

function unicode(state: State): number {
  if (!take(state, "{")) {
    const high = hex(state, 4);
    if (high < 0xd800 || high > 0xdbff || state.text[state.at] !== "\\" || state.text[state.at + 1] !== "u")
      return high;
    state.at += 2;
    return 0x10000 + ((high - 0xd800) << 10) + (hex(state, 4) - 0xdc00);
  }
  const close = state.text.indexOf("}", state.at);
  const value = hex(state, Math.max(0, close - state.at));
  state.at++;
  return value;
}

function hex(state: State, digits: number): number {
  const text = state.text.slice(state.at, state.at + digits).join("");
  if (digits === 0 || !/^[0-9a-fA-F]+$/.test(text) || text.length < digits)
    throw new UnsupportedPattern("a broken escape");
  state.at += digits;
  const value = Number.parseInt(text, 16);
  if (value > lastCodePoint) throw new UnsupportedPattern("a code point beyond Unicode");
  return value;
}

function single(symbol: string): readonly CodePointRange[] {
  return code(symbol.codePointAt(0) ?? 0);
}

function code(point: number): readonly CodePointRange[] {
  return [[point, point]];
}

function isSingle(ranges: readonly CodePointRange[]): boolean {
  return ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
}

function take(state: State, symbol: string): boolean {
  if (state.text[state.at] !== symbol) return false;
  state.at++;
  return true;
}
