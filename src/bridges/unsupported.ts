import { SobreError } from "../errors/index.ts";

/** The error for a value that the other side cannot hold. */
export function unsupported(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why}.`, { path });
}

/**
 * `text`, when UTF-8 can hold it.
 *
 * @throws SobreError `UnsupportedValue` for half a surrogate pair, which clients write as U+FFFD.
 */
export function wellFormed(path: string, text: string): string {
  if (/\p{Surrogate}/u.test(text))
    throw unsupported(path, "contains half of a surrogate pair, which UTF-8 cannot hold");
  return text;
}
