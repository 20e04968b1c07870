const fatal = new TextDecoder("utf-8", { fatal: true });

/**
 * Whether the bytes are well-formed UTF-8.
 *
 * `node:buffer` has the same, but an import of it keeps the whole package out of browser bundles.
 */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    fatal.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
