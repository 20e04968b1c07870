import type { Sniff } from "../../src/core/codec/codec.ts";

/** Bytes that are looked at, from each end. */
const looked = 256;
// Zero bytes count as space, so that UTF-16 looks like ASCII.
const blank = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)|[ \t\n\r\0]/g;
const closed = /^(?:\{(?:".*)?\}|\[(?:[[{"\-\dtfn].*)?\]|true|false|null)$/;
const possible = /^(?:\{(?:["}]|$)|\[(?:[[\]{"\-\dtfn]|$)|".*"$|-?\d[-+.\deE]*$)/;

/** Guesses from both ends whether a payload is JSON; reads UTF-8 and UTF-16. */
export function sniffJson(payload: Uint8Array): Sniff {
  const head = shown(payload.subarray(0, looked));
  // Behind much white space, this could be the middle of anything.
  if (head === "") return "weak";
  const ends = head + shown(payload.subarray(looked).subarray(-looked));
  if (closed.test(ends)) return "strong";
  return possible.test(ends) ? "weak" : "no";
}

function shown(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes).replaceAll(blank, "");
}
