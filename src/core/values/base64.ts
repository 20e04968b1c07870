/** How many bytes `String.fromCharCode` is given at once; more arguments may overflow the stack. */
const chunk = 8192;

/** The base64 text of bytes (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}

/** The bytes of a base64 text; throws a DOMException when it is invalid. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // A loop is ten times as fast as Uint8Array.from.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
