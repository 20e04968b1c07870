import { fromBase64 } from "../host/node.ts";
import type { Unwrapped } from "./codec.ts";
import { typeInside } from "./type-inside.ts";

/**
 * A document that the bytes of a body are: JSON, XML, one of the legacy formats, or base64 text of one, with its content type
 * where it has one here; `undefined` of all other bytes. Only its reader finds out whether it is whole.
 */
export function documentInside(bytes: Uint8Array): Unwrapped | undefined {
  const { contentType } = typeInside(bytes, undefined);
  if (contentType === undefined) return documentInBase64(bytes) === undefined ? undefined : { unwrapped: bytes };
  if (contentType === "application/json" && !isJson(bytes)) return undefined;
  return { unwrapped: bytes, contentType };
}

/** The document of which bytes are the base64 text, or `undefined`. */
export function documentInBase64(bytes: Uint8Array): Unwrapped | undefined {
  const head = bytes.subarray(0, headLength);
  if (bytes.length < shortest || !head.every(isBase64)) return undefined;
  try {
    const unwrapped = fromBase64(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const { contentType } = typeInside(unwrapped, undefined);
    if (contentType === undefined || (contentType === "application/json" && !isJson(unwrapped))) return undefined;
    return { unwrapped, contentType };
  } catch {
    return undefined;
  }
}

/** Bytes at the start that rule out most other text. */
const headLength = 64;
/** The base64 text of `{}`. */
const shortest = 4;

function isBase64(byte: number): boolean {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  // +, /, 0 to 9, =, and the line ends that writers break long text with.
  return isLetter || (byte >= 0x2f && byte <= 0x39) || [0x2b, 0x3d, 0x0d, 0x0a].includes(byte);
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}
