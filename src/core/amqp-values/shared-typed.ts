import { Typed } from "../values/typed.ts";

/** The typed values that come again and again exist once: they are frozen. */
const octets = Array.from({ length: 256 }, (_, value) => value);

export const smallUbytes: readonly Typed[] = octets.map((value) => new Typed("ubyte", value));
export const smallUints: readonly Typed[] = octets.map((value) => new Typed("uint", value));
export const smallUlongs: readonly Typed[] = octets.map((value) => new Typed("ulong", BigInt(value)));

/** Enough for the annotation names and content types in use; beyond it symbols are not shared. */
const maxSymbols = 512;
const maxSymbolLength = 64;
const symbols = new Map<string, Typed<"symbol">>();

/** The typed symbol of a text. */
export function symbolOf(text: string): Typed<"symbol"> {
  const known = symbols.get(text);
  if (known !== undefined) return known;
  const symbol = new Typed("symbol", text);
  if (symbols.size < maxSymbols && text.length <= maxSymbolLength) symbols.set(text, symbol);
  return symbol;
}
