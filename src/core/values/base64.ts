/** How many bytes `String.fromCharCode` is given at once; more arguments may overflow the stack. */
const chunk = 8192;

/** The base64 text of bytes (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
