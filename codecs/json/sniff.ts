import type { Sniff } from "../../src/codec/codec.ts";

const space = new Set([0x20, 0x09, 0x0a, 0x0d]);
// Zero bytes and marks count as space too, so that UTF-16 looks like ASCII.
const wideSpace = new Set([...space, 0x00, 0xfe, 0xff]);

/** Tells by the first two and the last characters whether a payload is JSON; reads UTF-8 and UTF-16. */
export function sniffJson(payload: Uint8Array): Sniff {
  if (payload.length === 0) return "weak";
  const [a, b, c] = payload;
  const wide = a === 0 || b === 0 || (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  const skipped = wide ? wideSpace : space;
  const start = a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
  const at = payload.findIndex((byte, index) => index >= start && !skipped.has(byte));
  const then = payload.findIndex((byte, index) => index > at && !skipped.has(byte));
  if (at === -1) return "no";
  const first = String.fromCharCode(payload[at] ?? 0);
  const next = then === -1 ? "" : String.fromCharCode(payload[then] ?? 0);
  const last = String.fromCharCode(payload[payload.findLastIndex((byte) => !skipped.has(byte))] ?? 0);
  if (first === "{") return '"}'.includes(next) ? surely(last === "}") : "no";
  if (first === "[") return /^[[\]{"\-\dtfn]?$/.test(next) ? surely(last === "]") : "no";
  if (first === '"') return then !== -1 && last === '"' ? "weak" : "no";
  if (/[-\d]/.test(first)) return /^[-+.\deE]?$/.test(next) && /\d/.test(last) ? "weak" : "no";
  const word = { t: "rue", f: "alse", n: "ull" }[first];
  return word !== undefined && next === word[0] && last === word.at(-1) ? "strong" : "no";
}

function surely(closed: boolean): Sniff {
  return closed ? "strong" : "weak";
}
