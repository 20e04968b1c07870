import type { Sniff } from "../../src/core/codec/codec.ts";

const looked = 1024;

/**
 * Rules out invalid UTF-8 and control bytes that text lacks; looks at the first 1,024 bytes.
 *
 * UTF-16 passes with a byte-order mark. It is never sure: text has no signature.
 */
export function sniffText(payload: Uint8Array): Sniff {
  const [a, b] = payload;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return "weak";
  const head = payload.subarray(0, looked);
  if (head.some((byte) => byte < 0x20 && (byte < 0x09 || byte > 0x0d))) return "no";
  try {
    // A character may be cut by the end of the head, not by the end of the payload.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: payload.length > looked });
    return "weak";
  } catch {
    return "no";
  }
}
